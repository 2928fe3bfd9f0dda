"""Waking those who watch: a notification that leaves with the transaction that caused it.

`publish` sends PostgreSQL NOTIFY inside the current transaction, so a rolled-back change wakes nobody and
a committed one always does. The payload only says where to look; what happened is read from the rows.
With REDIS_URL set, a channel layer shared by all web processes carries the same payload after commit.
"""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import connection, transaction

CHANNEL = "mandate_events"
#: PostgreSQL refuses notifications of 8,000 bytes and more.
_MAX_BYTES = 7_500


def group_name(topic: UUID | str) -> str:
    """Return the channel-layer group of a topic."""
    return f"topic.{topic}"


def publish(topic: UUID, payload: Mapping[str, Any]) -> None:
    """Wake those who watch `topic`, when the current transaction commits. `payload` is small JSON."""
    notification = expression(topic, payload)
    if notification is None:
        return
    sql, parameters = notification
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {sql}", parameters)


def expression(topic: UUID, payload: Mapping[str, Any]) -> tuple[str, list[str]] | None:
    """Return SQL that notifies as a part of a statement, for a writer that has one to spare a round trip.

    None when nothing is left to do: a shared channel layer carries it after the commit.
    """
    body = json.dumps({"topic": str(topic), **payload}, separators=(",", ":"))
    if len(body.encode()) > _MAX_BYTES:
        raise ValueError("A notification says where to look; it does not carry the thing itself.")
    if settings.REDIS_URL:
        transaction.on_commit(lambda: _send(topic, json.loads(body)))
        return None
    return "pg_notify(%s, %s)", [CHANNEL, body]


def _send(topic: UUID, payload: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if layer is not None:
        async_to_sync(layer.group_send)(group_name(topic), {"type": "topic.changed", "payload": payload})
