"""Fixtures of the store; a folder's conftest imports them."""

from collections.abc import Iterator

import pytest

from tests.support import store as store_app
from tests.support.stage import Stage, clear_effects, make_table, stage
from tests.support.world import World


@pytest.fixture
def store() -> Iterator[Stage]:
    """The store's tools are installed for this test."""
    store_app.register()
    stage.reset()
    try:
        yield stage
    finally:
        stage.reset()
        store_app.unregister()


@pytest.fixture(scope="session")
def effects_table(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> None:
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        make_table()


@pytest.fixture
def world(effects_table: None, store: Stage, db: None) -> World:
    """The people and the store. What a test writes is rolled back."""
    return World.make()


@pytest.fixture
def shared_world(effects_table: None, store: Stage, transactional_db: None) -> Iterator[World]:
    """As `world`, committed: for tests with several connections."""
    clear_effects()
    yield World.make()
    clear_effects()
