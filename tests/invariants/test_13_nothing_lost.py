"""Invariant 13: nothing is lost: message, run, confirmation and events are there, in order and once."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from accounts import audit
from agentapp.kernel.errors import Conflict, InvalidInput
from agentapp.kernel.ids import uuid7
from runs import actions, jobs
from runs.actions import messages
from runs.llm import use_model
from runs.llm.base import Purpose
from runs.llm.scripted import ScriptedModel, call, fail
from runs.models import Message, Run
from runs.sweeping import sweep
from tests.support.blueprints import activity, prose, step, use
from tests.support.stage import Killed, effects, stage
from tests.support.world import World, act, drop_lease, event_types, pending, states_of

TWO = activity(
    use("find_items"),
    use("reserve"),
    steps=[step("find_items", key="look"), step("reserve")],
    outputs=[prose()],
)


class Forgetful:
    """A model that answers by purpose and by what is still to do: what is asked again is answered again."""

    name = "forgetful"

    def stream(self, request: Any) -> Any:
        names = {function.name for function in request.functions}
        if request.purpose is Purpose.PROSE:
            line = call("write_answer", {"intro": "Reserved."})
        elif "store_reserve" in names:
            line = act("reserve", {"item": "A-100", "quantity": 1})
        else:
            line = act("find_items", {"words": "lamp"})
        return ScriptedModel([line]).stream(request)


@pytest.mark.parametrize("moment", range(1, 8))
def test_a_worker_killed_at_any_commit_loses_and_repeats_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """The process dies in the n-th transaction of the run, before it commits; another one goes on."""
    world.publish(TWO)
    run = world.start()
    seen = iter(range(1, 1000))
    original = audit.record_many

    def record_many(drafts: Any, **more: Any) -> Any:
        result = original(drafts, **more)
        if next(seen) == moment:
            raise Killed
        return result

    monkeypatch.setattr(audit, "record_many", record_many)
    with use_model(Forgetful()), pytest.raises(Killed):
        jobs.run_drain(run.pk)
    drop_lease(run)
    with use_model(Forgetful()):
        done = jobs.run_drain(run.pk)
    assert (done.outcome, done.answer) == ("succeeded", "All done.")
    assert effects() == ["reserve A-100 x1"]
    assert states_of(run).count("succeeded") == 2
    types = event_types(run)
    assert audit.verify_stream(run.pk).ok
    for once in ("run.created", "run.started", "run.finished", "prose.written"):
        assert types.count(once) == 1


def test_the_message_the_run_and_the_job_are_one_transaction(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.publish(TWO)

    def no_queue(_run: Run) -> None:
        raise Killed

    monkeypatch.setattr(messages, "run_defer", no_queue)
    with pytest.raises(Killed), transaction.atomic():
        world.post()
    assert not Message.objects.exists()
    assert not Run.objects.exists()


def test_the_same_message_again_is_one_message(world: World) -> None:
    world.publish(TWO)
    conversation = actions.conversation_create(user=world.owner, workspace=world.workspace)
    sent = {"user": world.owner, "conversation_id": conversation.pk, "text": "hello", "client_id": uuid7()}
    first = actions.message_post(**sent)  # type: ignore[arg-type]
    again = actions.message_post(**sent)  # type: ignore[arg-type]
    assert (first.repeated, again.repeated) == (False, True)
    assert (first.run, first.message) == (again.run, again.message)
    assert Run.objects.count() == 1


def test_a_second_message_during_a_run_is_refused_visibly(world: World) -> None:
    world.publish(TWO)
    run = world.post()
    with pytest.raises(Conflict) as caught:
        actions.message_post(
            user=world.owner, conversation_id=run.conversation_id, text="and more", client_id=uuid7()
        )
    assert caught.value.data["reason"] == "run_active"
    assert Message.objects.count() == 1


@pytest.mark.parametrize("text", ["", "   \n\t ", "\x00\x01", "x" * 8_001, "x" * 100_000])
def test_a_message_that_cannot_be_used_changes_nothing(world: World, text: str) -> None:
    world.publish(TWO)
    conversation = actions.conversation_create(user=world.owner, workspace=world.workspace)
    with pytest.raises(InvalidInput):
        actions.message_post(user=world.owner, conversation_id=conversation.pk, text=text, client_id=uuid7())
    assert not Message.objects.exists()


def test_a_pending_confirmation_survives_its_worker(world: World) -> None:
    world.publish(activity(use("order")))
    run = world.run(act("order", {"item": "A-100", "amount": "5", "priority": None, "note": None}))
    sweep()
    assert world.play(run).state == "awaiting_confirmation"
    assert len(pending(run)) == 1
    world.confirm(run)
    assert world.play(run).outcome == "succeeded"
    assert len(stage.sent) == 1


def test_a_run_whose_job_is_gone_is_queued_again(world: World) -> None:
    world.publish(TWO)
    run = world.start()
    before = ProcrastinateJob.objects.filter(args__run_id=str(run.pk)).count()
    sweep()
    assert ProcrastinateJob.objects.filter(args__run_id=str(run.pk)).count() == before
    Run.objects.filter(pk=run.pk).update(queued_at=timezone.now() - timedelta(minutes=5))
    sweep()
    assert ProcrastinateJob.objects.filter(args__run_id=str(run.pk)).count() == before + 1


def test_a_model_that_is_down_ends_the_run_and_the_next_message_works(world: World) -> None:
    world.publish(TWO)
    run = world.run(fail("The endpoint is down."))
    assert (run.outcome, run.error_code) == ("failed", "model_unavailable")
    assert "did not answer" in run.answer
    posted = actions.message_post(
        user=world.owner, conversation_id=run.conversation_id, text="again please", client_id=uuid7()
    )
    assert posted.run.pk != run.pk
