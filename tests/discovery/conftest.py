"""The store's people, and an endpoint of embeddings on this machine."""

from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from activities.discovery import rarities
from activities.discovery.embedding import chosen
from activities.discovery.index import state
from tests.loopback.embeddings import SIZE, EmbeddingServer
from tests.support.fixtures import effects_table, store, world

__all__ = ["effects_table", "store", "world"]


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    """What this process remembers of other tests' databases and endpoints."""
    yield
    rarities.forget()
    state._noted.clear()
    chosen._endpoint.cache_clear()


@pytest.fixture
def embeddings(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """The catalogue uses this endpoint; a search waits for it a quarter of a second."""
    monkeypatch.setattr(chosen, "SEARCH_SECONDS", 0.25)
    with EmbeddingServer().running() as server:
        settings.EMBEDDINGS_BASE_URL = server.base_url
        settings.EMBEDDINGS_MODEL = "loopback-words"
        settings.EMBEDDINGS_DIMENSIONS = SIZE
        settings.EMBEDDINGS_API_KEY = "sk-loopback"
        yield server
