"""Sentence vectors from any endpoint that speaks /v1/embeddings.

The SDK gives the client: address, key, connections. What comes back is read here, because a vector is trusted
only when it has the right length and holds finite numbers.
"""

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from activities.discovery.embedder import EmbedderUnavailable
from activities.discovery.embedding import troubles
from activities.discovery.embedding.backoff import BackOff
from activities.discovery.embedding.troubles import trouble
from agentapp.kernel.redaction import redacted
from agentapp.kernel.sdk_client import sdk_client
from agentapp.kernel.transport import Budget, refusal_text

if TYPE_CHECKING:
    import httpx2

    from activities.discovery.embedder import Vectors

logger = logging.getLogger(__name__)

#: A person waits for a search: no longer than this for its vectors.
SEARCH_SECONDS = 2.0
#: Nobody waits for the index.
INDEX_SECONDS = 60.0
MAX_TEXTS = 64
_MAX_BYTES = 32_000_000
_STATUS = {
    401: troubles.UNAUTHORISED,
    403: troubles.UNAUTHORISED,
    404: troubles.NOT_FOUND,
    408: troubles.TIMEOUT,
    429: troubles.LIMITED,
}


class EndpointEmbedder:
    """Asks one endpoint for one model's vectors. Safe to share between threads; the last vectors are kept.

    An endpoint that failed is left alone for a while: `encode` raises at once then.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        dimensions: int,
        api_key: str | None = None,
        seconds: float = SEARCH_SECONDS,
        cached: int = 2048,
    ) -> None:
        self.name = f"{model}/{dimensions}"
        self.dimensions = dimensions
        self._model = model
        self._seconds = seconds
        self._client = _client(base_url, api_key)
        self._back_off = BackOff(seconds)
        self._lock = threading.Lock()
        self._limit = cached
        self._cache: OrderedDict[str, Vectors] = OrderedDict()

    def encode(self, texts: Sequence[str]) -> "Vectors":
        import numpy as np  # kept out of processes that never encode

        with self._lock:
            known = {text: self._cache[text] for text in texts if text in self._cache}
        known |= self._asked([text for text in dict.fromkeys(texts) if text not in known])
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        self._remember(known)
        return np.stack([known[text] for text in texts])

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _asked(self, texts: list[str]) -> dict[str, "Vectors"]:
        if not texts:
            return {}
        self._back_off.admit()
        budget = Budget(self._seconds, _MAX_BYTES)
        found: dict[str, Vectors] = {}
        try:
            for start in range(0, len(texts), MAX_TEXTS):
                found |= self._one_request(texts[start : start + MAX_TEXTS], budget)
        except EmbedderUnavailable as error:
            self._back_off.failed(error)
            raise
        self._back_off.worked()
        return found

    def _one_request(self, texts: list[str], budget: Budget) -> dict[str, "Vectors"]:
        # Some endpoints refuse an empty text, which means nothing anyway.
        body = {"model": self._model, "input": [text or " " for text in texts], "encoding_format": "float"}
        rows = list(_rows(_post(self._client, body, budget), len(texts)))
        return dict(zip(texts, _unit(rows, self.dimensions), strict=True))

    def _remember(self, vectors: dict[str, "Vectors"]) -> None:
        with self._lock:
            for text, vector in vectors.items():
                self._cache[text] = vector
                self._cache.move_to_end(text)
            while len(self._cache) > self._limit:
                self._cache.popitem(last=False)


def _post(client: Any, body: dict[str, Any], budget: Budget) -> Any:
    """Return what the endpoint answered, as JSON. Raises EmbedderUnavailable."""
    import httpx2
    import openai

    try:
        with budget.active():
            response: httpx2.Response = client.post(
                "/embeddings",
                cast_to=httpx2.Response,
                content=json.dumps(body).encode(),
                options={"timeout": budget.timeout(), "headers": _HEADERS},
            )
            return json.loads(response.content)
    except openai.APITimeoutError as error:
        raise trouble(troubles.TIMEOUT) from error
    except (openai.APIConnectionError, httpx2.TransportError) as error:
        if isinstance(error.__cause__, EmbedderUnavailable):
            raise error.__cause__ from None
        raise trouble(troubles.TIMEOUT if not budget.seconds else troubles.UNREACHABLE) from error
    except (ValueError, RecursionError) as error:
        raise trouble(troubles.NOT_EMBEDDINGS) from error


_HEADERS = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}


def _rows(answer: Any, expected: int) -> Iterator[list[float]]:
    """Yield the vectors in the order of the texts, as they were sent."""
    listed = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(listed, list) or len(listed) != expected:
        raise trouble(troubles.NOT_EMBEDDINGS)
    rows: dict[int, list[float]] = {}
    for place, entry in enumerate(listed):
        vector = entry.get("embedding") if isinstance(entry, dict) else None
        index = entry.get("index", place) if isinstance(entry, dict) else None
        if not isinstance(vector, list) or not isinstance(index, int):
            raise trouble(troubles.NOT_EMBEDDINGS)
        rows[index] = vector
    if set(rows) != set(range(expected)):
        raise trouble(troubles.NOT_EMBEDDINGS)
    return (rows[index] for index in range(expected))


def _unit(rows: list[list[float]], dimensions: int) -> "Vectors":
    """Return the rows with length one. Raises EmbedderUnavailable for what is no vector of this index."""
    import numpy as np

    wrong = next((len(row) for row in rows if len(row) != dimensions), None)
    if wrong is not None:
        raise trouble(troubles.DIMENSIONS, wrong)
    try:
        vectors = np.array(rows, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise trouble(troubles.NOT_NUMBERS) from error
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise trouble(troubles.NOT_NUMBERS)
    return vectors / lengths


def _refuse_bad_status(response: "httpx2.Response") -> None:
    """Turn an error status into the trouble it is, before the SDK reads the whole body, however large."""
    if response.status_code < 300:
        return
    words = redacted(refusal_text(response))
    logger.warning("embeddings endpoint: status %s: %s", response.status_code, words)
    other = troubles.FAILED if response.status_code >= 500 else troubles.REFUSED
    raise trouble(_STATUS.get(response.status_code, other))


def _client(base_url: str, api_key: str | None) -> Any:
    import openai

    parts = sdk_client(
        base_url, api_key, variable="EMBEDDINGS_API_KEY", refuse=_refuse_bad_status, max_connections=20
    )
    return openai.OpenAI(**parts)
