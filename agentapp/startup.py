"""What has to be true before the site can be served: migrated, seeded, static files collected.

Each step finds out quickly that it has nothing to do.
"""

import hashlib
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command, get_commands
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

from activities.discovery import index
from agentapp.config import refuse


def prepare(say: Callable[[str], object]) -> None:
    """Everything, in order; closes its database connection, so that processes may be started after it.

    ``say`` is told, in a sentence, when something takes a moment.
    """
    try:
        require_database()
        migrate(say)
        seed_demo()
        index.refresh()
        collect_static()
    finally:
        connection.close()


def require_database() -> None:
    """A database out of reach ends the start with a sentence; the driver's words name no password."""
    try:
        connection.ensure_connection()
    except OperationalError as error:
        problem = " ".join(str(error).split())
        refuse([f"The database of DATABASE_URL cannot be used: {problem} Start it, or correct DATABASE_URL."])


def migrate(say: Callable[[str], object]) -> None:
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        say("Preparing the database; this takes a moment.")
        call_command("migrate", interactive=False, verbosity=0)


def seed_demo() -> None:
    """The command itself does nothing where its data exists already. Who may sign in is said at the end."""
    if settings.DEMO and settings.DEMO_SEED_COMMAND in get_commands():
        call_command(settings.DEMO_SEED_COMMAND, stdout=StringIO())


def collect_static() -> None:
    """Again only when a source changed since the last time."""
    if settings.DEBUG:
        return
    fingerprint = _static_fingerprint()
    kept = Path(settings.VAR_DIR) / "static.fingerprint"
    if kept.exists() and kept.read_text() == fingerprint:
        return
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    kept.write_text(fingerprint)


def _static_fingerprint() -> str:
    digest = hashlib.sha256(str(settings.STATIC_ROOT).encode())
    for path in sorted(_static_sources()):
        status = path.stat()
        digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _static_sources() -> Iterator[Path]:
    for finder in get_finders():
        for name, storage in finder.list([]):
            yield Path(storage.path(name))
