"""Public sets of tools and requests, read from the folder that DISCOVERY_SETS names.

Each set is a folder with `tools.jsonl` ({id, name, description, params}) and `queries.jsonl` ({query,
relevant, lang, split}; nothing relevant: out of scope). None of them belongs to the repository.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

VARIABLE = "DISCOVERY_SETS"
EXAMPLES = 10


class SetMissing(Exception):
    """The folder, or one of its sets, is not there."""


@dataclass(frozen=True)
class Asked:
    """A request and the places of the cards that serve it; none: out of scope."""

    text: str
    relevant: frozenset[int]


@dataclass(frozen=True)
class Labelled:
    """A set: its cards as they are declared, the requests of its splits."""

    cards: Sequence[Mapping[str, Any]]
    splits: Mapping[tuple[str, str], Sequence[Asked]]

    def asked(self, *splits: str, language: str = "en") -> list[Asked]:
        return [one for split in splits for one in self.splits.get((split, language), ())]

    def examples(self, split: str, *languages: str) -> list[tuple[str, ...]]:
        """Return for each card at most EXAMPLES requests of `split` a language, the same ones each time."""
        by_language = [self._examples(split, language) for language in languages or ("en",)]
        return [tuple(text for some in card for text in some) for card in zip(*by_language, strict=True)]

    def _examples(self, split: str, language: str) -> list[list[str]]:
        found: list[list[str]] = [[] for _card in self.cards]
        for one in self.asked(split, language=language):
            for place in one.relevant:
                found[place].append(one.text)
        chance = Random(0)  # noqa: S311 - no secret depends on it
        return [chance.sample(texts, min(EXAMPLES, len(texts))) for texts in found]


def read_set(name: str) -> Labelled:
    """Raises SetMissing, which says what to do."""
    folder = _folder() / name
    if not (folder / "tools.jsonl").is_file() or not (folder / "queries.jsonl").is_file():
        raise SetMissing(f"The set {name!r} is missing: {folder} has no tools.jsonl and queries.jsonl.")
    cards = list(_lines(folder / "tools.jsonl"))
    places = {card["id"]: place for place, card in enumerate(cards)}
    splits: dict[tuple[str, str], list[Asked]] = {}
    for line in _lines(folder / "queries.jsonl"):
        relevant = frozenset(places[key] for key in line["relevant"] if key in places)
        splits.setdefault((line["split"], line["lang"]), []).append(Asked(line["query"], relevant))
    return Labelled(cards, splits)


def _folder() -> Path:
    named = os.environ.get(VARIABLE, "")
    if not named:
        raise SetMissing(f"Set {VARIABLE} to the folder that holds the sets (metatool, sealtools, ...).")
    if not Path(named).is_dir():
        raise SetMissing(f"{VARIABLE} names {named}, which is no folder.")
    return Path(named)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())
