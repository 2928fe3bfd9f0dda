"""Invariant 8: one effect per confirmed call; an outcome that is not known is never silently repeated."""

import pytest

from activities.tools import ToolError, ToolOutcomeUnknown, ToolResult
from agentapp.kernel.errors import Conflict
from runs import actions, jobs
from runs.engine import act_calls
from runs.engine.loop import take_lease
from runs.llm import use_model
from runs.llm.scripted import ScriptedModel, calls
from runs.models import Escalation, Run
from runs.sweeping import sweep
from tests.support.blueprints import activity, step, use
from tests.support.stage import Killed, effects, raising, returning, stage
from tests.support.store import Reserved
from tests.support.threads import together
from tests.support.world import (
    World,
    act,
    calls_of,
    drop_lease,
    event_types,
    pending,
    refusals_of,
    states_of,
)

ONE = {"item": "A-100", "quantity": 1}


def test_a_killed_external_call_is_unknown_and_never_repeated(world: World) -> None:
    world.publish(activity(use("notify")))
    run = world.start()
    stage.on("notify", raising(Killed()))
    with pytest.raises(Killed):
        world.play(run, act("notify", ONE))
    assert states_of(run) == ["executing"]
    stage.hooks.clear()
    drop_lease(run)
    run = world.play(run)
    assert states_of(run) == ["unknown"]
    assert run.state == "escalated"
    assert len(stage.sent) == 1
    assert Escalation.objects.get(run=run).reason == "unknown_outcome"
    assert "not known" in run.answer
    drop_lease(run)
    sweep()
    assert world.play(run).state == "escalated"
    assert len(stage.sent) == 1


def test_a_killed_local_call_is_executed_once_after_the_take_over(world: World) -> None:
    world.publish(activity(use("reserve")))
    run = world.start()
    stage.on("reserve", raising(Killed()))
    with pytest.raises(Killed):
        world.play(run, act("reserve", ONE))
    assert effects() == []
    stage.hooks.clear()
    drop_lease(run)
    run = world.play(run)
    assert (run.outcome, states_of(run)) == ("succeeded", ["succeeded"])
    assert effects() == ["reserve A-100 x1"]


@pytest.mark.parametrize("error", [ToolOutcomeUnknown("?"), RuntimeError("boom"), TimeoutError()], ids=repr)
def test_an_external_call_of_unknown_outcome_stops_the_run(world: World, error: Exception) -> None:
    world.publish(activity(use("notify")))
    stage.on("notify", raising(error))
    run = world.run(act("notify", ONE))
    assert (run.state, states_of(run)) == ("escalated", ["unknown"])
    assert len(stage.sent) == 1
    assert "call.unknown" in event_types(run)


@pytest.mark.parametrize("error", [ToolError("No."), RuntimeError("boom")], ids=repr)
def test_a_local_call_that_fails_leaves_nothing(world: World, error: Exception) -> None:
    world.publish(activity(use("reserve"), steps=[step("reserve", max_attempts=1)]))
    stage.on("reserve", raising(error))
    run = world.run(act("reserve", ONE))
    assert states_of(run) == ["failed"]
    assert effects() == []


@pytest.mark.parametrize(
    "result", [ToolResult(), Reserved(item="A-100", quantity=1, note="x" * 5_100_000)], ids=["other", "huge"]
)
def test_a_local_call_whose_result_is_no_fact_leaves_nothing(world: World, result: ToolResult) -> None:
    """Failed means: nothing was changed."""
    world.publish(activity(use("reserve"), steps=[step("reserve", max_attempts=1)]))
    stage.on("reserve", returning(result))
    run = world.run(act("reserve", ONE))
    assert (states_of(run), refusals_of(run)) == (["failed"], ["invalid_result"])
    assert effects() == []


def test_an_external_call_whose_result_is_no_fact_is_of_unknown_outcome(world: World) -> None:
    world.publish(activity(use("notify")))
    stage.on("notify", returning(ToolResult()))
    run = world.run(act("notify", ONE))
    assert (run.state, states_of(run)) == ("escalated", ["unknown"])


def test_the_same_call_twice_in_one_reply_runs_once(world: World) -> None:
    world.publish(activity(use("reserve")))
    run = world.run(calls(("store_reserve", ONE), ("store_reserve", '{"quantity":1,"item":"A-100"}')))
    assert refusals_of(run) == ["", "already_done"]
    assert effects() == ["reserve A-100 x1"]


def test_each_call_carries_its_own_idempotency_key(world: World) -> None:
    world.publish(activity(use("notify")))
    run = world.run(calls(("store_notify", ONE), ("store_notify", {"item": "A-200", "quantity": 1})))
    keys = [key for key, _what in stage.sent]
    assert keys == [call.pk.hex for call in calls_of(run)]
    assert len(set(keys)) == 2


def test_three_confirmations_in_a_row_with_a_side_effect_before_each(world: World) -> None:
    tools = (use("reserve"), use("write_off"))
    steps = [
        step(
            "reserve",
            "write_off",
            key=f"round{n}",
            passes_when=f"has(facts.write_off) && facts.write_off.quantity == {n}",
        )
        for n in (1, 2, 3)
    ]
    world.publish(activity(*tools, steps=steps))
    run = world.start()
    for number in (1, 2, 3):
        arguments = {"item": "A-100", "quantity": number}
        run = world.play(run, calls(("store_reserve", arguments), ("store_write_off", arguments)))
        assert run.state == "awaiting_confirmation"
        world.confirm(run)
    run = world.play(run)
    assert run.outcome == "succeeded"
    expected = [f"{what} A-100 x{n}" for n in (1, 2, 3) for what in ("reserve", "write off")]
    assert effects() == expected


def test_fifty_decisions_at_once_have_one_effect(shared_world: World) -> None:
    world = shared_world
    world.publish(activity(use("order")))
    run = world.run(act("order", {"item": "A-100", "amount": "5", "priority": None, "note": None}))
    (card,) = pending(run)

    def confirm(_index: int) -> object:
        return actions.confirmation_decide(
            user=world.owner, confirmation_id=card.pk, decision="confirm", digest=card.digest
        )

    results = together(50, confirm)
    assert sum(isinstance(item, Conflict) for item in results) == 49, results
    with use_model(ScriptedModel()):
        together(4, lambda _index: jobs.run_drain(run.pk))
    assert Run.objects.get(pk=run.pk).outcome == "succeeded"
    assert len(stage.sent) == 1
    assert event_types(run).count("confirmation.decided") == 1


def test_a_second_driver_respects_the_lease(world: World) -> None:
    world.publish(activity(use("notify")))
    run = world.start()
    inner: list[str] = []

    def drive_too(_context: object, _params: object) -> None:
        sweep()
        inner.append(jobs.run_drain(run.pk).state)

    stage.on("notify", drive_too)
    run = world.play(run, act("notify", ONE))
    assert inner == ["working"]
    assert run.outcome == "succeeded"
    assert len(stage.sent) == 1


def test_a_worker_that_lost_its_lease_writes_nothing_more(world: World) -> None:
    """It was silent for too long while its request was under way; another took over and escalated."""
    world.publish(activity(use("notify")))
    run = world.start()
    seen: list[str] = []

    def lose(_context: object, _params: object) -> None:
        drop_lease(run)
        seen.append(jobs.run_drain(run.pk).state)

    stage.on("notify", lose)
    run = world.play(run, act("notify", ONE))
    assert seen == ["escalated"]
    assert (run.state, states_of(run)) == ("escalated", ["unknown"])
    assert not run.facts.exists()
    assert len(stage.sent) == 1


def test_stop_does_not_hide_a_call_of_unknown_outcome(world: World) -> None:
    """The worker was killed in the middle of an external call, then the person pressed Stop."""
    world.publish(activity(use("notify")))
    run = world.start()
    stage.on("notify", raising(Killed()))
    with pytest.raises(Killed):
        world.play(run, act("notify", ONE))
    actions.run_stop(user=world.owner, run_id=run.pk)
    drop_lease(run)
    run = world.play(run)
    assert (run.state, states_of(run)) == ("escalated", ["unknown"])


def test_nothing_else_starts_after_a_call_of_unknown_outcome(world: World) -> None:
    world.publish(activity(use("notify"), use("reserve"), use("write_off")))
    stage.on("notify", raising(RuntimeError("boom")))
    line = calls(("store_write_off", ONE), ("store_notify", ONE), ("store_reserve", ONE))
    run = world.run(line)
    assert (run.state, states_of(run)) == ("escalated", ["refused", "unknown", "refused"])
    assert not pending(run)
    assert effects() == []


def test_a_failure_of_ours_after_an_external_effect_is_of_unknown_outcome(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request left and could not be written down: that is no failed run, somebody has to look."""
    world.publish(activity(use("notify")))
    run = world.start()

    def broken(*_arguments: object) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(act_calls, "protect", broken)
    run = world.play(run, act("notify", ONE))
    assert (run.state, states_of(run)) == ("escalated", ["unknown"])
    assert len(stage.sent) == 1
    assert not run.facts.exists()


def test_a_worker_whose_run_another_one_holds_writes_nothing(world: World) -> None:
    """Both believe they drive the run; only the later holder's fence counts."""
    world.publish(activity(use("notify")))
    run = world.start()

    def taken(_context: object, _params: object) -> None:
        drop_lease(run)
        assert take_lease(run.pk)

    stage.on("notify", taken)
    run = world.play(run, act("notify", ONE))
    assert (run.state, run.fence, states_of(run)) == ("working", 2, ["executing"])
    assert not run.facts.exists()
    assert "call.succeeded" not in event_types(run)
