"""How a sample is worded: its words and each two that follow one another, function words too.

"Where is my card" and "is my card here" share their nouns and much of their meaning; what tells them apart
is "where is" and "card here". Each text is kept as the hashes of its stems and of each two that follow one
another, four bytes each, so that thousands of samples are held against a request at once.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

from activities.discovery.language import stem
from activities.discovery.samples import Sample
from agentapp.kernel.text import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Shares = NDArray[np.float32]

#: Ends each text; no hash is zero.
_END = bytes(4)


def phrasing(text: str) -> bytes:
    """Return the hashes of `text`, each once, as little-endian 32-bit numbers, with a zero at the end."""
    stems = [stem(word) for word in words(text)]
    pairs = (f"{first} {second}" for first, second in pairwise(stems))
    hashes = sorted({crc32(part.encode()) or 1 for part in (*stems, *pairs)})
    return b"".join(value.to_bytes(4, "little") for value in hashes) + _END


def phrasings(samples: Iterable[Sample]) -> bytes:
    """Return the phrasings of `samples`, one after the other: of each the text that says most, its last."""
    return b"".join(phrasing(sample[-1][0]) for sample in samples)


def no_phrasings(count: int) -> bytes:
    """Return the phrasings of `count` samples whose words are not known: they share none."""
    return _END * count


class Phrasings:
    """The phrasings of some samples, weighed by how rare each part is among them: cosines of tf-idf."""

    def __init__(self, packed: bytes) -> None:
        import numpy as np

        values = np.frombuffer(packed, dtype="<u4")
        ends = values == 0
        self._count = int(ends.sum())
        owners = np.cumsum(ends)[~ends]
        self._known, self._parts = np.unique(values[~ends], return_inverse=True)
        self._starts = np.searchsorted(owners, np.arange(self._count + 1))
        self._rarity = np.log1p(self._count / np.maximum(np.bincount(self._parts), 1)).astype(np.float32)
        weights = self._rarity[self._parts]
        lengths = np.sqrt(np.bincount(owners, weights**2, self._count)).astype(np.float32)
        self._owners, self._weights = owners, weights / lengths[owners]

    def shared_with(self, packed: bytes) -> "Shares":
        """Return for each sample its cosine with the one phrasing in `packed`."""
        import numpy as np

        asked = np.frombuffer(packed, dtype="<u4")[:-1]
        unknown = np.float32(np.log1p(max(self._count, 2)))
        if not len(asked) or not len(self._known):
            return np.zeros(self._count, np.float32)
        places = np.searchsorted(self._known, asked).clip(max=len(self._known) - 1)
        found = places[self._known[places] == asked]
        squares = (self._rarity[found] ** 2).sum() + (len(asked) - len(found)) * unknown**2
        worth = np.zeros(len(self._known), np.float32)
        worth[found] = self._rarity[found] / np.sqrt(squares)
        shares = np.bincount(self._owners, self._weights * worth[self._parts], self._count)
        return shares.astype(np.float32)

    def among(self, places: "NDArray[np.intp]") -> "Shares":
        """Return the cosines of the samples at `places` with each other."""
        import numpy as np

        lengths = self._starts[places + 1] - self._starts[places]
        rows = np.repeat(np.arange(len(places)), lengths)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        taken = np.repeat(self._starts[places], lengths) + within
        parts, columns = np.unique(self._parts[taken], return_inverse=True)
        table = np.zeros((len(places), len(parts)), np.float32)
        table[rows, columns] = self._weights[taken]
        return table @ table.T
