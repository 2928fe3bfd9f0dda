"""A value the person gave that turns out wrong is asked of the person again; the model cannot mend it."""

from typing import Any

import pytest

from activities.actions import publishing
from agentapp.kernel.ids import uuid7
from runs import actions
from runs.llm.scripted import call
from runs.models import Run
from tests.support.blueprints import activity, from_input, use
from tests.support.stage import effects
from tests.support.world import World, act, pending

AMOUNT: dict[str, Any] = {"name": "amount", "type": "decimal", "label": {"en": "Amount"}, "required": False}
ORDER = act("order", {"item": "A-100"})


@pytest.fixture
def refused(world: World, monkeypatch: pytest.MonkeyPatch) -> Run:
    # Published before it was checked that what a tool requires cannot be left out.
    monkeypatch.setattr(publishing, "problems", lambda _revision: [])
    ordering = use("order", amount=from_input("amount"), priority=None, note=None)
    world.publish(activity(ordering, inputs=[AMOUNT]))
    return world.run(ORDER, amount="-5")


def question(run: Run) -> Any:
    return run.questions.latest("id")


def test_it_asks_and_says_what_was_wrong(refused: Run):
    field = question(refused).fields.get()

    assert refused.state == "needs_input"
    assert (field.name, field.because, field.error) == ("amount", "invalid", "amount: must be above zero.")
    assert not refused.inputs.exists()


def test_the_form_answers_and_the_step_goes_on(world: World, refused: Run):
    actions.question_answer(user=world.owner, question_id=question(refused).pk, values={"amount": "7"})
    run = world.play(refused, ORDER)

    assert run.state == "awaiting_confirmation"
    assert pending(run)[0].call.arguments.get(name="amount").value == "7"
    assert effects() == []


def answer_in_words(world: World, run: Run, text: str) -> None:
    actions.message_post(user=world.owner, conversation_id=run.conversation_id, text=text, client_id=uuid7())


def test_words_answer_too(world: World, refused: Run):
    answer_in_words(world, refused, "only 7")
    run = world.play(refused, call("fill_inputs", {"amount": "7"}), ORDER)

    assert pending(run)[0].call.arguments.get(name="amount").value == "7"


def test_words_without_the_value_are_asked_about_again_although_it_is_optional(world: World, refused: Run):
    answer_in_words(world, refused, "as you like")
    run = world.play(refused, call("fill_inputs", {"amount": None}))

    assert run.state == "needs_input"
    assert question(run).fields.get().name == "amount"
    assert effects() == []


def test_an_agents_wrong_value_goes_back_to_the_agent(world: World):
    world.publish(activity(use("order", priority=None, note=None)))
    run = world.run(
        act("order", {"item": "A-100", "amount": "-5"}), act("order", {"item": "A-100", "amount": "5"})
    )

    assert run.state == "awaiting_confirmation"
    assert not run.questions.exists()
