"""The store, and what tests of open steps share."""

from tests.support.fixtures import effects_table, shared_world, store, world

__all__ = ["effects_table", "shared_world", "store", "world"]
