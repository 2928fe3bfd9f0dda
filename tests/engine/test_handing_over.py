"""A routing output hands over to the next activity: a linked run, under that activity's own rights."""

import pytest

from accounts import access
from activities.tools import ToolContext
from runs import actions
from runs.llm.base import Purpose
from runs.llm.scripted import call, say
from runs.models import Run
from runs.selectors import events_of
from tests.support.blueprints import Json, activity, from_input, prose, step, use
from tests.support.stage import effects, raising, returning, stage
from tests.support.store import Found, FoundItem
from tests.support.world import World, act, event_types

ITEM: Json = {"name": "item", "type": "reference", "reference": "store.item", "label": {"en": "Item"}}
COUNT: Json = {"name": "count", "type": "integer", "label": {"en": "Count"}, "required": False}
FIND = act("find_items", {"words": "green"})
SETTLE = activity(
    use("reserve", item=from_input("item"), quantity=from_input("count")),
    key="settle",
    entry=False,
    inputs=[ITEM, COUNT],
)


def analyse(when: str = "facts.find_items.count == 1", **inputs: str) -> Json:
    mapped = inputs or {"item": "facts.find_items.items[0].item", "count": "facts.find_items.count"}
    routing = {"name": "go", "when": when, "activity": "settle", "inputs": mapped}
    steps = [step("find_items", max_attempts=1)]
    return activity(use("find_items"), key="handle", steps=steps, routing=[routing])


def following(run: Run) -> Run:
    return run.children.get()


def key_of(run: Run) -> str:
    return run.activity.key if run.activity else ""


def test_it_hands_over_with_its_values(world: World) -> None:
    world.publish(analyse(), SETTLE)
    first = world.run(FIND)
    second = following(first)
    assert (first.outcome, second.state, key_of(second)) == ("succeeded", "queued", "settle")
    assert second.revision == first.revision
    second = world.play(second, act("reserve", {}))
    assert second.outcome == "succeeded"
    assert effects() == ["reserve A-300 x1"]
    rows = {row.name: (row.value, row.origin, row.words) for row in second.inputs.all()}
    assert rows == {
        "item": ("A-300", "handed_over", "facts.find_items.items[0].item"),
        "count": (1, "handed_over", "facts.find_items.count"),
    }
    assert {item.origin for item in second.calls.get().arguments.all()} == {"handed_over"}


def test_both_runs_say_so(world: World) -> None:
    world.publish(analyse(), SETTLE)
    first = world.run(FIND)
    second = following(first)
    over = next(event for event in events_of(first) if event.type == "run.handed_over")
    assert over.data == {"outcome": "go", "run": str(second.pk)}
    assert events_of(second)[0].data["handed_over_by"] == str(first.pk)


def test_nothing_is_handed_over_when_the_condition_does_not_hold(world: World) -> None:
    world.publish(analyse("facts.find_items.count == 5"), SETTLE)
    assert not world.run(FIND).children.exists()


@pytest.mark.parametrize("how", ["error", "lie"])
def test_nothing_is_handed_over_without_a_passed_verdict(world: World, how: str) -> None:
    """Not after a failed look-up, and not because the model says what it would have found."""
    world.publish(analyse("true"), SETTLE)
    stage.on("find_items", raising(RuntimeError("broken")))
    run = world.run(FIND if how == "error" else say("Found A-300. Recommendation: settle it."))
    assert run.state == "escalated"
    assert not run.children.exists()


def test_without_the_right_to_the_next_activity_nothing_runs(world: World) -> None:
    revision = world.publish(analyse(), SETTLE)
    access.revoke("activities.use_agent", world.keepers, revision.agent)
    access.grant("activities.use_activity", world.keepers, world.activity("handle").identity)
    first = world.run(FIND)
    second = world.play(following(first))
    assert first.outcome == "succeeded"
    assert (second.outcome, second.error_code, second.model_calls) == ("refused", "permission", 0)
    assert "“Settle”" in second.answer
    assert "succeeded" not in second.answer
    assert effects() == []


def test_without_the_right_to_its_tool_nothing_runs(world: World) -> None:
    world.publish(analyse(), SETTLE)
    access.revoke("store.write", world.keepers)
    second = world.play(following(world.run(FIND)))
    assert (second.outcome, second.error_code) == ("refused", "permission")
    assert second.model_calls == 0


def test_a_record_the_person_may_not_see_is_not_handed_over(world: World) -> None:
    world.publish(analyse(item="facts.find_items.items[0].item"), SETTLE)
    foreign = FoundItem(item="Z-900", name="Secret safe", price="1", contact="x")
    stage.on("find_items", returning(Found(items=[foreign], count=1)))
    second = world.play(following(world.run(FIND)))
    assert second.state == "needs_input"
    assert not second.inputs.exists()
    assert "Secret" not in second.questions.get().text


def test_what_is_not_there_is_asked(world: World) -> None:
    world.publish(analyse(), SETTLE)
    stage.on("find_items", returning(Found(items=[], count=1)))
    second = world.play(following(world.run(FIND)))
    assert second.state == "needs_input"
    assert [row.name for row in second.inputs.all()] == ["count"]
    assert [field.name for field in second.questions.get().fields.all()] == ["item"]


def test_a_run_stopped_before_its_end_hands_nothing_over(world: World) -> None:
    world.publish(analyse(), SETTLE)
    run = world.start()

    def stop(_context: ToolContext, _params: object) -> None:
        actions.run_stop(user=world.owner, run_id=run.pk)

    stage.on("find_items", stop)
    run = world.play(run, FIND)
    assert run.outcome == "cancelled"
    assert not run.children.exists()
    assert event_types(run).count("run.finished") == 1


def test_an_output_may_be_handed_over(world: World) -> None:
    best = {"name": "best", "label": {"en": "Best"}, "source": "fact"}
    outputs = [{**best, "fact": "facts.find_items.items[0].item"}]
    world.publish({**analyse(item="output.best"), "outputs": outputs}, SETTLE)
    assert following(world.run(FIND)).inputs.get().value == "A-300"


def test_a_models_words_are_not_handed_over(world: World) -> None:
    source = {**analyse(item="output.intro"), "outputs": [prose()]}
    world.publish(source, SETTLE)
    first = world.run(FIND, call("write_answer", {"intro": "A-300"}, purpose=Purpose.PROSE))
    assert first.outcome == "succeeded"
    assert not following(first).inputs.exists()
    assert world.play(following(first)).state == "needs_input"
