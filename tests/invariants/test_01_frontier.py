"""Invariant 1: a tool absent from the activity's step is not shown and not executable."""

import pytest

from activities.tools import registry
from runs.engine import act_calls
from runs.llm.scripted import calls
from runs.models import ToolCall
from runs.states import CallState
from runs.view import RunView
from tests.support.blueprints import activity, step, use
from tests.support.stage import effects, stage
from tests.support.world import World, act, calls_of, event_types, refusals_of, states_of

TWO_STEPS = activity(
    use("find_items"), use("reserve"), steps=[step("find_items", key="look"), step("reserve", key="take")]
)


def test_a_step_shows_its_own_tools_only(world: World) -> None:
    world.publish(TWO_STEPS)
    world.run(act("find_items", {"words": None}), act("reserve", {"item": "A-100", "quantity": 1}))
    shown = [{function.name for function in request.functions} for request in world.requests()]
    assert shown == [
        {"store_find_items", "ask_person", "escalate"},
        {"store_reserve", "ask_person", "escalate"},
    ]


def test_a_tool_of_another_step_is_refused(world: World) -> None:
    world.publish(TWO_STEPS)
    run = world.run(
        act("reserve", {"item": "A-100", "quantity": 1}),
        act("find_items", {"words": None}),
        act("reserve", {"item": "A-100", "quantity": 2}),
    )
    assert refusals_of(run) == ["not_in_step", "", ""]
    assert effects() == ["reserve A-100 x2"]
    assert run.outcome == "succeeded"


@pytest.mark.parametrize("name", ["order", "write_off", "notify"])
def test_a_tool_of_no_step_is_refused(world: World, name: str) -> None:
    world.publish(activity(use("find_items")))
    arguments = {"item": "A-100", "amount": "5"} if name == "order" else {"item": "A-100", "quantity": 1}
    run = world.run(act(name, arguments), act("find_items", {"words": "lamp"}))
    assert refusals_of(run) == ["not_in_step", ""]
    assert effects() == []
    assert stage.sent == []
    assert "call.refused" in event_types(run)


def test_a_tool_the_activity_holds_but_the_step_does_not_is_refused(world: World) -> None:
    world.publish(activity(use("find_items"), use("reserve"), steps=[step("find_items")]))
    run = world.run(
        calls(("store_reserve", {"item": "A-100"}), ("store_find_items", {"words": None})),
    )
    assert refusals_of(run) == ["not_in_step", ""]
    assert effects() == []


def test_a_hand_made_admitted_call_is_refused_at_execution(world: World) -> None:
    """Hiding is not denying: a row that says it was admitted is asked again."""
    world.publish(TWO_STEPS)
    run = world.run(act("find_items", {"words": None}), act("reserve", {"item": "A-100", "quantity": 1}))
    view = RunView.load(run.pk)
    contract = registry.get("store.order")
    assert contract is not None
    forged = ToolCall(
        run=run,
        step=view.steps[0],
        position=99,
        tool_key="store.order",
        state=CallState.ADMITTED,
        contract_hash=contract.hash,
        effect="external",
    )
    with pytest.raises(act_calls.Refused, match="not part of this step"):
        act_calls.recheck(view, view.steps[0], forged)
    assert stage.sent == []


def test_every_call_that_ran_was_in_its_step(world: World) -> None:
    world.publish(TWO_STEPS)
    run = world.run(act("find_items", {"words": None}), act("reserve", {"item": "A-100", "quantity": 1}))
    assert states_of(run) == ["succeeded", "succeeded"]
    for item in calls_of(run):
        assert item.tool_key in {binding.tool_key for binding in item.step.step.tools.all()}
