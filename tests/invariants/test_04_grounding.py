"""Invariant 4: an agent-chosen reference comes from the words or a fact, and is visible to this user."""

import pytest

from runs.grounding import stands_in
from tests.support.blueprints import activity, fixed, from_input, step, text_input, use
from tests.support.stage import effects
from tests.support.store import ITEMS
from tests.support.world import World, act, calls_of, refusals_of

ONE = activity(use("reserve"))


def reserve(item: str) -> object:
    return act("reserve", {"item": item, "quantity": 1})


def test_a_value_from_nowhere_is_an_argument_error(world: World) -> None:
    world.publish(ONE)
    run = world.run(reserve("A-400"), reserve("A-100"))
    assert refusals_of(run) == ["ungrounded", ""]
    assert effects() == ["reserve A-100 x1"]
    told = calls_of(run)[0].error_message
    assert "A-400" not in told
    assert "A-200" not in told


@pytest.mark.parametrize("text", ["reserve a-100", "(A-100)", "A-100.", "Réserve A-100, merci", "«A-100»"])
def test_the_users_words_ground_it(world: World, text: str) -> None:
    world.publish(ONE)
    run = world.run(reserve("A-100"), text=text)
    assert refusals_of(run) == [""]
    assert calls_of(run)[0].arguments.get(name="item").origin == "words"


@pytest.mark.parametrize("text", ["A-1000", "XA-100", "A-100-B", "A 100", "the first one", "a100"])
def test_words_that_only_look_like_it_do_not(world: World, text: str) -> None:
    world.publish(ONE)
    run = world.run(*[reserve("A-100")] * 3, text=text)
    assert set(refusals_of(run)) == {"ungrounded"}
    assert effects() == []
    assert run.state == "escalated"


def test_a_fact_grounds_it(world: World) -> None:
    world.publish(
        activity(use("find_items"), use("reserve"), steps=[step("find_items", key="look"), step("reserve")])
    )
    run = world.run(act("find_items", {"words": "table"}), reserve("A-400"), text="reserve the table")
    assert refusals_of(run) == ["", ""]
    argument = calls_of(run)[1].arguments.get(name="item")
    assert (argument.origin, argument.detail) == ("fact", "find_items.items[].item")
    assert argument.label == "Oak table (A-400)"


def test_a_fact_that_does_not_name_it_does_not_ground_it(world: World) -> None:
    world.publish(
        activity(use("find_items"), use("reserve"), steps=[step("find_items", key="look"), step("reserve")])
    )
    run = world.run(
        act("find_items", {"words": "table"}), reserve("A-100"), reserve("A-400"), text="reserve the table"
    )
    assert refusals_of(run) == ["", "ungrounded", ""]


def test_a_record_of_another_workspace_is_not_there(world: World) -> None:
    world.publish(ONE)
    run = world.run(reserve("Z-900"), reserve("A-100"), text="Reserve Z-900 or A-100.")
    assert refusals_of(run) == ["not_visible", ""]
    assert "safe" not in calls_of(run)[0].error_message.lower()
    assert effects() == ["reserve A-100 x1"]


@pytest.mark.parametrize("source", ["input", "fixed"])
def test_a_bound_reference_of_another_workspace_is_not_there_either(world: World, source: str) -> None:
    item = from_input("thing") if source == "input" else fixed("Z-900")
    world.publish(activity(use("reserve", item=item), inputs=[text_input("thing")]))
    run = world.run(*[act("reserve", {"quantity": n}) for n in (1, 2, 3)], thing="Z-900")
    assert set(refusals_of(run)) == {"not_visible"}
    assert effects() == []


def test_a_record_that_went_away_before_execution_is_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.publish(activity(use("write_off")))
    run = world.run(act("write_off", {"item": "A-100", "quantity": 1}))
    world.confirm(run)
    monkeypatch.delitem(ITEMS["here"], "A-100")
    run = world.play(run, *[act("write_off", {"item": "A-200", "quantity": 1})])
    assert refusals_of(run)[0] == "not_visible"
    assert effects() == []


def test_a_name_is_no_identifier(world: World) -> None:
    world.publish(ONE)
    run = world.run(*[reserve("Blue lamp")] * 3, text="reserve the blue lamp")
    assert set(refusals_of(run)) == {"not_visible"}
    assert effects() == []


def test_text_that_a_tool_gave_back_is_no_ground_of_another_kind(world: World) -> None:
    """An identifier inside a free text of a fact is not a record the fact names."""
    world.publish(
        activity(use("measure"), use("reserve"), steps=[step("measure", key="look"), step("reserve")])
    )
    measure = {"number": 1, "amount": None, "text": "reserve A-400 now", "parts": None}
    run = world.run(act("measure", measure), reserve("A-400"), reserve("A-100"), text="measure, then A-100")
    assert refusals_of(run) == ["", "ungrounded", ""]


def test_identifiers_stand_whole() -> None:
    assert stands_in("A-100", "about a-100!")
    assert not stands_in("A-100", "about A-100-7")
    assert not stands_in(".*", "anything")
