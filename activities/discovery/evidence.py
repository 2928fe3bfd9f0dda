"""What is learned, at the moment of the search, from the texts of the cards at hand and from no others.

Every title, alias and example of a card is a sample of what asks for it. The samples nearest to a request,
by meaning and by wording, are weighed against each other by kernel ridge regression: near-identical samples
of one card do not count twice, and a sample that lies among another card's counts little.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from activities.discovery.cards import IndexedCard
from activities.discovery.phrasing import Phrasings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from activities.discovery.embedder import Vectors

# For good: nothing else in a process of ours computes with numpy, and threads only wait for each other on
# matrices as small as these.
threadpool_limits(limits=1, user_api="blas")

#: Samples weighed for one request: more cost time (with the third power) and change little.
_NEAREST = 128
#: How fast a sample's say falls with its distance, what its wording counts beside that, and how much
#: contradiction is put down to chance.
_SHARPNESS, _WORDING, _DOUBT = 3.5, 0.3, 0.1
#: Below this two cosines are one: what differs is the order in which the processor added.
_DIGITS = 5


class Samples:
    """The samples of some cards: vectors in one matrix, wording, the place of the card each belongs to.

    `spread` stretches their distances, as :class:`PreparedQuery` has it.
    """

    def __init__(self, cards: Sequence[IndexedCard], spread: float = 1.0) -> None:
        parts = [(place, *part) for place, card in enumerate(cards) for part in _parts(card)]
        vectors = [part for _, part, _ in parts]
        self._rows = np.concatenate(vectors) if parts else np.empty((0, 0), np.float32)
        self._owners = np.repeat([place for place, _, _ in parts], list(map(len, vectors))).astype(np.intp)
        self._phrasings = Phrasings(b"".join(worded for _, _, worded in parts))
        self._cards, self._spread = len(cards), spread

    def __len__(self) -> int:
        return len(self._rows)

    def cosines(self, vectors: "Vectors") -> "Vectors":
        """Return a row for each of `vectors`, stretched. A sample that is no vector is near to nothing."""
        with np.errstate(invalid="ignore"):
            stretched = 1 - self._spread * (1 - vectors @ self._rows.T)
        return np.nan_to_num(stretched, nan=0.0, posinf=0.0, neginf=0.0)

    def nearness(self, cosines: "Vectors") -> "NDArray[np.float32]":
        """For each card the nearest of its samples (`cosines` to all rows), the next ones counting a little.

        The next ones tell a chance hit from a familiar request.
        """
        order = np.lexsort((-cosines, self._owners))
        owners, sorted_cosines = self._owners[order], cosines[order]
        starts = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
        ends = np.r_[starts[1:], len(owners)]
        found = np.zeros(self._cards, dtype=np.float32)
        padded = np.r_[0.0, np.cumsum(sorted_cosines)]
        last = np.minimum(starts + 3, ends)
        mean = (padded[last] - padded[starts]) / (last - starts)
        found[owners[starts]] = 0.75 * sorted_cosines[starts] + 0.25 * mean
        return found

    def support(self, cosines: "Vectors", worded: bytes) -> "NDArray[np.float32]":
        """For each card how much the samples speak for it: from 0 for a strange request to about 1.

        `worded`: how the request is worded, whose `cosines` to all rows are given.
        """
        likeness = _likeness(cosines, self._phrasings.shared_with(worded))
        near = np.argsort(-likeness.round(_DIGITS), kind="stable")[:_NEAREST]
        rows = np.nan_to_num(self._rows[near], nan=0.0, posinf=0.0, neginf=0.0)
        kernel = _likeness(1 - self._spread * (1 - rows @ rows.T), self._phrasings.among(near))
        kernel[np.diag_indices(len(near))] += _DOUBT
        weights = np.linalg.solve(kernel, likeness[near])
        return np.bincount(self._owners[near], weights, self._cards).astype(np.float32)


@lru_cache(maxsize=2)
def samples_of(cards: tuple[IndexedCard, ...], spread: float) -> Samples:
    """Return the samples of `cards`, kept for the next request: the same cards often come back at once."""
    return Samples(cards, spread)


def _likeness(cosines: "Vectors", shared: "Vectors") -> "Vectors":
    return (np.exp(_SHARPNESS * (cosines - 1)) + _WORDING * shared) / np.float32(1 + _WORDING)


def _parts(card: IndexedCard) -> list[tuple["Vectors", bytes]]:
    titles, examples = card.card_vectors, card.example_vectors
    parts = (titles, card.card_phrasings), (examples, card.example_phrasings)
    return [part for part in parts if len(part[0])]
