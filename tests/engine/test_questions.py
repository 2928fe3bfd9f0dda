"""Questions: answered by form or by words, once, in time; a strange answer is refused."""

from typing import Any

import pytest

from agentapp.kernel.errors import Conflict, InvalidInput, NotFound
from agentapp.kernel.ids import uuid7
from runs import actions
from runs.llm.base import Purpose
from runs.llm.scripted import call
from runs.models import Run
from runs.sweeping import sweep
from tests.support.blueprints import activity, text_input, use
from tests.support.stage import effects
from tests.support.world import World, act, event_types, expire_now

ITEM = {"name": "item", "type": "reference", "reference": "store.item", "label": {"en": "Item"}}
FORM = activity(
    use("reserve", item={"source": "input", "input": "item"}),
    inputs=[ITEM, text_input("note", required=False)],
)
NOTHING = call("fill_inputs", {"item": None, "note": None}, purpose=Purpose.INPUTS)
DONE = act("reserve", {"quantity": 1})


@pytest.fixture
def asking(world: World) -> Run:
    world.publish(FORM)
    return world.play(world.start("Reserve something"), NOTHING)


def answer(world: World, run: Run, value: Any, **changes: Any) -> Run:
    question = run.questions.get()
    given = {"user": world.owner, "question_id": question.pk, "values": {"item": value}}
    return actions.question_answer(**{**given, **changes})


def test_an_answer_by_form_goes_on(world: World, asking: Run) -> None:
    answer(world, asking, "A-200")
    run = world.play(asking, DONE)
    assert run.outcome == "succeeded"
    assert effects() == ["reserve A-200 x1"]
    assert run.inputs.get().origin == "person"


def test_an_answer_by_words_goes_on(world: World, asking: Run) -> None:
    posted = actions.message_post(
        user=world.owner, conversation_id=asking.conversation_id, text="Red lamp", client_id=uuid7()
    )
    assert posted.answered
    run = world.play(asking, DONE)
    assert effects() == ["reserve A-200 x1"]
    assert run.outcome == "succeeded"


@pytest.mark.parametrize(
    "value",
    [None, "", [], {}, "   ", "\x00", 5, True, {"a": "\x00"}, ["\x00"], [[]], "Z-900", "lamp", "x" * 100_000],
    ids=lambda value: repr(value)[:20],
)
def test_an_answer_that_names_no_record_is_refused(world: World, asking: Run, value: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        answer(world, asking, value)
    assert set(caught.value.data["fields"]) == {"item"}
    assert asking.questions.get().state == "open"
    assert not asking.inputs.exists()


def test_an_answer_counts_once(world: World, asking: Run) -> None:
    answer(world, asking, "A-100")
    with pytest.raises(Conflict):
        answer(world, asking, "A-200")
    world.play(asking, DONE)
    assert effects() == ["reserve A-100 x1"]


def test_only_the_owner_answers(world: World, asking: Run) -> None:
    for user in (world.member, world.stranger, world.root):
        with pytest.raises(NotFound):
            answer(world, asking, "A-100", user=user)
    with pytest.raises(NotFound):
        answer(world, asking, "A-100", question_id=uuid7())


def test_a_question_nobody_answers_expires(world: World, asking: Run) -> None:
    sweep()
    asking.refresh_from_db()
    assert asking.state == "needs_input"
    expire_now(list(asking.questions.all()))
    sweep()
    asking.refresh_from_db()
    assert asking.outcome == "expired"
    assert "run.finished" in event_types(asking)
    with pytest.raises(Conflict):
        answer(world, asking, "A-100")
    posted = actions.message_post(
        user=world.owner, conversation_id=asking.conversation_id, text="again", client_id=uuid7()
    )
    assert posted.run.pk != asking.pk


def test_a_stopped_run_takes_no_answer(world: World, asking: Run) -> None:
    actions.run_stop(user=world.owner, run_id=asking.pk)
    with pytest.raises(Conflict):
        answer(world, asking, "A-100")
    asking.refresh_from_db()
    assert asking.outcome == "cancelled"


def test_a_choice_of_activity_is_one_that_is_offered(world: World) -> None:
    world.publish(activity(use("find_items")), activity(use("find_items"), key="other"))
    unclear = {"decision": "unclear", "activity": None, "alternatives": ["store.handle", "store.other"]}
    run = world.play(world.post(), call("choose_activity", unclear))
    question = run.questions.get()
    for value in ("store.third", "handle", {"a": 1}):
        with pytest.raises(InvalidInput):
            actions.question_answer(user=world.owner, question_id=question.pk, values={"activity": value})
    actions.question_answer(user=world.owner, question_id=question.pk, values={"activity": "store.other"})
    run = world.play(run, act("find_items", {"words": None}))
    assert run.activity is not None
    assert (run.activity.key, run.outcome) == ("other", "succeeded")


QUANTITY = {"name": "quantity", "type": "integer", "label": {"en": "Quantity"}, "required": False}
SOME = activity(
    use(
        "reserve",
        item={"source": "input", "input": "item"},
        quantity={"source": "input", "input": "quantity"},
    ),
    inputs=[ITEM, QUANTITY],
)


def test_of_two_numbers_it_is_asked_which(world: World) -> None:
    """Whatever the model took: code reads the words as well, and an optional value is not left out."""
    world.publish(SOME)
    took_one = call("fill_inputs", {"item": "A-100", "quantity": 3}, purpose=Purpose.INPUTS)
    run = world.play(world.start("Reserve 2 or 3 of A-100"), took_one)
    question = run.questions.get()
    assert question.text == "You named more than one value for quantity: 2, 3. Which one do you mean?"
    assert [item.value for item in question.fields.get().candidates.all()] == ["2", "3"]
    actions.question_answer(user=world.owner, question_id=question.pk, values={"quantity": "2"})
    run = world.play(run, act("reserve"))
    assert effects() == ["reserve A-100 x2"]


def test_of_two_records_it_is_asked_which(world: World) -> None:
    world.publish(FORM)
    both = call("fill_inputs", {"item": ["A-100", "A-200"], "note": None}, purpose=Purpose.INPUTS)
    run = world.play(world.start("Reserve A-100 or A-200"), both)
    assert [item.value for item in run.questions.get().fields.get().candidates.all()] == ["A-100", "A-200"]
    posted = actions.message_post(
        user=world.owner, conversation_id=run.conversation_id, text="the second", client_id=uuid7()
    )
    assert posted.answered
    run = world.play(run, DONE)
    assert effects() == ["reserve A-200 x1"]


def test_a_record_named_twice_is_one(world: World) -> None:
    world.publish(FORM)
    twice = call("fill_inputs", {"item": ["A-200", "Red lamp"], "note": None}, purpose=Purpose.INPUTS)
    run = world.play(world.start("Reserve A-200, the Red lamp"), twice, DONE)
    assert effects() == ["reserve A-200 x1"]
    assert run.outcome == "succeeded"
