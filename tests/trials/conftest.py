"""The store of the tests, and trials of it."""

from tests.support.fixtures import effects_table, shared_world, store, world

__all__ = ["effects_table", "shared_world", "store", "world"]
