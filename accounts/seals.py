"""Seals: one digest over the heads of all chains touched since the seal before.

A chain proves that nothing inside it changed; a seal proves that the chains themselves are the ones that
were there. Keep the latest seal's hash somewhere else (a log, a mail) and the whole history can be held
against it.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import Max, QuerySet
from django.utils import timezone
from psycopg.errors import LockNotAvailable

from accounts.models import AuditEvent, AuditSeal
from agentapp.kernel.canonical import digest
from agentapp.kernel.errors import Actor, Conflict

#: Number of the advisory lock that keeps two sealers apart.
_SEALER = 5_401_123
_LOCK_TIMEOUT = "3s"


class SealBusy(Conflict):
    """A long transaction holds the history open; nothing was sealed, a later try will do."""

    code = "seal_busy"
    actor = Actor.OPERATOR


@dataclass(frozen=True)
class SealCheck:
    """What checking one seal found; `problem` is empty when it holds."""

    seal: AuditSeal
    problem: str = ""

    @property
    def ok(self) -> bool:
        return not self.problem


@dataclass(frozen=True)
class Heads:
    """The ends of the chains inside a range of events."""

    events: int
    streams: int
    root: str


def seal() -> AuditSeal | None:
    """Seal all events recorded since the last seal. Returns None when there is none. Raises SealBusy."""
    last = _settled_event_id()
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_SEALER])
        previous = AuditSeal.objects.order_by("-id").first()
        first = previous.last_event + 1 if previous else 1
        heads = _heads(first, last)
        return _write(previous, first, last, heads) if heads.events else None


def verify_seals() -> Iterator[SealCheck]:
    """Recompute every seal from the events it covers, oldest first."""
    previous: AuditSeal | None = None
    for each in AuditSeal.objects.order_by("id").iterator():
        yield SealCheck(each, _problem(each, previous))
        previous = each


def seal_hash(seal: AuditSeal) -> str:
    """Return the hash a seal must have."""
    content: dict[str, Any] = {
        "at": seal.at.astimezone(UTC),
        "first_event": seal.first_event,
        "last_event": seal.last_event,
        "events": seal.events,
        "streams": seal.streams,
        "root": seal.root,
        "previous": seal.previous_hash,
    }
    return digest(content)


def _settled_event_id() -> int:
    """Return the highest id below which no event can appear any more.

    Ids are given before their transactions commit, so a lower id may still be on its way. The lock waits for
    the writers that are under way and is held for one look only.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'")
            cursor.execute("LOCK TABLE audit_event IN SHARE ROW EXCLUSIVE MODE")
            return AuditEvent.objects.aggregate(last=Max("id"))["last"] or 0
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            raise SealBusy(
                "A transaction under way keeps the history open. Seal again in a moment."
            ) from error
        raise


def _write(previous: AuditSeal | None, first: int, last: int, heads: Heads) -> AuditSeal:
    new = AuditSeal(
        at=timezone.now(),
        first_event=first,
        last_event=last,
        events=heads.events,
        streams=heads.streams,
        root=heads.root,
        previous_hash=previous.hash if previous else "",
    )
    new.hash = seal_hash(new)
    new.save(force_insert=True)
    return new


def _heads(first: int, last: int) -> Heads:
    covered: QuerySet[AuditEvent] = AuditEvent.objects.filter(id__range=(first, last))
    root, streams = hashlib.sha256(), 0
    ends = covered.order_by("stream", "-seq").distinct("stream").values_list("stream", "seq", "hash")
    for stream, seq, hash_ in ends.iterator(chunk_size=2000):
        root.update(f"{stream}:{seq}:{hash_}\n".encode())
        streams += 1
    return Heads(covered.count(), streams, root.hexdigest())


def _problem(seal: AuditSeal, previous: AuditSeal | None) -> str:
    if seal.hash != seal_hash(seal):
        return "The seal is not what was written."
    if seal.previous_hash != (previous.hash if previous else ""):
        return "The seal before it is missing or another one."
    if seal.first_event != (previous.last_event + 1 if previous else 1):
        return "Events between this seal and the one before it are covered by none."
    heads = _heads(seal.first_event, seal.last_event)
    if (heads.events, heads.streams, heads.root) != (seal.events, seal.streams, seal.root):
        return "The events it covers are not the ones that were sealed."
    return ""
