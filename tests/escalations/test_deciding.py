"""What somebody else does with an open step: once, with their own rights, and only facts pass it."""

from typing import Any

import pytest

from agentapp.kernel.errors import Conflict, InvalidInput, NotFound
from runs import actions, jobs
from runs.llm.base import FILL_INPUTS, Purpose
from runs.llm.scripted import call
from runs.models import EscalationDecision, Run
from runs.selectors import run_for
from runs.states import EscalationState, Outcome, RunState, StepState
from tests.escalations.hands import approver, escalated, gives_up, opened, publish
from tests.support.blueprints import activity, step, text_input, use
from tests.support.stage import effects
from tests.support.world import World, act, calls_of, event_types, final, pending, text_of


def supply(world: World, run: Run, user: Any, instruction: str = "", **values: Any) -> None:
    actions.escalation_supply(user=user, escalation_id=opened(run).pk, values=values, instruction=instruction)


def test_an_escalation_names_who_decides_and_until_when(world: World) -> None:
    erin = approver(world, "erin")
    escalation = opened(escalated(world))
    assert escalation.group == world.workspace.escalation_group
    assert escalation.due_at > escalation.remind_at > escalation.created_at
    assert run_for(erin, escalation.run_id).pk == escalation.run_id


def test_an_instruction_lets_the_step_go_on_and_grounds_what_it_names(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    supply(world, run, erin, "They mean A-200; reserve one.")
    run.refresh_from_db()
    assert (run.state, run.answer) == (RunState.QUEUED, "")
    run = world.play(run, act("reserve", {"item": "A-200", "quantity": 1}))
    assert run.outcome == Outcome.SUCCEEDED
    assert "They mean A-200" in text_of(world.requests()[-1])
    origins = {item.name: item.origin for item in calls_of(run)[-1].arguments.all()}
    assert origins["item"] == "decider"
    assert effects() == ["reserve A-200 x1"]


def test_an_instruction_counts_for_its_step_only(world: World) -> None:
    erin = approver(world, "erin")
    world.publish(
        activity(
            use("reserve"),
            use("notify"),
            steps=[step("reserve", key="one"), step("notify", key="two", max_attempts=1)],
        )
    )

    run = world.play(world.start("Please reserve a lamp."), gives_up())
    supply(world, run, erin, "They mean A-200. Leave A-300 alone.")
    run = world.play(
        run,
        act("reserve", {"item": "A-200", "quantity": 1}),
        act("notify", {"item": "A-300", "quantity": 1}),
    )
    assert [item.error_code for item in calls_of(run)] == ["", "ungrounded"]
    assert run.state == RunState.ESCALATED


def test_a_missing_value_is_taken_with_its_origin(world: World) -> None:
    erin = approver(world, "erin")
    world.publish(
        activity(
            use(
                "order", item={"source": "fixed", "fixed": "A-100"}, note={"source": "input", "input": "note"}
            ),
            steps=[step("order")],
            inputs=[text_input("note", required=False)],
        )
    )

    nothing = call(FILL_INPUTS, {"note": None}, purpose=Purpose.INPUTS)
    run = world.play(world.start("Order a lamp for 10."), nothing, gives_up())
    supply(world, run, erin, note="Leave it at the door")
    row = run.inputs.get(name="note")
    assert (row.value, row.origin) == ("Leave it at the door", "decider")
    run = world.play(run, act("order", {"amount": "10", "priority": "low"}))
    assert final(calls_of(run)[-1])["note"] == "Leave it at the door"
    assert {item.name: item.origin for item in calls_of(run)[-1].arguments.all()}["note"] == "decider"


@pytest.mark.parametrize(
    ("values", "instruction"), [({}, ""), ({}, "   "), ({"nothing": 1}, ""), ({}, "x" * 2_001)]
)
def test_what_cannot_help_is_refused_and_nothing_changes(
    world: World, values: dict[str, Any], instruction: str
) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    with pytest.raises(InvalidInput):
        supply(world, run, erin, instruction, **values)
    run.refresh_from_db()
    assert run.state == RunState.ESCALATED
    assert not EscalationDecision.objects.exists()


def test_attempts_begin_anew(world: World) -> None:
    erin = approver(world, "erin")

    publish(world, max_attempts=2)
    wrong = act("reserve", {"item": "A-400", "quantity": 1})
    run = world.play(world.start("Please reserve a lamp."), wrong, wrong)
    assert run.state == RunState.ESCALATED
    supply(world, run, erin, "A-100")
    run = world.play(run, wrong, act("reserve", {"item": "A-100", "quantity": 1}))
    assert run.outcome == Outcome.SUCCEEDED
    assert run.escalations.get().attempts == 2


def test_what_they_do_themselves_passes_the_step_by_its_fact(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    made = actions.escalation_act(
        user=erin,
        escalation_id=opened(run).pk,
        tool="store.reserve",
        params={"item": "Blue lamp", "quantity": "2"},
    )
    run = jobs.run_drain(run.pk)
    made.refresh_from_db()
    assert (made.by, made.state) == (erin, "succeeded")
    assert run.outcome == Outcome.SUCCEEDED
    assert effects() == ["reserve A-100 x2"]
    escalation = run.escalations.get()
    assert (escalation.state, escalation.closed_by) == (EscalationState.SOLVED, erin)
    assert {item.origin for item in made.arguments.all()} == {"decider"}
    assert "escalation.decided" in event_types(run)


def test_a_risky_action_waits_for_the_decider_and_nobody_else(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world, "write_off")
    actions.escalation_act(
        user=erin, escalation_id=opened(run).pk, tool="store.write_off", params={"item": "A-100"}
    )
    run = jobs.run_drain(run.pk)
    assert run.state == RunState.AWAITING
    (confirmation,) = pending(run)
    decide = {"confirmation_id": confirmation.pk, "decision": "confirm", "digest": confirmation.digest}
    with pytest.raises(NotFound):
        actions.confirmation_decide(user=world.owner, **decide)
    assert effects() == []
    actions.confirmation_decide(user=erin, **decide)
    assert jobs.run_drain(run.pk).outcome == Outcome.SUCCEEDED
    assert effects() == ["write off A-100 x1"]


def test_refusing_ones_own_action_leaves_the_step_open(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world, "write_off")
    actions.escalation_act(
        user=erin, escalation_id=opened(run).pk, tool="store.write_off", params={"item": "A-100"}
    )
    run = jobs.run_drain(run.pk)
    (confirmation,) = pending(run)
    actions.confirmation_decide(
        user=erin, confirmation_id=confirmation.pk, decision="refuse", digest=confirmation.digest
    )
    run = jobs.run_drain(run.pk)
    assert run.state == RunState.ESCALATED
    assert opened(run).state == EscalationState.OPEN
    assert effects() == []


def test_own_rights_are_asked_again_at_the_last_moment(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world, "write_off")
    actions.escalation_act(
        user=erin, escalation_id=opened(run).pk, tool="store.write_off", params={"item": "A-100"}
    )
    run = jobs.run_drain(run.pk)
    (confirmation,) = pending(run)
    actions.confirmation_decide(
        user=erin, confirmation_id=confirmation.pk, decision="confirm", digest=confirmation.digest
    )
    erin.groups.remove(world.workspace.escalation_group)
    run = jobs.run_drain(run.pk)
    assert [item.error_code for item in calls_of(run)] == ["permission"]
    assert run.state == RunState.ESCALATED
    assert effects() == []


def test_the_right_to_decide_is_no_right_to_a_tool(world: World) -> None:
    erin = approver(world, "erin", "nowhere")
    run = escalated(world)
    with pytest.raises(InvalidInput, match="right"):
        actions.escalation_act(
            user=erin, escalation_id=opened(run).pk, tool="store.reserve", params={"item": "A-100"}
        )
    assert [item.state for item in calls_of(run)] == ["refused"]
    assert run_for(erin, run.pk).state == RunState.ESCALATED
    assert effects() == []


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("store.notify", {"item": "A-100"}),
        ("store.reserve", {"item": "Z-900"}),
        ("store.reserve", {"item": "A-100", "quantity": "many"}),
        ("store.reserve", {"item": "A-100", "extra": "1"}),
        ("store.reserve", {}),
        ("", {}),
    ],
)
def test_what_is_not_of_the_step_is_refused(world: World, tool: str, params: dict[str, Any]) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    with pytest.raises(InvalidInput):
        actions.escalation_act(user=erin, escalation_id=opened(run).pk, tool=tool, params=params)
    assert run_for(erin, run.pk).state == RunState.ESCALATED
    assert effects() == []


def test_an_action_whose_fact_does_not_pass_leaves_the_step_open(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world, passes_when="has(facts.reserve) && facts.reserve.quantity > 5")
    actions.escalation_act(
        user=erin, escalation_id=opened(run).pk, tool="store.reserve", params={"item": "A-100", "quantity": 1}
    )
    run = jobs.run_drain(run.pk)
    assert run.state == RunState.ESCALATED
    assert run.steps.get().state == StepState.ESCALATED
    assert opened(run).taken_by == erin


def test_closing_ends_the_run_as_not_done_with_the_reason(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    with pytest.raises(InvalidInput):
        actions.escalation_close(user=erin, escalation_id=opened(run).pk, reason=" ")
    actions.escalation_close(user=erin, escalation_id=opened(run).pk, reason="We have *no* lamps.")
    run.refresh_from_db()
    assert (run.state, run.outcome, run.error_code) == (RunState.FINISHED, Outcome.REFUSED, "closed")
    assert "Erin" in run.answer
    assert "no" in run.answer
    assert run.steps.get().state == StepState.ABANDONED


def test_passing_on_moves_it(world: World) -> None:
    erin, frank = approver(world, "erin"), approver(world, "frank")
    run = escalated(world)
    escalation = opened(run)
    actions.escalation_pass_on(user=erin, escalation_id=escalation.pk, to=f"user:{frank.pk}")
    assert opened(run).assignee == frank
    actions.escalation_pass_on(user=frank, escalation_id=escalation.pk, to=f"group:{world.keepers.pk}")
    assert opened(run).group == world.keepers
    for nobody in (f"user:{world.stranger.pk}", f"user:{world.member.pk}", "group:0", ""):
        with pytest.raises((InvalidInput, Conflict)):
            actions.escalation_pass_on(user=world.owner, escalation_id=escalation.pk, to=nobody)


def test_stopping_ends_the_escalation_too(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    escalation = opened(run)
    actions.run_stop(user=world.owner, run_id=run.pk)
    escalation.refresh_from_db()
    assert escalation.state == EscalationState.CLOSED
    with pytest.raises(Conflict, match="ended"):
        actions.escalation_close(user=erin, escalation_id=escalation.pk, reason="No.")
