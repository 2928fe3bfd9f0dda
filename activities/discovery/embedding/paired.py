"""Two encoders read as one: what one of them does not tell apart, the other may."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from activities.discovery.embedder import Embedder

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors


class PairedEmbedder:
    """The vectors of two embedders side by side, each with half of the say.

    The cosine of two rows is the mean of both embedders' cosines, and a row has length one as theirs have.
    """

    def __init__(self, first: Embedder, second: Embedder) -> None:
        self.name = f"{first.name}+{second.name}"
        self.dimensions = first.dimensions + second.dimensions
        self._parts = (first, second)

    def encode(self, texts: Sequence[str]) -> "Vectors":
        """Raises EmbedderUnavailable when one of the two is."""
        import numpy as np  # kept out of processes that never encode

        return np.concatenate([part.encode(texts) for part in self._parts], axis=1) * np.float32(0.5**0.5)
