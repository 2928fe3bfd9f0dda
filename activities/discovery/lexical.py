"""How much of a request's wording a card shares: BM25 over the cards at hand, from 0 to 1."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from activities.discovery.cards import IndexedCard

#: BM25's saturation and length normalisation.
_K1, _B = 1.5, 0.75
#: What the first occurrence of a word in a title counts, before saturation: scores are measured by it.
_UNIT = 2.0
#: Shared weight at which the wording alone is convincing.
_ENOUGH = 2.2
#: What a word one typing error away from a card's word is worth.
_NEARLY = 0.8
#: A shorter word is too easily another one.
_SHORTEST = 5


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

    def closest(self, stem: str) -> str:
        """Return the known stem of which `stem` is a typing error; "" when there is none."""
        if len(stem) < _SHORTEST:
            return ""
        lengths = (len(stem) - 1, len(stem), len(stem) + 1)
        near = (known for length in lengths for known in self._by_head.get((stem[0], length), ()))
        return min((known for known in near if one_edit(stem, known)), default="")

    @cached_property
    def _by_head(self) -> dict[tuple[str, int], list[str]]:
        found: dict[tuple[str, int], list[str]] = {}
        for stem in self.of_stem:
            found.setdefault((stem[:1], len(stem)), []).append(stem)
        return found


class Wording:
    """The words of some cards, ready to be compared with requests."""

    def __init__(self, cards: Sequence[IndexedCard], rarity: Rarity) -> None:
        self._rarity = rarity
        mean = sum(card.length for card in cards) / max(len(cards), 1) or 1.0
        self._cards = [(card.weights, _K1 * (1 - _B + _B * card.length / mean)) for card in cards]

    def scores(self, stems: Mapping[str, float]) -> list[float]:
        """Score each card, in their order, by the stems of a request, each with what it counts."""
        meant = self._meant(stems)
        rarities = [(stem, self._rarity.get(stem), worth) for stem, worth in meant.items()]
        total = sum(rarity for _, rarity, _ in rarities)
        worths = [(stem, rarity * worth * (_K1 + 1) / _UNIT) for stem, rarity, worth in rarities]
        return [_score(weights, damping, worths, total) for weights, damping in self._cards]

    def _meant(self, stems: Mapping[str, float]) -> dict[str, float]:
        """The cards' own stems meant by `stems`, a typing error forgiven; unknown stems stay as they are."""
        meant: dict[str, float] = {}
        for stem, worth in stems.items():
            found = "" if stem in self._rarity.of_stem else self._rarity.closest(stem)
            meant[found or stem] = worth * _NEARLY if found else worth
        return meant


def _score(
    weights: Mapping[str, float], damping: float, worths: Sequence[tuple[str, float]], total: float
) -> float:
    shared = 0.0
    for stem, worth in worths:
        count = weights.get(stem)
        if count:
            shared += worth * count / (count + damping)
    if not shared:
        return 0.0
    return min(1.0, math.sqrt(shared / total * (1 - math.exp(-shared / _ENOUGH))))


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
