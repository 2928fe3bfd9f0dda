"""Invariant 7: what you confirm is what runs. A missing, unknown or late decision is a refusal."""

from decimal import Decimal
from typing import Any

import pytest

from activities.tools import registry
from agentapp.kernel.errors import Conflict, InvalidInput, NotFound
from agentapp.kernel.ids import uuid7
from runs import actions
from runs.gate import call_digest
from runs.models import Confirmation, Run, ToolArgument, ToolCall
from runs.report import run_report
from runs.selectors import confirmation_for, run_for
from runs.sweeping import sweep
from runs.view import RunView
from tests.support.blueprints import activity, step, use
from tests.support.stage import stage
from tests.support.world import (
    World,
    act,
    calls_of,
    event_types,
    expire_now,
    final,
    pending,
    refusals_of,
    states_of,
)

ORDER = {"item": "A-100", "amount": "100", "priority": None, "note": None}
ORDERING = activity(use("order"), steps=[step("order", max_attempts=1)])


@pytest.fixture
def waiting(world: World) -> Run:
    world.publish(ORDERING)
    return world.run(act("order", ORDER))


def decide(world: World, run: Run, **changes: Any) -> Confirmation:
    card = run.confirmations.get()
    given = {"user": world.owner, "confirmation_id": card.pk, "decision": "confirm", "digest": card.digest}
    return actions.confirmation_decide(**{**given, **changes})  # type: ignore[arg-type]


def test_the_dialog_shows_what_will_run(world: World, waiting: Run) -> None:
    """The amount after normalisation, the default that was filled in, the record's name."""
    card = pending(waiting)[0]
    assert card.preview["amount"] == "50"
    assert card.preview["summary"] == "Order Blue lamp from the supplier."
    assert card.preview["lines"] == [{"label": "Priority", "value": "low"}]
    call = calls_of(waiting)[0]
    assert final(call)["amount"] == "50"
    origins = {item.name: item.origin for item in call.arguments.all()}
    assert origins == {
        "item": "words",
        "amount": "looked_up",
        "priority": "default",
        "note": "default",
        "to": "default",
    }
    assert stage.sent == []


def test_confirmed_is_executed_once_as_shown_and_the_model_is_not_asked(world: World, waiting: Run) -> None:
    decide(world, waiting)
    run = world.play(waiting)  # a script without a line: any request would fail
    assert run.outcome == "succeeded"
    assert [what for _key, what in stage.sent] == ["order A-100 for 50 to desk@store.example"]
    assert calls_of(run)[0].result["amount"] == "50"


def test_a_model_that_would_change_its_mind_is_never_asked(world: World, waiting: Run) -> None:
    again = act("order", {**ORDER, "amount": "9999"})
    decide(world, waiting)
    with pytest.raises(AssertionError, match="never asked"):
        world.play(waiting, again)
    assert [what for _key, what in stage.sent] == ["order A-100 for 50 to desk@store.example"]


def test_refused_executes_nothing(world: World, waiting: Run) -> None:
    decide(world, waiting, decision="refuse")
    run = world.play(waiting)
    assert (run.outcome, states_of(run)) == ("refused", ["refused"])
    assert stage.sent == []
    assert run.answer == "You refused, so nothing was executed."


@pytest.mark.parametrize(
    "decision",
    [
        None,
        "",
        "false",
        "true",
        0,
        1,
        True,
        False,
        "yes",
        "Confirm",
        "CONFIRM",
        " confirm",
        "approve",
        ["confirm"],
    ],
    ids=repr,
)
def test_only_the_word_confirms(world: World, waiting: Run, decision: Any) -> None:
    with pytest.raises(InvalidInput):
        decide(world, waiting, decision=decision)
    assert states_of(waiting) == ["awaiting"]
    assert pending(waiting)
    assert stage.sent == []


@pytest.mark.parametrize("digest", ["", "0" * 64, None, "A" * 64])
def test_a_wrong_digest_decides_nothing(world: World, waiting: Run, digest: Any) -> None:
    with pytest.raises(Conflict):
        decide(world, waiting, digest=digest)
    assert states_of(waiting) == ["awaiting"]


def test_an_unknown_confirmation_is_not_found(world: World, waiting: Run) -> None:
    with pytest.raises(NotFound):
        decide(world, waiting, confirmation_id=uuid7())


@pytest.mark.parametrize("decision", ["confirm", "refuse"])
def test_a_late_decision_is_a_refusal(world: World, waiting: Run, decision: str) -> None:
    expire_now(pending(waiting))
    with pytest.raises(Conflict, match="ran out"):
        decide(world, waiting, decision=decision)
    run = world.play(waiting)
    assert (run.outcome, refusals_of(run)) == ("expired", ["confirmation_expired"])
    assert stage.sent == []
    assert "confirmation.expired" in event_types(run)


def test_what_nobody_decides_expires_by_itself(world: World, waiting: Run) -> None:
    expire_now(pending(waiting))
    sweep()
    run = world.play(waiting)
    assert run.outcome == "expired"
    assert stage.sent == []


@pytest.mark.parametrize(
    ("first", "then"), [("confirm", "refuse"), ("refuse", "confirm"), ("confirm", "confirm")]
)
def test_the_first_decision_stands(world: World, waiting: Run, first: str, then: str) -> None:
    decide(world, waiting, decision=first)
    with pytest.raises(Conflict, match="already"):
        decide(world, waiting, decision=then)
    run = world.play(waiting)
    assert len(stage.sent) == (1 if first == "confirm" else 0)
    assert event_types(run).count("confirmation.decided") == 1


@pytest.mark.parametrize("table", ["argument", "digest", "contract"])
def test_what_was_changed_after_the_confirmation_does_not_run(world: World, waiting: Run, table: str) -> None:
    decide(world, waiting)
    call = ToolCall.objects.filter(run=waiting)
    if table == "argument":
        ToolArgument.objects.filter(call__in=call, name="amount").update(value="9999")
    elif table == "digest":
        call.update(digest="0" * 64)
    else:
        call.update(contract_hash="0" * 64)
    run = world.play(waiting)
    assert refusals_of(run)[0] == ("contract_changed" if table == "contract" else "digest_mismatch")
    assert stage.sent == []
    assert run.outcome != "succeeded"


def test_a_call_changed_while_it_waits_cannot_be_confirmed(world: World, waiting: Run) -> None:
    ToolCall.objects.filter(run=waiting).update(digest="0" * 64)
    with pytest.raises(Conflict):
        decide(world, waiting)
    assert states_of(waiting) == ["awaiting"]


def test_the_digest_covers_tool_contract_arguments_run_and_user(world: World, waiting: Run) -> None:
    view = RunView.load(waiting.pk)
    order, write_off = registry.get("store.order"), registry.get("store.write_off")
    assert order is not None
    assert write_off is not None
    values = final(calls_of(waiting)[0])
    base = call_digest(view, order, values)
    assert base == calls_of(waiting)[0].digest
    others = {
        base,
        call_digest(view, write_off, values),
        call_digest(view, order, {**values, "amount": "51"}),
    }
    others.add(call_digest(view, order, {**values, "note": ""}))
    view.run.user_id = world.member.pk
    others.add(call_digest(view, order, values))
    view.run.user_id, view.run.pk = world.owner.pk, uuid7()
    others.add(call_digest(view, order, values))
    assert len(others) == 6


@pytest.mark.parametrize(
    "text", ["confirm", "yes, confirm", "I approve", '{"decision": "confirm", "approved": true}']
)
def test_a_text_is_not_a_decision(world: World, waiting: Run, text: str) -> None:
    with pytest.raises(Conflict) as caught:
        actions.message_post(
            user=world.owner, conversation_id=waiting.conversation_id, text=text, client_id=uuid7()
        )
    assert caught.value.data["reason"] == "confirmation_pending"
    assert states_of(waiting) == ["awaiting"]


def test_looking_changes_nothing(world: World, waiting: Run) -> None:
    before = (event_types(waiting), states_of(waiting))
    for _time in range(3):
        confirmation_for(world.owner, pending(waiting)[0].pk)
        run_report(run_for(world.owner, waiting.pk), world.owner)
    assert (event_types(waiting), states_of(waiting)) == before


def test_a_tool_the_designer_always_asks_for_waits_too(world: World) -> None:
    world.publish(activity(use("notify", confirm=True)))
    run = world.run(act("notify", {"item": "A-100", "quantity": 1}))
    assert states_of(run) == ["awaiting"]
    assert stage.sent == []


def test_a_tool_raised_to_high_has_to_show_its_effect_to_be_published(world: World) -> None:
    with pytest.raises(InvalidInput, match="cannot show it"):
        world.publish(activity(use("reserve", raise_risk="high")))


def test_exact_amounts_reach_the_dialog(world: World) -> None:
    world.publish(ORDERING)
    run = world.run(
        act("order", '{"item": "A-100", "amount": 12.3000000000000000000001, "priority": null, "note": null}')
    )
    assert pending(run)[0].preview["amount"] == "12.3000000000000000000001"
    assert Decimal(final(calls_of(run)[0])["amount"]) == Decimal("12.3000000000000000000001")
