"""Which embedder is used: the built-in one, with the second beside it, or the operator's endpoint."""

from functools import cache, lru_cache

from django.conf import settings

from activities.discovery.embedder import Embedder, default_embedder
from activities.discovery.embedding.endpoint import INDEX_SECONDS, SEARCH_SECONDS, EndpointEmbedder
from activities.discovery.embedding.minilm import MiniLM
from activities.discovery.embedding.paired import PairedEmbedder


def search_embedder() -> Embedder:
    """Return the embedder that requests are encoded with; it keeps nobody waiting for long."""
    return _chosen(SEARCH_SECONDS)


def index_embedder() -> Embedder:
    """Return the same for cards, in the background: it has more time for many texts."""
    return _chosen(INDEX_SECONDS)


def local_embedder() -> Embedder:
    """Return the embedder that runs in this process, whatever the catalogue uses."""
    return _pair() if settings.SECOND_ENCODER else default_embedder()


def warm() -> None:
    """Load the local embedder now, so that no person waits for it. Raises EmbedderUnavailable."""
    local_embedder().encode(["ready"])


@cache
def _pair() -> PairedEmbedder:
    return PairedEmbedder(default_embedder(), MiniLM())


def _chosen(seconds: float) -> Embedder:
    if not settings.EMBEDDINGS_MODEL:
        return local_embedder()
    return _endpoint(
        settings.EMBEDDINGS_BASE_URL,
        settings.EMBEDDINGS_MODEL,
        settings.EMBEDDINGS_DIMENSIONS,
        settings.EMBEDDINGS_API_KEY,
        seconds,
    )


@lru_cache(maxsize=2)
def _endpoint(
    base_url: str, model: str, dimensions: int, api_key: str | None, seconds: float
) -> EndpointEmbedder:
    return EndpointEmbedder(
        base_url=base_url, model=model, dimensions=dimensions, api_key=api_key, seconds=seconds
    )
