"""The audit history: appending to it, and proving it.

Each stream (a run, a person, a workspace) is a chain: an event's hash covers its content, its number and the
hash before it. Seals join the chains (`accounts.seals`). Events are written in the transaction of the
change they tell about, which also wakes those who watch.

    body = digest({stream, workspace, type, actor, actor_kind, at, data})
    hash = digest({body, previous, seq})

`digest` is SHA-256 over RFC 8785 JSON. The second line is computed by the database function
`audit_append_many`, under the stream's lock.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, cast
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import ActorKind, AuditEvent, AuditStream, User, Workspace
from agentapp.kernel import broadcast
from agentapp.kernel.canonical import digest, dumps, plain
from agentapp.kernel.errors import Misconfigured
from agentapp.kernel.gathering import ask
from agentapp.kernel.text import clean_value

_APPEND = """
    SELECT appended.*{also}
    FROM audit_append_many(
        %s::uuid, %s::uuid, %s::text[], %s::uuid, %s::text[], %s, %s::jsonb[], %s::text[]
    ) AS appended
"""


class OutsideTransaction(Misconfigured):
    """An event was recorded outside the transaction of its change."""

    code = "outside_transaction"


@dataclass(frozen=True)
class Draft:
    """An event to be recorded: what, by which kind of actor, and its data (JSON-like, see `storable`)."""

    type: str
    actor_kind: ActorKind | str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Verification:
    """What checking one chain found. `problem` is empty when it holds; `seq` is where it broke."""

    stream: UUID
    events: int
    problem: str = ""
    seq: int | None = None

    @property
    def ok(self) -> bool:
        return not self.problem


def record(
    *,
    stream: UUID,
    type: str,  # noqa: A002 - the column's name
    workspace: Workspace | UUID | None,
    actor: User | UUID | None,
    data: Mapping[str, Any],
    actor_kind: ActorKind | str | None = None,
    topic: UUID | None = None,
) -> AuditEvent:
    """Append one event to `stream`, in the current transaction, and wake those who watch `topic`.

    What `actor_kind` leaves open, `kind_of` says.
    `workspace` and `actor` may be given by their keys. One round trip to the database.
    The stream stays locked until the transaction ends. Raises OutsideTransaction where no
    transaction is open.
    """
    draft = Draft(type, actor_kind or kind_of(actor), data)
    return record_many([draft], stream=stream, workspace=workspace, actor=actor, topic=topic)[0]


def kind_of(actor: User | UUID | None) -> ActorKind:
    """A person acts under their name; without an actor the operator did it."""
    return ActorKind.PERSON if actor else ActorKind.OPERATOR


def record_many(
    drafts: Sequence[Draft],
    *,
    stream: UUID,
    workspace: Workspace | UUID | None,
    actor: User | UUID | None,
    topic: UUID | None = None,
) -> list[AuditEvent]:
    """Append several events to one stream, in order, for the price of one. See `record`."""
    if not drafts:
        return []
    _require_transaction(drafts[0].type)
    at = timezone.now()  # one time for all: they were caused together
    events = [_event(stream, workspace, actor, draft, at) for draft in drafts]
    types, kinds = [event.type for event in events], [event.actor_kind for event in events]
    data, bodies = [dumps(event.data) for event in events], [body_digest(event) for event in events]
    first = events[0]
    sql, waking = _waking(topic, first)
    rows = ask(sql, [*waking, stream, first.workspace_id, types, first.actor_id, kinds, at, data, bodies])
    for event, row in zip(events, rows, strict=True):
        _appended(event, row)
    return events


def storable(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return `data` as it reads back from the database: plain JSON, clean text, numbers that survive.

    A float that is a whole number becomes an integer, one that JSON cannot write becomes a string: read back,
    they would hash differently.
    """
    return cast(dict[str, Any], _settled(clean_value(plain(dict(data)))))


def body_digest(event: AuditEvent) -> str:
    """Return the digest of what an event says, without its place in the chain."""
    return digest(
        {
            "stream": event.stream,
            "workspace": event.workspace_id,
            "type": event.type,
            "actor": event.actor_id,
            "actor_kind": event.actor_kind,
            "at": event.at.astimezone(UTC),
            "data": event.data,
        }
    )


def chain_hash(event: AuditEvent) -> str:
    """Return the hash an event must have."""
    return digest({"body": body_digest(event), "previous": event.previous_hash, "seq": event.seq})


def verify_stream(stream: UUID) -> Verification:
    """Recompute the whole chain of one stream. Its writers wait meanwhile."""
    with transaction.atomic():
        head = AuditStream.objects.select_for_update(no_key=True).filter(stream=stream).first()
        events = AuditEvent.objects.filter(stream=stream).order_by("seq")
        return _verified(stream, events.iterator(chunk_size=500), head)


def verify_all() -> Iterator[Verification]:
    """Check every stream, one after the other, in constant memory."""
    events = AuditEvent.objects.order_by("stream", "seq").iterator(chunk_size=2000)
    for stream, group in groupby(events, key=lambda event: event.stream):
        found = _verified(stream, group, AuditStream.objects.filter(stream=stream).first())
        # An event written between the two reads looks like a missing one: look again under the lock.
        yield found if found.ok else verify_stream(stream)
    for head in _heads_without_events():
        yield Verification(head.stream, 0, "Every event of the stream is gone.", seq=1)


def _event(
    stream: UUID, workspace: Workspace | UUID | None, actor: User | UUID | None, draft: Draft, at: datetime
) -> AuditEvent:
    return AuditEvent(
        stream=stream,
        workspace_id=_key(workspace),
        type=draft.type,
        actor_id=_key(actor),
        actor_kind=ActorKind(draft.actor_kind).value,
        at=at,
        data=storable(draft.data),
    )


def _key(row: Workspace | User | UUID | None) -> UUID | None:
    """Return the key of a row that may not have been loaded."""
    return row if row is None or isinstance(row, UUID) else row.pk


def _appended(event: AuditEvent, row: tuple[Any, ...]) -> None:
    """Give `event` what the database decided."""
    event.id, event.seq, event.previous_hash, event.hash = row[:4]
    event._state.adding = False
    event._state.db = connection.alias


def _waking(topic: UUID | None, event: AuditEvent) -> tuple[str, list[str]]:
    """Return the statement with the notification in it, and the notification's parameters."""
    notification = broadcast.expression(topic, {"stream": str(event.stream)}) if topic is not None else None
    if notification is None:
        return _APPEND.format(also=""), []
    sql, parameters = notification
    return _APPEND.format(also=f", {sql}"), parameters


def _require_transaction(event_type: str) -> None:
    if not connection.in_atomic_block:
        raise OutsideTransaction(
            f"The event {event_type} must be recorded in the transaction of its change:"
            " wrap both in transaction.atomic()."
        )


def _settled(value: Any) -> Any:
    if isinstance(value, float):
        return _settled_float(value)
    if isinstance(value, dict):
        return {key: _settled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_settled(item) for item in value]
    return value


def _settled_float(value: float) -> Any:
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    return plain(int(value)) if value.is_integer() else value


def _heads_without_events() -> Iterator[AuditStream]:
    events = AuditEvent.objects.filter(stream=OuterRef("stream"))
    return AuditStream.objects.filter(~Exists(events)).iterator()


def _verified(stream: UUID, events: Iterator[AuditEvent], head: AuditStream | None) -> Verification:
    seq, previous, count = 0, "", 0
    for event in events:
        problem = _link_problem(event, seq + 1, previous)
        if problem:
            return Verification(stream, count, problem, event.seq)
        seq, previous, count = event.seq, event.hash, count + 1
    problem = _head_problem(head, seq, previous)
    return Verification(stream, count, problem, seq if problem else None)


def _link_problem(event: AuditEvent, seq: int, previous: str) -> str:
    if event.seq != seq:
        return f"Event {seq} is missing."
    if event.previous_hash != previous:
        return f"Event {seq} does not continue the event before it."
    return "" if event.hash == chain_hash(event) else f"Event {seq} is not what was recorded."


def _head_problem(head: AuditStream | None, seq: int, last: str) -> str:
    if head is None:
        return "The stream's head is missing." if seq else ""
    return "" if (head.seq, head.hash) == (seq, last) else f"The events after {seq} are missing."
