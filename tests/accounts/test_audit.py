"""The history: chained, in the transaction of the change, and not to be altered unseen."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.db.models import F
from django.db.models.deletion import ProtectedError
from hypothesis import given
from hypothesis import strategies as st
from psycopg.errors import InsufficientPrivilege

from accounts import audit, seals
from accounts.models import AuditEvent, AuditSeal, AuditStream
from agentapp.kernel.broadcast import CHANNEL
from agentapp.kernel.canonical import digest
from agentapp.kernel.ids import uuid7
from tests.accounts.conftest import House, make_user

TABLES = {"audit_event": AuditEvent, "audit_seal": AuditSeal}


def write(
    stream: UUID, event_type: str = "thing.done", topic: UUID | None = None, **data: object
) -> AuditEvent:
    with transaction.atomic():
        return audit.record(
            stream=stream,
            type=event_type,
            workspace=None,
            actor=None,
            actor_kind="system",
            data=data,
            topic=topic,
        )


def undone(stream: UUID, topic: UUID | None = None) -> None:
    """Write an event in a transaction that does not last."""
    with transaction.atomic():
        write(stream, "undone", topic)
        transaction.set_rollback(True)


@contextmanager
def tampering(table: str = "audit_event") -> Iterator[None]:
    """What only the tables' owner can do: put the trigger aside."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {table}_append_only")
        yield
        cursor.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_append_only")


def change(stream: UUID, seq: int, values: dict[str, object]) -> None:
    with tampering():
        assert AuditEvent.objects.filter(stream=stream, seq=seq).update(**values) == 1


@pytest.mark.django_db
def test_events_form_a_chain() -> None:
    stream = uuid7()
    first, second = write(stream, note="one"), write(stream, note="two")
    assert (first.seq, first.previous_hash) == (1, "")
    assert (second.seq, second.previous_hash) == (2, first.hash)
    stored = AuditEvent.objects.get(pk=second.pk)
    assert stored.hash == audit.chain_hash(stored) == second.hash
    head = AuditStream.objects.get(stream=stream)
    assert (head.seq, head.hash) == (2, second.hash)
    assert audit.verify_stream(stream) == audit.Verification(stream, 2)


@pytest.mark.django_db
def test_the_hash_can_be_computed_elsewhere(house: House) -> None:
    stream = uuid7()
    at_start = datetime.now(UTC)
    event = audit.record(
        stream=stream,
        type="x.y",
        workspace=house.workspace,
        actor=house.owner,
        actor_kind="person",
        data={"a": 1},
    )
    assert event.at >= at_start
    body = {
        "stream": str(stream),
        "workspace": str(house.workspace.pk),
        "type": "x.y",
        "actor": str(house.owner.pk),
        "actor_kind": "person",
        "at": event.at.isoformat(),
        "data": {"a": 1},
    }
    assert event.hash == digest({"body": digest(body), "previous": "", "seq": 1})


def test_keys_do_instead_of_rows(house: House) -> None:
    stream = uuid7()
    audit.record(
        stream=stream,
        type="x.y",
        workspace=house.workspace.pk,
        actor=house.owner.pk,
        actor_kind="person",
        data={},
    )
    stored = AuditEvent.objects.get(stream=stream)
    assert (stored.workspace, stored.actor) == (house.workspace, house.owner)


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_is_refused() -> None:
    with pytest.raises(audit.OutsideTransaction, match=r"x\.y"):
        audit.record(stream=uuid7(), type="x.y", workspace=None, actor=None, actor_kind="system", data={})
    with pytest.raises(audit.OutsideTransaction):
        audit.record_many([audit.Draft("x.y", "system", {})], stream=uuid7(), workspace=None, actor=None)
    assert not AuditEvent.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_rolled_back_event_leaves_no_gap() -> None:
    stream = uuid7()
    write(stream)
    undone(stream)
    assert write(stream).seq == 2
    assert audit.verify_stream(stream).ok


@pytest.mark.django_db
def test_many_is_the_same_chain() -> None:
    stream = uuid7()
    write(stream, n=0)
    drafts = [audit.Draft(f"n.{n}", "model", {"n": n}) for n in range(1, 21)]
    events = audit.record_many(drafts, stream=stream, workspace=None, actor=None)
    assert [event.seq for event in events] == list(range(2, 22))
    assert [event.data["n"] for event in AuditEvent.objects.filter(stream=stream).order_by("seq")] == list(
        range(21)
    )
    assert audit.verify_stream(stream) == audit.Verification(stream, 21)
    assert audit.record_many([], stream=stream, workspace=None, actor=None) == []


@pytest.mark.django_db
def test_one_round_trip(django_assert_num_queries) -> None:
    with django_assert_num_queries(1):
        audit.record(stream=uuid7(), type="x", workspace=None, actor=None, actor_kind="system", data={})
    drafts = [audit.Draft("x", "system", {})] * 10
    with django_assert_num_queries(1):
        audit.record_many(drafts, stream=uuid7(), workspace=None, actor=None)


@pytest.mark.django_db(transaction=True)
def test_writers_of_one_stream_queue() -> None:
    stream, writers, each = uuid7(), 4, 15
    start = threading.Barrier(writers)

    def work() -> None:
        try:
            start.wait()
            for _ in range(each):
                write(stream)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert audit.verify_stream(stream) == audit.Verification(stream, writers * each)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.decimals(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_whatever_is_written_reads_back_the_same(value: object) -> None:
    stored = audit.storable({"value": value})
    assert json.loads(json.dumps(stored)) == stored
    assert audit.storable(stored) == stored
    assert digest(stored)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "value",
    [
        1e22, -0.0, 0.1, 5e-324, 1e16, float("nan"), float("inf"), 2**60, Decimal("0.10"), "a\x00b", "\ud800",
        {"\x00k": ["é", "e\u0301"]}, datetime(2025, 1, 2, tzinfo=UTC), ("t", {"s"}),
    ],
    ids=repr,
)  # fmt: skip
def test_odd_values_verify(value: object) -> None:
    stream = uuid7()
    write(stream, value=value)
    assert audit.verify_stream(stream) == audit.Verification(stream, 1)


# --- append only


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {t} SET hash = ''",
        "UPDATE {t} SET hash = '' WHERE false",
        "DELETE FROM {t}",
        "TRUNCATE {t}",
        "TRUNCATE {t} RESTART IDENTITY CASCADE",
    ],
)
@pytest.mark.django_db
def test_raw_sql_changes_are_refused(table: str, statement: str) -> None:
    write(uuid7())
    seals.seal()
    assert_refused(lambda: connection.cursor().execute(statement.format(t=table)))


@pytest.mark.parametrize("model", [AuditEvent, AuditSeal])
@pytest.mark.django_db
def test_orm_changes_are_refused(model: type[AuditEvent] | type[AuditSeal]) -> None:
    write(uuid7())
    seals.seal()
    row = model.objects.first()
    assert row is not None
    for attempt in (
        row.save,
        row.delete,
        model.objects.all().delete,
        lambda: model.objects.update(hash="0" * 64),
        lambda: model.objects.bulk_update([row], ["hash"]),
        lambda: model.objects.filter(pk=row.pk)._raw_delete("default"),
    ):
        assert_refused(attempt)


@pytest.mark.django_db
def test_the_replica_role_does_not_open_it() -> None:
    """The triggers fire always, also under session_replication_role = replica."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text, tgenabled::text FROM pg_trigger WHERE tgname LIKE '%append_only'"
        )
        assert dict(cursor.fetchall()) == {"audit_event": "A", "audit_seal": "A"}


def assert_refused(attempt) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # pending checks would refuse TRUNCATE as well
    with pytest.raises(DatabaseError) as caught, transaction.atomic():
        attempt()
    assert isinstance(caught.value.__cause__, InsufficientPrivilege)
    assert "append-only" in str(caught.value)


@pytest.mark.django_db
def test_a_person_with_a_history_is_not_deleted() -> None:
    user = make_user("Ada")
    audit.record(stream=uuid7(), type="x", workspace=None, actor=user, actor_kind="person", data={})
    with pytest.raises(ProtectedError):
        user.delete()


# --- tampering shows


@pytest.mark.django_db
@pytest.mark.parametrize(
    "values",
    [
        {"data": {"n": 9}},
        {"type": "other.type"},
        {"actor_kind": "person"},
        {"at": F("at") - datetime.resolution},
        {"stream": UUID(int=7)},
        {"hash": "0" * 64},
        {"previous_hash": "0" * 64},
        {"seq": 9},
    ],
    ids=lambda values: next(iter(values)),
)
def test_an_edit_breaks_the_chain(values: dict[str, object]) -> None:
    stream = uuid7()
    for n in range(3):
        write(stream, n=n)
    change(stream, 2, values)
    found = audit.verify_stream(stream)
    assert not found.ok
    assert found.seq in {2, 3}
    assert stream in {each.stream for each in audit.verify_all() if not each.ok}


@pytest.mark.django_db
@pytest.mark.parametrize("seq", [1, 2, 3])
def test_a_missing_event_shows(seq: int) -> None:
    stream = uuid7()
    for n in range(3):
        write(stream, n=n)
    with tampering():
        AuditEvent.objects.filter(stream=stream, seq=seq).delete()
    assert "missing" in audit.verify_stream(stream).problem


@pytest.mark.django_db
def test_a_missing_stream_shows() -> None:
    stream = uuid7()
    write(stream)
    with tampering():
        AuditEvent.objects.filter(stream=stream).delete()
    assert [each.stream for each in audit.verify_all() if not each.ok] == [stream]


@pytest.mark.django_db
def test_seals_join_the_chains() -> None:
    streams = [uuid7() for _ in range(3)]
    for stream in streams:
        write(stream)
    one = seals.seal()
    assert seals.seal() is None
    write(streams[0])
    two = seals.seal()
    assert one is not None
    assert two is not None
    assert (one.streams, two.events, two.streams) == (3, 1, 1)
    assert two.previous_hash == one.hash
    assert two.first_event == one.last_event + 1
    assert all(each.ok for each in seals.verify_seals())


@pytest.mark.django_db
def test_a_rewritten_chain_still_breaks_its_seal() -> None:
    """Somebody recomputes every hash after an edit: the chain holds, the seal does not."""
    stream = uuid7()
    write(stream, amount="10.00")
    seals.seal()
    event = AuditEvent.objects.get(stream=stream)
    event.data = {"amount": "10000.00"}
    change(stream, 1, {"data": event.data, "hash": audit.chain_hash(event)})
    AuditStream.objects.filter(stream=stream).update(hash=audit.chain_hash(event))
    assert audit.verify_stream(stream).ok
    assert [each.problem for each in seals.verify_seals()] == [
        "The events it covers are not the ones that were sealed."
    ]


@pytest.mark.django_db
def test_a_tampered_or_missing_seal_shows() -> None:
    for _ in range(3):
        write(uuid7())
        seals.seal()
    with tampering("audit_seal"):
        AuditSeal.objects.filter(pk=AuditSeal.objects.order_by("id")[1].pk).delete()
    assert [each.ok for each in seals.verify_seals()] == [True, False]
    with tampering("audit_seal"):
        AuditSeal.objects.update(events=F("events") + 1)
    assert {each.ok for each in seals.verify_seals()} == {False}


@pytest.mark.django_db(transaction=True)
def test_a_seal_waits_for_nobody_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    """An open writer may hold a lower number: sealing past it would leave it out."""
    monkeypatch.setattr(seals, "_LOCK_TIMEOUT", "100ms")
    writing, done = threading.Event(), threading.Event()

    def open_writer() -> None:
        try:
            with transaction.atomic():
                audit.record(
                    stream=uuid7(), type="slow", workspace=None, actor=None, actor_kind="system", data={}
                )
                writing.set()
                done.wait(30)
        finally:
            connection.close()

    thread = threading.Thread(target=open_writer)
    thread.start()
    writing.wait(30)
    write(uuid7())
    with pytest.raises(seals.SealBusy):
        seals.seal()
    done.set()
    thread.join(30)
    sealed = seals.seal()
    assert sealed is not None
    assert sealed.events == 2


# --- waking, and commands


@pytest.mark.django_db(transaction=True)
def test_watchers_are_woken_by_the_commit() -> None:
    topic, stream = uuid7(), uuid7()
    with connection.cursor() as cursor:
        cursor.execute(f"LISTEN {CHANNEL}")
    undone(stream, topic)
    with transaction.atomic():
        audit.record(
            stream=stream, type="done", workspace=None, actor=None, actor_kind="system", data={}, topic=topic
        )
    got = [json.loads(each.payload) for each in connection.connection.notifies(timeout=10, stop_after=1)]
    assert got == [{"topic": str(topic), "stream": str(stream)}]


@pytest.mark.django_db
def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    stream = uuid7()
    write(stream)
    call_command("audit_seal")
    call_command("audit_seal")
    call_command("audit_verify")
    call_command("audit_verify", run=stream)
    said = capsys.readouterr().out
    assert "Sealed 1 events of 1 streams" in said
    assert "Nothing new to seal." in said
    assert "1 chains, 1 events checked, 0 broken." in said
    change(stream, 1, {"type": "other"})
    for options in ({}, {"run": stream}):
        with pytest.raises(CommandError, match="broken"):
            call_command("audit_verify", **options)
    assert f"{stream} #1: Event 1 is not what was recorded." in capsys.readouterr().err
    with pytest.raises(CommandError, match="no event"):
        call_command("audit_verify", run=uuid7())
