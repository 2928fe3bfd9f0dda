"""States: only the table's transitions, and only from the state the row really has."""

import pytest

from agentapp.kernel.errors import TransitionLost
from runs.models import Confirmation, Run, ToolCall
from runs.states import (
    CallState,
    ConfirmationState,
    EscalationState,
    QuestionState,
    RunState,
    StepState,
    allowed,
    change_state,
)
from tests.support.blueprints import activity, use
from tests.support.world import World, act

KINDS = {
    "Run": RunState,
    "RunStep": StepState,
    "ToolCall": CallState,
    "Confirmation": ConfirmationState,
    "Question": QuestionState,
    "Escalation": EscalationState,
}
ENDS = [
    ("Run", RunState.FINISHED),
    ("RunStep", StepState.PASSED),
    ("RunStep", StepState.ABANDONED),
    ("ToolCall", CallState.SUCCEEDED),
    ("ToolCall", CallState.REFUSED),
    ("ToolCall", CallState.UNKNOWN),
    ("Confirmation", ConfirmationState.CONFIRMED),
    ("Confirmation", ConfirmationState.REFUSED),
    ("Confirmation", ConfirmationState.EXPIRED),
    ("Confirmation", ConfirmationState.VOID),
    ("Question", QuestionState.ANSWERED),
]


@pytest.mark.parametrize(("kind", "end"), ENDS)
def test_what_is_decided_stays_decided(kind: str, end: str) -> None:
    assert not any(allowed(kind, end, other) for other in KINDS[kind].values)


@pytest.mark.parametrize("kind", KINDS)
def test_no_state_leads_to_itself(kind: str) -> None:
    assert not any(allowed(kind, state, state) for state in KINDS[kind].values)


@pytest.mark.parametrize("model", [ToolCall, Confirmation, Run])
def test_a_transition_somebody_else_made_first_is_lost(
    world: World, model: type[ToolCall | Confirmation | Run]
) -> None:
    world.publish(activity(use("order")))
    world.run(act("order", {"item": "A-100", "amount": "5", "priority": None, "note": None}))
    ways: dict[type, tuple[tuple[str, dict[str, str]], str]] = {
        ToolCall: ((CallState.REFUSED, {}), CallState.ADMITTED),
        Confirmation: ((ConfirmationState.REFUSED, {}), ConfirmationState.CONFIRMED),
        Run: ((RunState.FINISHED, {"outcome": "cancelled"}), RunState.QUEUED),
    }
    first, late = model._default_manager.get(), model._default_manager.get()
    (state, values), other = ways[model]
    change_state(first, state, **values)
    before = late.state
    with pytest.raises(TransitionLost):
        change_state(late, other)
    assert late.state == before
    assert model._default_manager.get().state == state


def test_a_transition_the_table_does_not_have_is_refused(world: World) -> None:
    world.publish(activity(use("find_items")))
    run = world.start()
    with pytest.raises(TransitionLost):
        change_state(run, RunState.AWAITING)
    with pytest.raises(TransitionLost):
        change_state(run, RunState.WORKING, where={"fence": 99})
    assert Run.objects.get().state == RunState.QUEUED
