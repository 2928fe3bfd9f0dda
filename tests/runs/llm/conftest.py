"""The store of the tests, for whole runs at an endpoint."""

from tests.support.fixtures import effects_table, store, world

__all__ = ["effects_table", "store", "world"]
