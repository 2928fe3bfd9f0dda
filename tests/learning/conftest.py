"""The store, and requests that were refused in it."""

from tests.desk.conftest import desk, sign_in
from tests.support.fixtures import effects_table, shared_world, store, world

__all__ = ["desk", "effects_table", "shared_world", "sign_in", "store", "world"]
