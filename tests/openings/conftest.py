"""The store, and what tests of open steps share."""

from typing import Any

import pytest

from tests.support.fixtures import effects_table, shared_world, store, world

__all__ = ["effects_table", "shared_world", "store", "world"]


@pytest.fixture(autouse=True)
def ten_are_many(settings: Any) -> None:
    """Searches begin above five tools: a test needs no more. The sizes have tests of their own."""
    settings.DISCOVERY_ALL_BELOW, settings.DISCOVERY_GROUP_UP_TO = 4, 5
