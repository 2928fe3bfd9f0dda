"""One ear per web process: PostgreSQL's notifications become messages of the channel layer.

Not used with REDIS_URL: there the writer itself sends to a layer that all processes share. A notification
is only a hint where to look; while the ear was deaf (the database restarted) hints are lost, so that after
each reconnection every socket is told to look again.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import connections
from psycopg import sql

from agentapp.kernel import broadcast

log = logging.getLogger(__name__)
#: Every socket is in this group.
EVERYBODY = "topic.everybody"
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0


class Listener:
    """Listens on one connection of its own, on the loop it was started on, until that loop ends."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Event | None = None
        self._deaf_before = False

    async def ensure_listening(self, patience: float = 2.0) -> None:
        """Start listening unless this loop's listener already does; wait until it hears, at most `patience`.

        A database that is down does not keep anybody waiting longer: it is heard again when it is back.
        """
        if settings.REDIS_URL:
            return
        loop = asyncio.get_running_loop()
        if self._task is None or self._task.done() or self._task.get_loop() is not loop:
            self._ready = asyncio.Event()
            self._deaf_before = False
            self._task = loop.create_task(self._listen(self._ready), name="mandate-listener")
        if self._ready is not None and not self._ready.is_set():
            waiting = asyncio.ensure_future(self._ready.wait())
            await asyncio.wait([waiting], timeout=patience)
            waiting.cancel()

    async def _listen(self, ready: asyncio.Event) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                async with _connected() as connection:
                    pause = _FIRST_PAUSE
                    await self._heard_again(ready)
                    async for notification in connection.notifies():
                        await _forward(notification.payload)
            except psycopg.OperationalError as error:
                ready.clear()
                log.warning("The database does not answer; listening again in %.1f s: %s", pause, error)
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    async def _heard_again(self, ready: asyncio.Event) -> None:
        ready.set()
        if self._deaf_before:
            await _send(EVERYBODY, {"type": "topic.refresh"})
        self._deaf_before = True


listener = Listener()


@asynccontextmanager
async def _connected() -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    connection = await psycopg.AsyncConnection.connect(**_parameters(), autocommit=True)
    async with connection:
        await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(broadcast.CHANNEL)))
        yield connection


def _parameters() -> dict[str, Any]:
    """What libpq needs to reach the same database as the ORM."""
    database = connections["default"].settings_dict
    named = {
        "dbname": database["NAME"],
        "user": database["USER"],
        "password": database["PASSWORD"],
        "host": database["HOST"],
        "port": database["PORT"],
    }
    options = {key: value for key, value in database["OPTIONS"].items() if key.startswith("ssl")}
    known = {key: value for key, value in named.items() if value}
    return {**known, **options, "connect_timeout": 5, "keepalives_idle": 30}


async def _forward(text: str) -> None:
    payload = json.loads(text)
    topic = payload.get("topic")
    if topic:
        await _send(broadcast.group_name(topic), {"type": "topic.changed", "payload": payload})


async def _send(group: str, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if layer is not None:
        await layer.group_send(group, message)
