"""Several requests in one message: a short plan first, then one linked run after the other."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts import access
from activities.tools import ToolUnavailable
from agentapp.kernel.errors import Conflict
from agentapp.kernel.ids import uuid7
from runs import actions
from runs.chat.updates import updates_for
from runs.llm.base import Purpose
from runs.llm.scripted import Line, call
from runs.models import Plan, Run
from runs.report import run_report
from runs.selectors import events_of
from runs.sweeping import sweep
from tests.support.blueprints import Json, activity, from_input, step, use
from tests.support.stage import effects, raising, stage
from tests.support.world import World, act, event_types

ITEM: Json = {"name": "item", "type": "reference", "reference": "store.item", "label": {"en": "Item"}}
LOOK = activity(use("find_items"), key="look", steps=[step("find_items", max_attempts=1)])
TAKE = activity(use("reserve", item=from_input("item")), key="take", inputs=[ITEM])
SELL = activity(use("write_off", item=from_input("item")), key="sell", inputs=[ITEM])
TEXT = "Look for the green chair and take the blue lamp, then sell it."
FIND = act("find_items", {"words": "green"})
RESERVE = act("reserve", {"quantity": 1})


def part(key: str, words: str, *, needs: bool = False) -> Json:
    return {"activity": f"store.{key}", "words": words, "needs_earlier": needs}


def planned(*parts: Json) -> Line:
    answer = {"decision": "several", "activity": None, "alternatives": [], "several": list(parts)}
    return call("choose_activity", answer, purpose=Purpose.ROUTE)


def filled(item: str | None) -> Line:
    return call("fill_inputs", {"item": item}, purpose=Purpose.INPUTS)


TWO = planned(part("look", "Look for the green chair"), part("take", "take the blue lamp"))
DEPENDENT = planned(part("look", "Look for the green chair"), part("take", "sell it", needs=True))


@pytest.fixture
def shop(world: World) -> World:
    world.publish(LOOK, TAKE, SELL)
    return world


def following(run: Run) -> Run:
    return run.children.get()


def key_of(run: Run) -> str:
    return run.activity.key if run.activity else ""


def part_states(run: Run) -> list[str]:
    return [item.state for item in Plan.objects.get(runs=run).parts.all()]


def test_two_requests_are_two_runs_one_after_the_other(shop: World) -> None:
    first = shop.play(shop.post(TEXT), TWO, FIND)
    assert (first.outcome, first.words) == ("succeeded", "Look for the green chair")
    second = following(first)
    assert (second.state, key_of(second)) == ("queued", "take")
    assert effects() == []
    second = shop.play(second, filled("blue lamp"), RESERVE)
    assert second.outcome == "succeeded"
    assert effects() == ["reserve A-100 x1"]
    assert second.conversation_id == first.conversation_id
    assert not second.children.exists()


def test_the_plan_stands_before_anything_happens(shop: World) -> None:
    run = shop.play(shop.post(TEXT), TWO, FIND)
    kinds = event_types(run)
    assert kinds.index("run.planned") < kinds.index("run.routed") < kinds.index("step.engaged")
    told = next(event for event in events_of(run) if event.type == "run.planned").data["parts"]
    assert [(item["activity"], item["words"]) for item in told] == [
        ("store.look", "Look for the green chair"),
        ("store.take", "take the blue lamp"),
    ]
    report = run_report(run, run.user)
    assert [(item.activity, item.state) for item in report.plan] == [("look", "started"), ("take", "started")]


def test_each_part_sees_its_own_words_only(shop: World) -> None:
    """The item of one request is no item of the other."""
    first = shop.play(shop.post(TEXT), TWO, FIND)
    shop.play(following(first), filled("green chair"))
    second = following(first)
    assert second.state == "needs_input"
    assert "green" not in "".join(message.text for message in shop.models[-1].requests[0].messages)


def test_a_question_of_a_later_part_is_answered_in_words(shop: World) -> None:
    first = shop.play(shop.post(TEXT), TWO, FIND)
    second = shop.play(following(first), filled(None))
    posted = actions.message_post(
        user=shop.owner, conversation_id=second.conversation_id, text="the red lamp", client_id=uuid7()
    )
    assert posted.answered
    assert posted.run == second
    second = shop.play(second, filled("red lamp"), RESERVE)
    assert effects() == ["reserve A-200 x1"]


def test_what_an_earlier_part_found_is_handed_over(shop: World) -> None:
    first = shop.play(shop.post(TEXT), DEPENDENT, FIND)
    second = shop.play(following(first), filled("it"), RESERVE)
    row = second.inputs.get(name="item")
    assert (row.value, row.origin, row.words) == ("A-300", "handed_over", "find_items.items[].item")
    assert second.calls.get().arguments.get(name="item").origin == "handed_over"
    assert effects() == ["reserve A-300 x1"]


def test_of_several_that_were_found_the_person_chooses(shop: World) -> None:
    first = shop.play(shop.post(TEXT), DEPENDENT, act("find_items", {"words": "lamp"}))
    second = shop.play(following(first), filled(None))
    field = second.questions.get().fields.get()
    assert (field.name, field.because) == ("item", "ambiguous")
    assert {item.value for item in field.candidates.all()} == {"A-100", "A-200"}


def test_a_part_that_escalates_holds_what_builds_on_it_and_not_the_rest(shop: World) -> None:
    stage.on("find_items", raising(ToolUnavailable("The shelf is closed.")))
    plan = planned(
        part("look", "Look for the green chair"),
        part("sell", "sell it", needs=True),
        part("take", "take the blue lamp"),
    )
    first = shop.play(shop.post(TEXT), plan, FIND)
    assert first.state == "escalated"
    assert part_states(first) == ["started", "held", "started"]
    second = shop.play(following(first), filled("blue lamp"), RESERVE)
    assert (key_of(second), second.outcome) == ("take", "succeeded")
    assert not second.children.exists()


def test_what_builds_on_a_held_part_is_held_too(shop: World) -> None:
    stage.on("find_items", raising(ToolUnavailable("The shelf is closed.")))
    plan = planned(
        part("look", "Look for the green chair"),
        part("take", "take the blue lamp", needs=True),
        part("sell", "sell it", needs=True),
    )
    first = shop.play(shop.post(TEXT), plan, FIND)
    assert part_states(first) == ["started", "held", "held"]
    assert not first.children.exists()


def test_that_a_part_is_held_is_shown_at_once(shop: World) -> None:
    """The plan stands in the first run's article; what holds its last part is an event of the second run."""
    plan = planned(
        part("take", "take the blue lamp"),
        part("look", "Look for the green chair"),
        part("sell", "sell it", needs=True),
    )
    first = shop.play(shop.post(TEXT), plan, filled("blue lamp"), RESERVE)
    shown = updates_for(first.conversation, shop.owner, {})
    assert "Held" not in shown.html
    stage.on("find_items", raising(ToolUnavailable("The shelf is closed.")))
    shop.play(following(first), FIND)
    assert part_states(first) == ["started", "started", "held"]
    changed = updates_for(first.conversation, shop.owner, shown.seen)
    assert '<span class="badge">Held</span>' in changed.html
    again = updates_for(first.conversation, shop.owner, changed.seen, composer=changed.composer)
    assert again.html == ""


def test_a_refused_confirmation_holds_nothing_else(shop: World) -> None:
    plan = planned(part("sell", "sell it"), part("look", "Look for the green chair"))
    first = shop.play(shop.post(TEXT), plan, filled(None))
    values = {"item": "A-100"}
    actions.question_answer(user=shop.owner, question_id=first.questions.get().pk, values=values)
    first = shop.play(first, act("write_off", {"quantity": 1}))
    assert first.state == "awaiting_confirmation"
    assert not first.children.exists(), "one works at a time"
    shop.confirm(first, "refuse")
    first = shop.play(first)
    assert first.outcome == "refused"
    assert shop.play(following(first), FIND).outcome == "succeeded"
    assert effects() == []


def test_stop_stops_the_rest(shop: World) -> None:
    plan = planned(part("take", "take the blue lamp"), part("look", "Look for the green chair"))
    first = shop.play(shop.post(TEXT), plan, filled(None))
    actions.run_stop(user=shop.owner, run_id=first.pk)
    first.refresh_from_db()
    assert first.outcome == "cancelled"
    assert part_states(first) == ["started", "stopped"]
    sweep()
    assert Run.objects.count() == 1


def test_each_part_has_its_own_rights(shop: World) -> None:
    first = shop.play(shop.post(TEXT), TWO, FIND)
    access.revoke("store.write", shop.keepers)
    second = shop.play(following(first))
    assert (second.outcome, second.error_code) == ("refused", "permission")
    assert "Take" in second.answer
    assert second.model_calls == 0
    assert effects() == []


def test_no_message_comes_between_two_parts(shop: World) -> None:
    first = shop.play(shop.post(TEXT), TWO, FIND)
    with pytest.raises(Conflict):
        actions.message_post(
            user=shop.owner, conversation_id=first.conversation_id, text="and now?", client_id=uuid7()
        )


def test_what_nobody_could_start_is_started_by_the_sweep(shop: World) -> None:
    """The conversation was busy when the part before ended."""
    first = shop.play(shop.post(TEXT), TWO, FIND)
    following(first).delete()
    Plan.objects.get(runs=first).parts.filter(position=2).update(state="pending")
    Run.objects.filter(pk=first.pk).update(queued_at=timezone.now() - timedelta(hours=1))
    sweep()
    assert key_of(following(first)) == "take"
    sweep()
    assert Run.objects.count() == 2


@pytest.mark.parametrize(
    "parts",
    [
        [part("take", "words nobody wrote"), part("look", "Look for the green chair")],
        [part("nothing", "take the blue lamp"), part("look", "Look for the green chair")],
        [part("look", "Look for the green chair")],
        [part("look", "Look for the green chair")] * 3,
        [part("look", "Look for the green chair"), "sell", {"activity": 5}, None, part("take", "")],
    ],
    ids=["invented", "unknown", "one", "twice", "shapes"],
)
def test_what_is_no_plan_is_one_request(shop: World, parts: list[Json]) -> None:
    run = shop.play(shop.post(TEXT), planned(*parts), FIND)
    assert (run.outcome, run.words) == ("succeeded", "")
    assert not Plan.objects.exists()
    assert not run.children.exists()


@pytest.mark.parametrize("several", [None, 5, "x", [], [None], {}], ids=repr)
def test_a_plan_of_nothing_is_declined(shop: World, several: object) -> None:
    answer = {"decision": "several", "activity": None, "alternatives": [], "several": several}
    run = shop.play(shop.post(TEXT), call("choose_activity", answer, purpose=Purpose.ROUTE))
    assert run.outcome == "declined"
