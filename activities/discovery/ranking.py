"""Ranking cards for a request: words and vectors together, and whether the best of them fits at all.

Only what is given is read: a card that was filtered out before is in no score and in no statistic.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from activities.discovery.cards import IndexedCard
from activities.discovery.comparing import Meaning, Statistics, compare_meaning, compare_words
from activities.discovery.queries import PreparedQuery

if TYPE_CHECKING:
    from activities.discovery.comparing import Scores

#: Weight of the words beside the vectors when cards are put in order; what many samples take from it, whose
#: wording is weighed with them; and the wording that has to be shared for all of the weight. Vague requests
#: share a word or two with many cards, which tells little.
_WORDS, _WORDED, _TELLING = 0.45, 0.25, 0.6
#: Weight of the whole request beside its best part; and what many samples add to it: they are whole requests.
_WHOLE, _WHOLE_SAMPLES = 0.4, 1.2
#: The number of cards at which samples do half of this: few cards are told apart by less.
_MANY_CARDS = 40
#: How fast what the samples say together replaces the nearest sample, as a card has more of them; and the
#: number of cards with which both count alike: with few there is little to hold them against.
_SAMPLES, _FEW_CARDS = 0.8, 8
#: What certainty is made of: shared wording, the nearest samples, what the samples say together; and less by
#: how near the request is to a general question.
_WORDING, _NEARNESS, _SUPPORT, _BACKGROUND = 0.15, 0.35, 0.5, 0.15
#: What shared wording alone makes certain, where cards have many samples of how they are asked for.
_BY_WORDS = 0.5
#: How much of its likeness to the nearest general question a request must have to a card, and the words'
#: part in that likeness.
_ELSEWHERE, _RESEMBLING_WORDS = 0.62, 0.4
_NOTHING = 1e-6
#: Scores that differ less are equal: it is how the processor added.
_DIGITS = 5


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


_WORDS_ALONE = Thresholds(floor=0.43, certain=0.47)
#: The floor where every card has one text, and what it rises by with the logarithm of the samples: the more
#: there are, the nearer is the nearest one of a request that is meant for none of them.
_FLOOR, _RISE, _FEW_SAMPLES = 0.142, 0.03, 10
#: From the floor up to certainty, and how much more of it with the square of what the floor has risen.
_GUESS, _GUESS_RISE = 0.04, 5.0


@dataclass(frozen=True)
class Scored:
    """One card's scores, each from 0 to 1. `dense` is None where there were no vectors to compare.

    The best card's `score` is how certain it is that it is meant; the others' follow in proportion.
    """

    key: str
    lexical: float
    dense: float | None
    score: float


@dataclass(frozen=True)
class Ranking:
    """Cards best first, equal ones by key. `elsewhere`: cosine of a general question no card answers."""

    cards: tuple[Scored, ...]
    verdict: Fit
    elsewhere: float
    thresholds: Thresholds


def rank(query: PreparedQuery, cards: Sequence[IndexedCard], statistics: Statistics) -> Ranking:
    """Score every one of `cards` for `query`, their examples counting as evidence.

    `statistics` are counted over these cards, or over all those that they were picked from.
    """
    elsewhere = max(query.background)
    if not cards:
        return Ranking((), Fit.NONE, elsewhere, _WORDS_ALONE)
    wording, meaning = compare_words(query, cards, statistics), compare_meaning(query, cards)
    limits = _thresholds(meaning) if meaning else _WORDS_ALONE
    scores = _scores(_places(query, wording, meaning), wording, meaning, elsewhere)
    nearest = meaning.nearest.max(axis=0).tolist() if meaning else [None] * len(cards)
    scored = map(Scored, (card.key for card in cards), wording.max(axis=0).tolist(), nearest, scores.tolist())
    best = tuple(sorted(scored, key=lambda card: (-round(card.score, _DIGITS), card.key)))
    return Ranking(best, _fit(best[0], elsewhere, limits), elsewhere, limits)


def _scores(places: "Scores", wording: "Scores", meaning: Meaning | None, elsewhere: float) -> "Scores":
    """Return for the best card how certain it is, and for each other its share of that."""
    best = int(places.argmax())
    certainty = _certainty(wording, meaning, elsewhere, best) if meaning else float(wording[:, best].max())
    return certainty * places / max(float(places[best]), _NOTHING)


def _places(query: PreparedQuery, wording: "Scores", meaning: Meaning | None) -> "Scores":
    """What the cards are put in order by: each measure against its best card, merged over the variants."""
    apart, whole = query.asks_apart, _WHOLE
    places = _share(wording**2, apart)
    if meaning is not None:
        nearest = _share_of_nearest(meaning)
        near = nearest * _share(meaning.nearest, apart) + (1 - nearest) * _share(meaning.support, apart)
        words = _share_of_words(meaning) * np.minimum(1.0, _best(wording, apart) / _TELLING)
        places = (words * places + (1 - words) * near).astype(np.float32)
        whole += _WHOLE_SAMPLES * _crowding(meaning)
    return places[0] if len(places) == 1 else (whole * places[0] + places[1:].max(axis=0)) / (1 + whole)


def _share(scores: "Scores", apart: bool) -> "Scores":
    """Return scores in proportion to the best: of each variant `apart`, or of the whole and of all parts."""
    return (scores / np.maximum(_best(scores, apart), _NOTHING)).astype(np.float32)


def _best(scores: "Scores", apart: bool) -> "Scores":
    """Return the best score of each variant, in a column; parts that are not `apart` that of all parts."""
    best = scores.max(axis=1, keepdims=True)
    if not apart:
        best[1:] = best[1:].max(initial=0.0)
    return best


def _certainty(wording: "Scores", meaning: Meaning, elsewhere: float, best: int) -> float:
    measures = (wording, _WORDING), (meaning.nearest, _NEARNESS), (meaning.support, _SUPPORT)
    found = sum(weight * float(scores[:, best].max()) for scores, weight in measures)
    shared = float(wording[:, best].max())
    by_words = _BY_WORDS * _richness(meaning) * shared if shared >= _WORDS_ALONE.floor else 0.0
    return min(1.0, max(by_words, found - _BACKGROUND * elsewhere))


def _share_of_words(meaning: Meaning) -> float:
    return _WORDS - _WORDED * _crowding(meaning)


def _crowding(meaning: Meaning) -> float:
    """From 0, with few cards or one sample each, towards 1 for many cards with many samples."""
    cards = meaning.nearest.shape[1]
    return _richness(meaning) * cards / (cards + _MANY_CARDS)


def _share_of_nearest(meaning: Meaning) -> float:
    cards = meaning.nearest.shape[1]
    return max(1 - _richness(meaning), _FEW_CARDS / (_FEW_CARDS + cards))


def _richness(meaning: Meaning) -> float:
    """From 0, where every card has one sample, towards 1."""
    return 1.0 - float(meaning.samples_per_card**-_SAMPLES)


def _thresholds(meaning: Meaning) -> Thresholds:
    samples = meaning.samples_per_card * meaning.nearest.shape[1]
    rise = _RISE * max(0.0, math.log(samples / _FEW_SAMPLES)) * _richness(meaning)
    return Thresholds(_FLOOR + rise, _FLOOR + rise + _GUESS + _GUESS_RISE * rise**2)


def _fit(best: Scored, elsewhere: float, limits: Thresholds) -> Fit:
    if best.score < limits.floor or _resemblance(best) < _ELSEWHERE * elsewhere:
        return Fit.NONE
    return Fit.FOUND if best.score >= limits.certain else Fit.WEAK


def _resemblance(card: Scored) -> float:
    near = card.lexical if card.dense is None else card.dense
    return _RESEMBLING_WORDS * card.lexical + (1 - _RESEMBLING_WORDS) * near
