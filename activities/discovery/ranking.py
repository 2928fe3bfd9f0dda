"""Ranking cards for a request: words and vectors together, and whether the best of them fits at all.

Only what is given is read: a card that was filtered out before is in no score and in no statistic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from activities.discovery.cards import IndexedCard
from activities.discovery.lexical import Rarity, lexical_scores
from activities.discovery.queries import PreparedQuery

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors

#: Weight of the vectors beside the words.
_DENSE = 0.6
#: Weight of the nearest general question: a card has to be somewhat nearer, its words counting too.
_ELSEWHERE = 0.69


class Fit(StrEnum):
    """Whether the best card is what was asked for."""

    FOUND = "found"  #: it is
    WEAK = "weak"  #: it may be: search again in other words, or ask
    NONE = "none"  #: it is not; none of the cards is


@dataclass(frozen=True)
class Thresholds:
    """Below `floor` nothing fits; below `certain` the best is a guess."""

    floor: float
    certain: float


_TOGETHER = Thresholds(floor=0.34, certain=0.42)
_WORDS_ALONE = Thresholds(floor=0.45, certain=0.55)


@dataclass(frozen=True)
class Statistics:
    """What is counted over the cards a person may use, and over no others."""

    rarity: Rarity

    @classmethod
    def of(cls, cards: Sequence[IndexedCard]) -> "Statistics":
        return cls(Rarity.over([card.weights for card in cards]))


@dataclass(frozen=True)
class Scored:
    """One card's scores, each from 0 to 1. `dense` is None where there were no vectors to compare."""

    key: str
    lexical: float
    dense: float | None
    score: float


@dataclass(frozen=True)
class Ranking:
    """Cards best first (equal ones by key). `elsewhere` is the score of "something no card does"."""

    cards: tuple[Scored, ...]
    verdict: Fit
    elsewhere: float
    thresholds: Thresholds


def rank(query: PreparedQuery, cards: Sequence[IndexedCard], statistics: Statistics) -> Ranking:
    """Score every one of `cards` for `query`, examples counting as evidence."""
    lexical = lexical_scores(statistics.rarity, [card.weights for card in cards], query.stems)
    if query.vectors is None:
        scored = [Scored(card.key, words, None, words) for card, words in zip(cards, lexical, strict=True)]
        return _ranking(scored, 0.0, _WORDS_ALONE)
    dense = [_nearness(query.vectors, card) for card in cards]
    scored = [
        Scored(card.key, words, near, (1 - _DENSE) * words + _DENSE * near)
        for card, words, near in zip(cards, lexical, dense, strict=True)
    ]
    return _ranking(scored, _ELSEWHERE * query.elsewhere, _TOGETHER)


def _nearness(queries: "Vectors", card: IndexedCard) -> float:
    """The nearest text counts most; the next ones tell a chance hit from a familiar request."""
    parts = [part for part in (card.card_vectors, card.example_vectors) if len(part)]
    if not parts:
        return 0.0
    ranked = np.sort(np.concatenate([(queries @ part.T).max(axis=0) for part in parts]))[::-1][:3]
    return float(0.75 * ranked[0] + 0.25 * ranked.mean())


def _ranking(scored: Sequence[Scored], elsewhere: float, limits: Thresholds) -> Ranking:
    best = tuple(sorted(scored, key=lambda card: (-card.score, card.key)))
    return Ranking(best, _verdict(best, elsewhere, limits), elsewhere, limits)


def _verdict(cards: Sequence[Scored], elsewhere: float, limits: Thresholds) -> Fit:
    if not cards or cards[0].score < max(limits.floor, elsewhere):
        return Fit.NONE
    return Fit.FOUND if cards[0].score >= limits.certain else Fit.WEAK
