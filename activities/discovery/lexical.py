"""How much of a request's wording a card shares."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

#: Shared weight at which the wording alone is convincing.
_ENOUGH = 2.2
#: What a word one typing error away from a card's word is worth.
_NEARLY = 0.8


@dataclass(frozen=True)
class Rarity:
    """Inverse document frequency of stems over some cards; `unknown` is that of a stem no card has."""

    of_stem: Mapping[str, float]
    unknown: float

    @classmethod
    def over(cls, cards: Sequence[Iterable[str]]) -> "Rarity":
        """Count over the stems of each of `cards`."""
        return cls.counted(Counter(stem for stems in cards for stem in stems), len(cards))

    @classmethod
    def counted(cls, counts: Mapping[str, int], total: int) -> "Rarity":
        """Make it of how many of `total` cards have each stem."""
        known = {stem: math.log(1 + total / count) for stem, count in counts.items()}
        return cls(known, math.log(1 + max(total, 2)))

    def get(self, stem: str) -> float:
        return self.of_stem.get(stem, self.unknown)


def lexical_scores(
    rarity: Rarity, cards: Sequence[Mapping[str, float]], segments: Sequence[Sequence[str]]
) -> list[float]:
    """Score each card's weights from 0 to 1 by its best segment (a segment is a list of content stems)."""
    known = [_known(rarity, stems) for stems in segments]
    return [max((_score(rarity, card, stems) for stems in known), default=0.0) for card in cards]


def _known(rarity: Rarity, stems: Sequence[str]) -> dict[str, float]:
    """The cards' own stems meant by `stems`, a typing error forgiven; unknown stems stay as they are."""
    meant: dict[str, float] = {}
    for stem in stems:
        found = stem if stem in rarity.of_stem else _close_to(stem, rarity)
        meant[found or stem] = 1.0 if found == stem or not found else _NEARLY
    return meant


def _score(rarity: Rarity, card: Mapping[str, float], stems: Mapping[str, float]) -> float:
    total = sum(rarity.get(stem) for stem in stems)
    shared = sum(worth * card.get(stem, 0.0) * rarity.get(stem) for stem, worth in stems.items())
    if not total or not shared:
        return 0.0
    return math.sqrt(shared / total * (1 - math.exp(-shared / _ENOUGH)))


def _close_to(stem: str, rarity: Rarity) -> str:
    if len(stem) < 5:
        return ""
    close = sorted(
        known for known in rarity.of_stem if abs(len(known) - len(stem)) <= 1 and one_edit(stem, known)
    )
    return close[0] if close else ""


def one_edit(left: str, right: str) -> bool:
    """True when one letter was added, dropped, replaced, or two neighbours swapped; the first must hold."""
    if left[:1] != right[:1] or abs(len(left) - len(right)) > 1:
        return False
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    rest_left, rest_right = left[start:], right[start:]
    if len(left) == len(right):
        swapped = rest_left[1::-1] == rest_right[:2] and rest_left[2:] == rest_right[2:]
        return rest_left[1:] == rest_right[1:] or swapped
    return rest_left[1:] == rest_right if len(left) > len(right) else rest_left == rest_right[1:]
