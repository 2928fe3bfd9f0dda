"""Which database this process uses: the operator's, or the embedded one."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from psycopg.conninfo import conninfo_to_dict

from agentapp.config import Config, get_config, refuse
from agentapp.embedded import EmbeddedError, Places, database_settings, ensure_running, find_places, hold

POOL_TIMEOUT_SECONDS = 10
#: A statement is prepared when it is sent for the third time on a connection.
PREPARED_FROM = 2
PARTS = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
ENGINE = "django.db.backends.postgresql"


def embedded_places(config: Config) -> Places:
    """Where the embedded server is; ends the process with a sentence when it cannot be anywhere."""
    try:
        return find_places(config.var_dir, config.pgdata_dir)
    except EmbeddedError as error:
        refuse([str(error)])


@contextmanager
def embedded_database() -> Iterator[Callable[[], None]]:
    """Keep the embedded server running for the block; nothing to do when DATABASE_URL names another.

    Yields what to call now and then in a long block: it brings back a server that died.
    """
    config = get_config()
    with ExitStack() as stack:
        if config.database_url is not None:
            yield lambda: None
            return
        try:
            places = stack.enter_context(hold(embedded_places(config)))
        except EmbeddedError as error:
            refuse([str(error)])
        yield lambda: ensure_running(places)


def django_database(config: Config) -> dict[str, Any]:
    """The ``default`` entry of Django's DATABASES."""
    if config.database_url is not None:
        parts = from_url(config.database_url.get_secret_value())
    else:
        parts = {**database_settings(embedded_places(config)), "OPTIONS": {}}
    if config.database_pool:
        size = {"min_size": 1, "max_size": config.database_pool, "timeout": POOL_TIMEOUT_SECONDS}
        parts["OPTIONS"]["pool"] = size
    if config.database_prepared:
        parts["OPTIONS"] |= {"server_side_binding": True, "prepare_threshold": PREPARED_FROM}
    return {"ENGINE": ENGINE, "CONN_HEALTH_CHECKS": True, "CONN_MAX_AGE": 0, **parts}


def from_url(url: str) -> dict[str, Any]:
    """Django's settings from a PostgreSQL URL; what Django has no name for (``sslmode``) is an option."""
    parts = conninfo_to_dict(url)
    named = {name: str(parts.pop(key, None) or "") for name, key in PARTS.items()}
    return {**named, "OPTIONS": parts}
