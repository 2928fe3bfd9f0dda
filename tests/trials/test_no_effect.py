"""A trial has no effect outside: nothing is sent, nothing is written, nobody is called upon."""

import dataclasses
from typing import Any

import pytest

from accounts import access
from activities.models import DiscoveryLog
from activities.tools import registry
from runs.engine import act_calls
from runs.models import Confirmation, Escalation, Fact, Run
from runs.states import CallState, Outcome
from runs.trials.harmless import TrialMustNotExecute, run_in_trial
from tests.support.blueprints import activity, step, use
from tests.support.stage import effects, stage, write_effect
from tests.support.store import Found, MeasureParams
from tests.support.world import World, act, calls_of, event_types, final
from tests.trials.trying import EVERYTHING, chosen, try_out

ITEM = {"item": "A-100", "quantity": 2}
ORDER = {"item": "A-100", "amount": "60", "priority": "high", "note": None}
SCRIPT = (
    chosen(),
    act("find_items", {"words": None}),
    act("reserve", ITEM),
    act("write_off", ITEM),
    act("order", ORDER),
    act("notify", ITEM),
)


@pytest.fixture
def tried(world: World) -> Run:
    revision = world.draft(EVERYTHING)
    access.grant("activities.use_agent", world.keepers, revision.agent)
    return try_out(world, revision, *SCRIPT)


def test_only_what_reads_is_run(tried: Run) -> None:
    assert stage.calls == ["find_items"]
    assert stage.sent == []
    assert effects() == []
    states = [call.state for call in calls_of(tried)]
    assert states == [CallState.SUCCEEDED] + [CallState.SIMULATED] * 4


def test_the_procedure_goes_on_to_its_end_and_never_says_it_succeeded(tried: Run) -> None:
    assert [step_.state for step_ in tried.steps.all()] == ["passed"] * 5
    assert tried.outcome == Outcome.SIMULATED
    assert "nothing was executed" in tried.answer
    assert tried.answer.endswith("All done.")
    assert "call.executing" not in event_types(tried)


def test_only_reading_is_a_fact_without_a_mark(tried: Run) -> None:
    marks = dict(Fact.objects.filter(run=tried).values_list("key", "simulated"))
    assert marks == {
        "find_items": False,
        "reserve": True,
        "write_off": True,
        "order": True,
        "notify": True,
    }


def test_nobody_is_asked_to_confirm_and_the_dialog_is_kept(tried: Run) -> None:
    assert not Confirmation.objects.exists()
    order = calls_of(tried)[3]
    assert order.simulation["asks"] is True
    assert order.simulation["preview"]["summary"] == "Order Blue lamp from the supplier."
    # What the tool itself makes of the arguments is in it: the ceiling of 50.
    assert order.simulation["preview"]["amount"] == "50"
    assert final(order)["amount"] == "50"
    reserve = calls_of(tried)[1]
    assert reserve.simulation["asks"] is False


def test_the_made_up_result_says_where_each_value_is_from(tried: Run) -> None:
    order = calls_of(tried)[3]
    assert order.result == {"item": "A-100", "amount": "50", "reference": "simulated"}
    assert order.simulation["sources"] == {
        "item": "argument",
        "amount": "argument",
        "reference": "placeholder",
    }


def test_the_gate_is_whole(world: World) -> None:
    """What the gate refuses a person, it refuses a trial: a guard, an ungrounded value, a foreign record."""
    revision = world.draft(activity(use("order"), steps=[step("order", max_attempts=3)]))
    access.grant("activities.use_agent", world.keepers, revision.agent)
    forbidden = act("order", {**ORDER, "item": "A-300"})
    nowhere = act("order", {**ORDER, "item": "A-400"})
    foreign = act("order", {**ORDER, "item": "Z-900"})
    text = "Order A-300, A-100 or Z-900."
    run = try_out(world, revision, chosen(), nowhere, foreign, forbidden, text=text)
    assert [call.error_code for call in calls_of(run)] == ["ungrounded", "not_visible", "tool_refused"]
    assert run.outcome == Outcome.REFUSED
    assert stage.sent == []


def test_an_escalation_calls_upon_nobody(world: World) -> None:
    revision = world.draft(activity(use("order"), steps=[step("order", max_attempts=1)]))
    access.grant("activities.use_agent", world.keepers, revision.agent)
    run = try_out(world, revision, chosen(), act("order", {**ORDER, "item": "A-400"}))
    assert run.outcome == Outcome.ESCALATED
    assert not Escalation.objects.exists()
    assert "run.escalated" in event_types(run)


def test_a_tool_that_lies_about_its_effect_is_stopped_by_the_database(world: World) -> None:
    """`find_items` declares that it only reads; here it writes."""
    revision = world.draft(activity(use("find_items"), steps=[step("find_items", max_attempts=1)]))
    access.grant("activities.use_agent", world.keepers, revision.agent)

    def write(_context: object, _params: object) -> Found:
        write_effect("find_items", "key", "a hidden write")
        return Found(items=[], count=0)

    stage.on("find_items", write)
    run = try_out(world, revision, chosen(), act("find_items", {"words": None}))
    assert effects() == []
    assert [call.state for call in calls_of(run)] == [CallState.FAILED]
    assert run.outcome == Outcome.ESCALATED


@pytest.mark.parametrize("part", ["prepare", "guard", "preview"])
def test_what_a_contract_declares_beside_its_tool_cannot_write_either(world: World, part: str) -> None:
    contract = registry.get("store.order")
    assert contract is not None

    def write(_context: object, params: Any) -> Any:
        write_effect("order", "key", f"written in {part}")
        return params

    registry.remove(contract.key)
    changed: dict[str, Any] = {part: write}
    registry.add(dataclasses.replace(contract, **changed))
    try:
        revision = world.draft(activity(use("order"), steps=[step("order", max_attempts=1)]))
        access.grant("activities.use_agent", world.keepers, revision.agent)
        run = try_out(world, revision, chosen(), act("order", ORDER))
    finally:
        registry.remove(contract.key)
        registry.add(contract)
    assert effects() == []
    assert [call.error_code for call in calls_of(run)] == ["tool_bug"]


def test_after_a_reading_tool_the_connection_writes_again(tried: Run) -> None:
    write_effect("test", "key", "written")
    assert effects() == ["written"]


@pytest.mark.parametrize("name", ["reserve", "write_off", "order", "notify"])
def test_the_last_door_is_shut_too(world: World, name: str) -> None:
    """Whoever asks for it: what has an effect is not run in a trial."""
    contract = registry.get(f"store.{name}")
    assert contract is not None
    with pytest.raises(TrialMustNotExecute):
        run_in_trial(contract, None, MeasureParams(number=1))  # type: ignore[arg-type]
    assert stage.calls == []


def test_a_broken_branch_before_the_door_executes_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should the engine take the way of a real run by mistake, the run fails and nothing has happened."""
    monkeypatch.setattr(act_calls, "may_run_in_trial", lambda _contract: True)
    revision = world.draft(activity(use("notify")))
    access.grant("activities.use_agent", world.keepers, revision.agent)
    run = try_out(world, revision, chosen(), act("notify", ITEM))
    assert stage.sent == []
    assert run.outcome == Outcome.FAILED


def test_the_search_for_an_activity_is_not_logged(tried: Run) -> None:
    assert not DiscoveryLog.objects.exists()
