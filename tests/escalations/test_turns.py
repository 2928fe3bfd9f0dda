"""Several at once: two deciders, two runs of one conversation, time that runs out."""

from datetime import timedelta

import pytest
from django.core import mail
from django.db import IntegrityError, transaction
from django.utils import timezone

from agentapp.kernel.errors import Conflict
from agentapp.kernel.ids import uuid7
from runs import actions, jobs, sweeping
from runs.models import Conversation, Escalation, EscalationDecision, Run
from runs.reminders import remind_deciders
from runs.selectors import escalations_for
from runs.states import EscalationState, Outcome, RunState
from tests.escalations.hands import approver, escalated, gives_up, opened
from tests.support.threads import together
from tests.support.world import World, act, event_types

GO_ON = act("reserve", {"item": "A-100", "quantity": 1})


def another(world: World, run: Run) -> Run:
    """A second request in the same conversation."""
    return actions.message_post(
        user=world.owner, conversation_id=run.conversation_id, text="And see to A-200.", client_id=uuid7()
    ).run


def test_an_escalated_run_does_not_block_its_conversation(world: World) -> None:
    approver(world, "erin")
    run = escalated(world)
    assert another(world, run).state == RunState.QUEUED


def test_a_resumed_run_waits_until_the_other_ended(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    other = another(world, run)
    actions.escalation_supply(user=erin, escalation_id=opened(run).pk, instruction="A-100")
    run.refresh_from_db()
    assert run.state == RunState.TURN
    assert jobs.run_drain(run.pk).state == RunState.TURN
    actions.run_stop(user=world.owner, run_id=other.pk)
    assert world.play(run, GO_ON).outcome == Outcome.SUCCEEDED


def test_what_a_decider_does_waits_for_its_turn_too(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    other = another(world, run)
    actions.escalation_act(
        user=erin, escalation_id=opened(run).pk, tool="store.reserve", params={"item": "A-100"}
    )
    assert jobs.run_drain(run.pk).state == RunState.TURN
    with pytest.raises(Conflict, match="under way"):
        actions.escalation_close(user=erin, escalation_id=opened(run).pk, reason="No.")
    actions.run_stop(user=world.owner, run_id=other.pk)
    assert jobs.run_drain(run.pk).outcome == Outcome.SUCCEEDED


def test_the_turn_comes_when_the_other_is_escalated_itself(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    other = another(world, run)
    Run.objects.filter(pk=other.pk).update(activity=run.activity, revision=run.revision)
    actions.escalation_supply(user=erin, escalation_id=opened(run).pk, instruction="A-100")
    assert world.play(other, gives_up()).state == RunState.ESCALATED
    assert world.play(run, GO_ON).outcome == Outcome.SUCCEEDED


def test_the_end_of_the_other_calls_the_next_and_the_sweep_finds_forgotten_ones(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    other = another(world, run)
    actions.escalation_supply(user=erin, escalation_id=opened(run).pk, instruction="A-100")
    called: list[Run] = []
    monkeypatch.setattr("runs.queueing.run_defer", called.append)
    monkeypatch.setattr("runs.sweeping.run_defer", called.append)
    Run.objects.filter(pk=run.pk).update(queued_at=timezone.now() - timedelta(hours=1))
    sweeping.give_turns()
    assert called == []
    actions.run_stop(user=world.owner, run_id=other.pk)
    assert called == [run]
    sweeping.give_turns()
    assert called == [run, run]


def test_a_run_that_waits_for_its_turn_can_be_stopped(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    another(world, run)
    actions.escalation_supply(user=erin, escalation_id=opened(run).pk, instruction="A-100")
    assert actions.run_stop(user=world.owner, run_id=run.pk).outcome == Outcome.CANCELLED


def test_the_database_itself_admits_one_active_run(world: World) -> None:
    approver(world, "erin")
    run = escalated(world)
    another(world, run)
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(pk=run.pk).update(state=RunState.QUEUED)


def test_of_many_deciders_at_once_one_wins(shared_world: World) -> None:
    world = shared_world
    people = [approver(world, f"person{number}") for number in range(6)]
    escalation = opened(escalated(world))

    def decide(number: int) -> str:
        user, kind = people[number], number % 3
        try:
            if kind == 0:
                actions.escalation_close(user=user, escalation_id=escalation.pk, reason="No.")
            elif kind == 1:
                actions.escalation_supply(user=user, escalation_id=escalation.pk, instruction="A-100")
            else:
                actions.escalation_take(user=user, escalation_id=escalation.pk)
        except Conflict as error:
            return str(error)
        return ""

    results = together(6, decide)
    ended = EscalationDecision.objects.filter(kind__in=("close", "supply"))
    assert ended.count() <= 1
    told = [str(text) for text in results if text]
    assert len(told) >= 4
    assert all("Person" in text for text in told)


def test_what_is_overdue_comes_first_and_is_reminded_of_once(world: World) -> None:
    erin, frank = approver(world, "erin"), approver(world, "frank")
    world.workspace.memberships.filter(user=frank).update(active=False)
    run = escalated(world)
    later = opened(run)
    sooner = opened(world.play(world.start("Please reserve a chair."), gives_up()))
    remind_deciders()
    assert mail.outbox == []
    now = timezone.now()
    Escalation.objects.filter(pk=sooner.pk).update(
        remind_at=now - timedelta(hours=1), due_at=now - timedelta(minutes=1)
    )
    assert list(escalations_for(erin, world.workspace)) == [sooner, later]
    remind_deciders()
    remind_deciders()
    assert [message.to for message in mail.outbox] == [[erin.email]]
    assert f"/inbox/{sooner.pk}/" in mail.outbox[0].body
    assert "escalation.reminded" in event_types(sooner.run)


def test_a_mail_server_that_is_down_stops_nothing(world: World, settings: object) -> None:
    approver(world, "erin")
    escalation = opened(escalated(world))
    Escalation.objects.filter(pk=escalation.pk).update(remind_at=timezone.now())
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"  # type: ignore[attr-defined]
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1  # type: ignore[attr-defined]
    sweeping.sweep()
    assert opened(escalation.run).state == EscalationState.OPEN
    assert opened(escalation.run).reminded_at is not None


def test_the_time_to_decide_is_the_operators(world: World, settings: object) -> None:
    settings.ESCALATION_HOURS = 2  # type: ignore[attr-defined]
    approver(world, "erin")
    escalation = opened(escalated(world))
    assert escalation.due_at - escalation.created_at < timedelta(hours=2, seconds=5)


def test_nobody_takes_the_turn_while_a_request_is_being_written(shared_world: World) -> None:
    world = shared_world
    erin = approver(world, "erin")
    run = escalated(world)
    other = another(world, run)
    actions.escalation_supply(user=erin, escalation_id=opened(run).pk, instruction="A-100")
    actions.run_stop(user=world.owner, run_id=other.pk)
    with transaction.atomic():
        Conversation.objects.select_for_update().get(pk=run.conversation_id)
        (waited,) = together(1, lambda _number: jobs.run_drain(run.pk).state)
        assert waited == RunState.TURN
    assert world.play(run, GO_ON).outcome == Outcome.SUCCEEDED
