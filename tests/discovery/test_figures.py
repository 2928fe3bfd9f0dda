"""The benchmark's own arithmetic, and what it says when its sets are not there."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.discovery import auroc, declined
from benchmarks.sets import VARIABLE, SetMissing, read_set


def lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def test_a_set_is_read_with_at_most_ten_examples_a_card_and_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    (tmp_path / "small").mkdir()
    lines(tmp_path / "small" / "tools.jsonl", [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}])
    train = [{"query": f"q{n}", "relevant": ["b"], "lang": "en", "split": "train"} for n in range(30)]
    test = [{"query": "x", "relevant": ["a", "gone"], "lang": "en", "split": "test"}]
    lines(tmp_path / "small" / "queries.jsonl", [*train, *test])
    small = read_set("small")
    assert [len(some) for some in small.examples("train", "en", "fr")] == [0, 10]
    assert small.examples("train") == small.examples("train")
    assert [one.relevant for one in small.asked("test")] == [frozenset({0})]


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(SetMissing, match=f"Set {VARIABLE}"):
        read_set("small")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(SetMissing, match="no folder"):
        read_set("small")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(SetMissing, match="'small' is missing"):
        read_set("small")


def test_apart_is_one_alike_is_half() -> None:
    low, high = np.array([0.1, 0.2, 0.3]), np.array([0.7, 0.8, 0.9])
    assert auroc(high, low) == 1
    assert auroc(low, low) == 0.5
    assert (declined(high, low), declined(low, high)) == (1, 0)
