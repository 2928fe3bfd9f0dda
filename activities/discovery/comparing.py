"""A request held against cards, part by part: by wording, by nearness, and by what the samples say."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from activities.discovery.cards import IndexedCard
from activities.discovery.evidence import samples_of
from activities.discovery.lexical import Rarity, Wording
from activities.discovery.queries import PreparedQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]


@dataclass(frozen=True)
class Statistics:
    """What is counted over the cards a person may use, and over no others."""

    rarity: Rarity

    @classmethod
    def of(cls, cards: Sequence[IndexedCard]) -> "Statistics":
        return cls(Rarity.over([card.weights for card in cards]))


@dataclass(frozen=True, eq=False)
class Meaning:
    """How near in meaning, from 0 to 1: by each card's nearest samples, and by what all samples say together.

    Arrays of shape (variants of the request, cards). `samples_per_card`: how many there are, on average.
    """

    nearest: "Scores"
    support: "Scores"
    samples_per_card: float


def compare_words(query: PreparedQuery, cards: Sequence[IndexedCard], statistics: Statistics) -> "Scores":
    """Return the wording shared, from 0 to 1, in an array of shape (variants of the request, cards)."""
    wording = Wording(cards, statistics.rarity)
    return np.array([wording.scores(stems) for stems in query.stems], dtype=np.float32)


def compare_meaning(query: PreparedQuery, cards: Sequence[IndexedCard]) -> Meaning | None:
    """Compare the vectors of `query` and of at least one card; None where there are none on one side."""
    if query.vectors is None or not np.isfinite(query.vectors).all():
        return None
    samples = samples_of(tuple(cards), query.spread)
    if not len(samples):
        return None
    cosines = samples.cosines(query.vectors)
    nearest = np.stack([samples.nearness(row) for row in cosines])
    asked = zip(cosines, query.phrasings, strict=True)
    support = np.stack([samples.support(row, worded) for row, worded in asked])
    return Meaning(nearest.clip(0, 1), support.clip(0, 1), max(1.0, len(samples) / len(cards)))
