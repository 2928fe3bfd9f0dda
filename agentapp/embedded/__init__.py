"""PostgreSQL without an installation: the server that comes with the Python environment.

``hold`` is the whole interface. Whoever needs the database holds it; the first starts the server (or picks
up one that a crash left), the last one out stops it. Locks belong to the process and vanish with it, so a
killed holder never counts. Nothing starts when this package is imported.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentapp.embedded import cluster, server
from agentapp.embedded.cluster import APP_ROLE, DATABASE
from agentapp.embedded.errors import EmbeddedError
from agentapp.embedded.places import PORT, Places, find_places, prepare

__all__ = [
    "APP_ROLE",
    "DATABASE",
    "EmbeddedError",
    "Places",
    "database_settings",
    "ensure_running",
    "find_places",
    "hold",
]


def database_settings(places: Places) -> dict[str, str]:
    """Django's connection settings for the server at ``places``, running or not."""
    return {
        "NAME": DATABASE,
        "USER": APP_ROLE,
        "PASSWORD": "",
        "HOST": str(places.socket_dir),
        "PORT": str(PORT),
    }


@contextmanager
def hold(places: Places, durable: bool = True) -> Iterator[Places]:
    """Keep the server running for the length of the block."""
    places = prepare(places)
    with _open(places.users_lock) as users:
        with _exclusive(places.start_lock):
            _start(places, durable)
            fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield places
        finally:
            _leave(places, users)


def ensure_running(places: Places) -> None:
    """Bring back a server that died while it was held. Costs next to nothing while it lives."""
    if server.running_pid(places) is None:
        with _exclusive(places.start_lock):
            _start(places, durable=True)


def _start(places: Places, durable: bool) -> None:
    if server.running_pid(places) is None:
        cluster.make_cluster(places, durable)
        server.start(places, durable)
    cluster.fill_cluster(places)


def _leave(places: Places, users: int) -> None:
    """Stop the server if nobody else holds it: only then can the shared lock become an exclusive one."""
    with _exclusive(places.start_lock):
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        server.stop(places)


@contextmanager
def _open(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    with _open(path) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
