"""Invariant 11: everything leaves a trace in the same transaction, and the trace cannot be altered."""

import pytest
from django.db import DatabaseError, connection, transaction

from accounts import audit
from accounts.models import AuditEvent, Workspace
from runs import actions, journal
from runs.llm.scripted import call
from runs.models import Confirmation, Run, ToolCall
from tests.support.blueprints import activity, prose, use
from tests.support.stage import effects
from tests.support.world import World, act, event_types, pending, states_of

ORDER = {"item": "A-100", "amount": "5", "priority": None, "note": None}


class Broken(BaseException):
    """The history cannot be written."""


def breaking(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, an event of this kind cannot be written."""
    original = audit.record_many

    def record_many(drafts: list[audit.Draft], **more: object) -> object:
        if any(draft.type == kind for draft in drafts):
            raise Broken(kind)
        return original(drafts, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(audit, "record_many", record_many)


def test_a_run_tells_its_whole_story_in_order(world: World) -> None:
    world.publish(activity(use("order"), outputs=[prose()]))
    run = world.run(act("order", ORDER))
    world.confirm(run)
    run = world.play(run, call("write_answer", {"intro": "Ordered."}))
    told = [name for name in event_types(run) if name not in ("run.working", "run.waiting")]
    assert told == [
        "run.created",
        "run.started",
        "step.engaged",
        "model.called",
        "model.answered",
        "call.proposed",
        "call.admitted",
        "confirmation.requested",
        "confirmation.decided",
        "call.executing",
        "call.succeeded",
        "fact.recorded",
        "step.verdict",
        "model.called",
        "model.answered",
        "prose.written",
        "run.finished",
    ]
    assert audit.verify_stream(run.pk).ok
    seqs = list(AuditEvent.objects.filter(stream=run.pk).order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))


@pytest.mark.parametrize(
    ("kind", "left"),
    [
        ("call.proposed", []),
        ("call.admitted", ["proposed"]),
        ("call.succeeded", ["proposed"]),
        ("run.finished", ["proposed"]),
    ],
)
def test_without_its_event_a_change_does_not_happen(
    world: World, monkeypatch: pytest.MonkeyPatch, kind: str, left: list[str]
) -> None:
    """The state, the effect and the event are one transaction."""
    world.publish(activity(use("reserve")))
    run = world.start()
    breaking(kind, monkeypatch)
    with pytest.raises(Broken):
        world.play(run, act("reserve", {"item": "A-100", "quantity": 1}))
    assert states_of(run) == left
    assert effects() == []
    assert not run.facts.exists()
    assert kind not in event_types(run)
    assert Run.objects.get(pk=run.pk).outcome == ""


@pytest.mark.parametrize("kind", ["confirmation.decided", "run.stop_requested", "run.created"])
def test_without_its_event_a_persons_act_does_not_happen(
    world: World, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    world.publish(activity(use("order")))
    run = world.run(act("order", ORDER))
    breaking(kind, monkeypatch)
    card = pending(run)[0]
    acts = {
        "run.stop_requested": lambda: actions.run_stop(user=world.owner, run_id=run.pk),
        "run.created": lambda: world.post("another"),
        "confirmation.decided": lambda: actions.confirmation_decide(
            user=world.owner, confirmation_id=card.pk, decision="confirm", digest=card.digest
        ),
    }
    with pytest.raises(Broken):
        acts[kind]()
    assert Run.objects.count() == 1
    assert Run.objects.get().state == "awaiting_confirmation"
    assert Confirmation.objects.get().state == "pending"
    assert ToolCall.objects.get().state == "awaiting"


def test_the_engine_cannot_write_outside_a_transaction(world: World) -> None:
    run = Run(pk=world.owner.pk, fence=1)

    def write() -> None:
        with journal.committing(run):
            Workspace.objects.update(name="Written by who does not hold the run")

    with pytest.raises(journal.LeaseLost):
        write()
    assert not Workspace.objects.filter(name__startswith="Written").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_event SET type = 'x' WHERE stream = %s",
        "DELETE FROM audit_event WHERE stream = %s",
        "TRUNCATE audit_event",
    ],
)
def test_the_history_cannot_be_altered(world: World, statement: str) -> None:
    world.publish(activity(use("find_items")))
    run = world.run(act("find_items", {"words": None}))
    before = event_types(run)
    with pytest.raises(DatabaseError, match=r"append-only|pending trigger"), transaction.atomic():  # noqa: SIM117
        with connection.cursor() as cursor:
            cursor.execute(statement, [run.pk] if "%s" in statement else [])
    assert event_types(run) == before


def test_who_decided_is_on_record(world: World) -> None:
    world.publish(activity(use("order")))
    run = world.run(act("order", ORDER))
    world.confirm(run)
    event = AuditEvent.objects.get(stream=run.pk, type="confirmation.decided")
    assert (event.actor_id, event.actor_kind) == (world.owner.pk, "person")
    assert event.data["digest"] == run.confirmations.get().digest
    proposed = AuditEvent.objects.get(stream=run.pk, type="call.proposed")
    assert (proposed.actor_id, proposed.actor_kind) == (None, "model")
