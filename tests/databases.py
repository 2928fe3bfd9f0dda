"""The tests' databases: one server for all test runs, one database for each, copied from a template."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
import pytest
from django.conf import settings
from django.db import connection, connections
from psycopg import sql

from agentapp import embedded
from agentapp.config import get_config
from agentapp.database import embedded_places
from agentapp.embedded.cluster import superuser
from agentapp.embedded.places import PORT
from tests.environment import REPOSITORY, RUN_ID

RUN_PREFIX = "test_mandate_"
KEPT_TEMPLATES = 6
#: Number of an advisory lock: one process builds a template, the others wait for it.
TEMPLATE_LOCK = 7_301_977
SOURCES = ("agentapp", "accounts", "activities", "runs", "examples", "static")
TRUNCATE_TRIGGERS = """
    SELECT tgrelid::regclass::text, tgname, tgenabled::text FROM pg_trigger
    WHERE NOT tgisinternal AND tgtype & 32 <> 0 AND tgenabled <> 'D'
"""


@dataclass(frozen=True)
class TestServer:
    """The running server."""

    __test__ = False
    places: embedded.Places

    def url(self, name: str) -> str:
        """DATABASE_URL of one of its databases, as the application's role."""
        host = quote(str(self.places.socket_dir), safe="")
        return f"postgresql://{embedded.APP_ROLE}@{host}:{PORT}/{name}"

    def migrated_template(self) -> str:
        """A database with all migrations and no data; made again when a migration changes."""
        name = f"template_migrated_{_digest('migrations/*.py', 'apps.py')}"
        return self._template(name, ["migrate"], "template1")

    def demo_template(self) -> str:
        """A database with the demonstration's data; made again when any source file changes.

        Static files are collected with it, so that a browser is never served older ones.
        """
        return self._template(
            f"template_demo_{_digest('*.py', '*.js', '*.css', '*.yaml')}",
            ["prepare"],
            self.migrated_template(),
        )

    def copy(self, template: str, name: str) -> None:
        self._run("CREATE DATABASE {} TEMPLATE {} OWNER {}", name, template, embedded.APP_ROLE)

    def drop(self, name: str) -> None:
        self._run("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)

    def names(self, prefix: str) -> list[str]:
        """Newest first."""
        with superuser(self.places, "postgres") as server:
            query = "SELECT datname FROM pg_database WHERE starts_with(datname, %s) ORDER BY oid DESC"
            return [row[0] for row in server.execute(query, [prefix])]

    def _template(self, name: str, command: list[str], source: str) -> str:
        """The database ``name``: a copy of ``source``, completed by one of our commands."""
        with superuser(self.places, "postgres") as lock:
            lock.execute("SELECT pg_advisory_lock(%s)", [TEMPLATE_LOCK])
            if not self.names(name):
                self._build(name, command, source)
                self._forget_old_templates()
        return name

    def _build(self, name: str, command: list[str], source: str) -> None:
        draft = f"draft_{name}"
        self.drop(draft)
        self.copy(source, draft)
        manage(command, {"DATABASE_URL": self.url(draft)})
        self._run("ALTER DATABASE {} RENAME TO {}", draft, name)

    def _forget_old_templates(self) -> None:
        for name in self.names("template_")[KEPT_TEMPLATES:]:
            if name not in {"template0", "template1"}:
                self.drop(name)

    def _run(self, statement: str, *names: str) -> None:
        with superuser(self.places, "postgres") as server:
            server.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


@contextmanager
def running() -> Iterator[TestServer]:
    with embedded.hold(embedded_places(get_config()), durable=False) as places:
        server = TestServer(places)
        _drop_abandoned(server)
        yield server


def manage(arguments: list[str], env: dict[str, str]) -> None:
    """Run ``manage.py`` and fail with what it said."""
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(
        command,
        cwd=REPOSITORY,
        env=os.environ | env,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        pytest.fail(
            f"{' '.join(arguments)} failed:\n{done.stdout[-4000:]}\n{done.stderr[-8000:]}", pytrace=False
        )


def use_template(template: str) -> None:
    """Let Django create this run's test database from ``template``."""
    test = connections["default"].settings_dict["TEST"]
    suffix = os.environ.get("PYTEST_XDIST_WORKER", "main")
    test["NAME"] = settings.DATABASES["default"]["TEST"]["NAME"] = f"{RUN_PREFIX}{RUN_ID}_{suffix}"
    test["TEMPLATE"] = template


def let_flush_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Django empties the tables after a transactional test; triggers that forbid it rest meanwhile."""
    original = type(connection.ops).execute_sql_flush

    def execute_sql_flush(self: Any, sql_list: list[str]) -> None:
        original(self, [*_triggers("DISABLE"), *sql_list, *_triggers(None)])

    monkeypatch.setattr(type(connection.ops), "execute_sql_flush", execute_sql_flush)


def _triggers(action: str | None) -> list[str]:
    """Statements that switch every TRUNCATE trigger off, or back to what it was."""
    states = {"O": "ENABLE", "A": "ENABLE ALWAYS", "R": "ENABLE REPLICA"}
    quote_name = connection.ops.quote_name
    with connection.cursor() as cursor:
        cursor.execute(TRUNCATE_TRIGGERS)
        rows = cursor.fetchall()
    return [
        f"ALTER TABLE {table} {action or states[state]} TRIGGER {quote_name(name)};"
        for table, name, state in rows
    ]


def _drop_abandoned(server: TestServer) -> None:
    """Databases of test runs whose process is gone."""
    for name in server.names(RUN_PREFIX):
        run = name.removeprefix(RUN_PREFIX).split("_")[0]
        if run.isdigit() and not psutil.pid_exists(int(run)):
            server.drop(name)


def _digest(*patterns: str) -> str:
    digest = hashlib.sha256((REPOSITORY / "requirements.txt").read_bytes())
    for path in sorted(
        {path for folder in SOURCES for pattern in patterns for path in _matching(folder, pattern)}
    ):
        digest.update(str(path).encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _matching(folder: str, pattern: str) -> Iterator[Path]:
    return (REPOSITORY / folder).rglob(pattern)
