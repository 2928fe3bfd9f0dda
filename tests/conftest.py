"""Every test's ground: the tests' own environment and database, and no network beyond this machine."""

# ruff: noqa: E402 - the environment comes before Django

from tests import environment, network

environment.enter()
network.forbid()

import django

django.setup()

from collections.abc import Iterator

import hypothesis
import pytest
from django.conf import settings

from tests import databases

# A busy machine is slow, not wrong; and the same commit is always tried with the same examples.
hypothesis.settings.register_profile(
    "mandate",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("mandate")

pytest_plugins = ["tests.live"]


@pytest.fixture(scope="session")
def database_server() -> Iterator[databases.TestServer]:
    """The embedded PostgreSQL of the tests, shared by all test runs on this machine."""
    with databases.running() as server:
        yield server


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, database_server: databases.TestServer
) -> None:
    """Each test run has a database of its own, copied from one that has all migrations."""
    databases.use_template(database_server.migrated_template())


@pytest.fixture(autouse=True, scope="session")
def _flush_passes_triggers() -> Iterator[None]:
    """Emptying the tables after a transactional test is not a change the audit has to refuse.

    For the whole session: a test's own patches are undone before its database is emptied.
    """
    with pytest.MonkeyPatch.context() as patch:
        databases.let_flush_pass(patch)
        yield


@pytest.fixture(autouse=True, scope="session")
def _plain_static_files() -> None:
    """In-process tests need no collected static files."""
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
