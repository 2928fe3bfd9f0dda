"""What sentence vectors are made of: a text, or some texts read together."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from activities.discovery.embedder import Embedder
from activities.discovery.masking import mask

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors

#: Texts, each with its part in the sum whose direction is the vector.
Sample = tuple[tuple[str, float], ...]


def request_sample(request: str, keep: Collection[str] = ()) -> Sample:
    """A request without numbers and identifiers, the names in it counting for half.

    A capital may stand for whom a request names or for what it is about; `keep` are folded words that are
    known to be no names.
    """
    texts = dict.fromkeys(filter(None, (mask(request, keep, names=False), mask(request, keep))))
    return tuple((text, 1.0) for text in texts or (request,))


def texts_of(samples: Sequence[Sample]) -> list[str]:
    """Return every text that has to be encoded, once."""
    return list(dict.fromkeys(text for sample in samples for text, _ in sample))


def encode_samples(embedder: Embedder | None, samples: Sequence[Sample]) -> "Vectors":
    """Return a unit row for each sample, none without an embedder. Raises EmbedderUnavailable."""
    import numpy as np  # kept out of processes that never encode

    if embedder is None or not samples:
        return np.empty((0, embedder.dimensions if embedder else 0), dtype=np.float32)
    texts = texts_of(samples)
    return mix_samples(samples, dict(zip(texts, embedder.encode(texts), strict=True)))


def mix_samples(samples: Sequence[Sample], encoded: Mapping[str, "Vectors"]) -> "Vectors":
    """Return a unit row for each of at least one sample, from the vectors of its texts."""
    import numpy as np

    rows = np.stack([sum(encoded[text] * np.float32(part) for text, part in sample) for sample in samples])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
