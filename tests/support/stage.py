"""What the test tools do when they are called: a test sets a hook, and reads what left the house.

`effects` are rows of a table of the test database: they commit and roll back with the run. `Stage.sent` is
the world outside: what went there stays, whatever the database does.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from activities.tools import ToolContext, ToolResult

Hook = Callable[[ToolContext, Any], ToolResult | None]
TABLE = "test_store_effect"


class Killed(BaseException):
    """The process went away here: nothing after this line ran."""


@dataclass
class Stage:
    """Hooks by tool, and the requests that reached the outside, by idempotency key."""

    hooks: dict[str, Hook] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    sent: list[tuple[str, str]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def on(self, tool: str, hook: Hook) -> None:
        """Run `hook` inside `tool`, before its own work; what it returns is the tool's result."""
        self.hooks[tool] = hook

    def enter(self, tool: str, context: ToolContext, params: Any) -> ToolResult | None:
        with self.lock:
            self.calls.append(tool)
        hook = self.hooks.get(tool)
        return hook(context, params) if hook else None

    def send(self, key: str, what: str) -> None:
        with self.lock:
            self.sent.append((key, what))

    def reset(self) -> None:
        self.hooks.clear()
        self.calls.clear()
        self.sent.clear()


stage = Stage()


def raising(error: BaseException) -> Hook:
    """A hook that raises."""

    def hook(_context: ToolContext, _params: Any) -> None:
        raise error

    return hook


def returning(result: ToolResult) -> Hook:
    """A hook that gives this result instead of the tool's own."""
    return lambda _context, _params: result


def make_table() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE IF NOT EXISTS {TABLE} (tool text, key text, what text)")


def write_effect(tool: str, key: str, what: str) -> None:
    """A local effect, in the current transaction."""
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {TABLE} VALUES (%s, %s, %s)", [tool, key, what])


def effects() -> list[str]:
    """The local effects that are there now, in order of writing."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT what FROM {TABLE} ORDER BY ctid")
        return [row[0] for row in cursor.fetchall()]


def clear_effects() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {TABLE}")
