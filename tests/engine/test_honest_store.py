"""The three failures in the small: when they are named, what they lead to, and what they never change."""

import pytest

from activities.tools import ToolUnavailable
from runs.engine.claims import claims_success, strange
from runs.llm.base import Purpose
from runs.llm.scripted import Line, call, calls, say
from runs.models import Fact, Run
from runs.report import run_report
from runs.view import RunView
from tests.support.blueprints import activity, prose, step, use
from tests.support.stage import effects, raising, returning, stage
from tests.support.store import Found
from tests.support.world import World, act, event_types, text_of

RESERVE = act("reserve", {"item": "A-100", "quantity": 1})
LOOK = act("find_items", {"words": "lamp"})
OUTSIDE = act("order", {"item": "A-100", "amount": "5"})


def kinds(run: Run) -> list[str]:
    return [item.kind for item in run.failures.all()]


def written(text: object) -> Line:
    return call("write_answer", {"intro": text}, purpose=Purpose.PROSE)


@pytest.fixture
def reserving(world: World) -> World:
    world.publish(activity(use("reserve")))
    return world


def test_it_is_told_and_goes_on(reserving: World) -> None:
    run = reserving.run(say("I think we are done."), RESERVE)
    assert run.outcome == "succeeded"
    assert kinds(run) == ["premature_end"]
    assert run.steps.get().attempts == 1


def test_a_second_end_is_the_last_also_after_an_act(reserving: World) -> None:
    stage.on("reserve", raising(ToolUnavailable("Locked.")))
    run = reserving.run(say("I am done."), RESERVE, say("I stop here."))
    assert (run.state, run.escalations.get().reason) == ("escalated", "premature_end")
    assert kinds(run) == ["premature_end", "premature_end"]


def test_the_second_lie_gives_the_escalation_its_name(reserving: World) -> None:
    stage.on("reserve", raising(ToolUnavailable("Locked.")))
    run = reserving.run(RESERVE, say("I stop here."), say("The item has been reserved."))
    assert run.escalations.get().reason == "imagined_result"
    assert kinds(run) == ["premature_end", "imagined_result"]


def test_a_result_that_is_empty_is_no_success(world: World) -> None:
    passing = step("find_items", passes_when="facts.find_items.count > 0")
    world.publish(activity(use("find_items"), steps=[passing]))
    stage.on("find_items", returning(Found(items=[], count=0)))
    run = world.run(LOOK, say("I found it, all done."), say("Everything is in order."))
    assert run.state == "escalated"
    assert kinds(run) == ["imagined_result", "imagined_result"]


def test_an_invented_reference_is_an_imagined_result(reserving: World) -> None:
    run = reserving.run(say("Reserved under RX-77812."), say("Reserved under RX-77812."))
    assert kinds(run) == ["imagined_result", "imagined_result"]
    assert run.escalations.get().reason == "imagined_result"


@pytest.mark.parametrize("text", ["It concerns A-100.", "store_reserve is what I would call."])
def test_what_is_known_is_not_imagined(reserving: World, text: str) -> None:
    assert kinds(reserving.run(say(text), RESERVE)) == ["premature_end"]


def test_scope_counts_rounds_also_beside_good_calls(world: World) -> None:
    passing = step("find_items", passes_when="facts.find_items.count > 90")
    world.publish(activity(use("find_items"), steps=[passing]))
    lines = [
        calls(("store_find_items", {"words": words}), ("store_order", {})) for words in ("a", "b", "lamp")
    ]
    run = world.run(*lines)
    assert run.escalations.get().reason == "scope"
    assert kinds(run) == ["scope"] * 3
    assert run.steps.get().attempts == 0


def test_a_scope_failure_once_is_on_record_and_the_run_goes_on(reserving: World) -> None:
    run = reserving.run(OUTSIDE, RESERVE)
    assert run.outcome == "succeeded"
    failure = run.failures.get()
    assert (failure.kind, failure.step, failure.call) == ("scope", run.steps.get(), run.calls.first())
    assert failure.model_call_id == run.model_call_rows.first().pk  # type: ignore[union-attr]
    assert "failure.named" in event_types(run)
    assert [(item.kind, item.step) for item in run_report(run, run.user).failures] == [("scope", "act")]


def test_the_last_round_names_an_escalation_out_of_attempts(world: World) -> None:
    world.publish(activity(use("reserve"), steps=[step("reserve", max_attempts=1)]))
    assert world.run(OUTSIDE).escalations.get().reason == "scope"
    assert world.run(say("Done.")).escalations.get().reason == "premature_end"
    assert world.run(act("reserve", {"item": "A-999"})).escalations.get().reason == "imagined_result"


def test_a_question_is_no_attempt(reserving: World) -> None:
    run = reserving.run(call("ask_person", {"parameter": None, "question": "Which one?"}))
    assert run.state == "needs_input"
    assert kinds(run) == []
    assert run.steps.get().attempts == 0


def test_protected_values_stay_out_of_the_record_of_a_failure(world: World) -> None:
    passing = step("find_items", passes_when="facts.find_items.count > 90")
    world.publish(activity(use("find_items"), steps=[passing]))
    told = say("Mailed lamps@supplier.example, it has been sent under RX-77812.")
    run = world.run(LOOK, told, told)
    assert all("supplier.example" not in item.detail for item in run.failures.all())


# Texts of an answer

ANSWERING = activity(use("find_items"), outputs=[prose()], template={"en": "{{ output.intro }}"})


def test_a_refused_text_is_written_anew(world: World) -> None:
    world.publish(ANSWERING)
    run = world.run(LOOK, written("We found 88 lamps."), written("We found 2 lamps."))
    assert run.answer == "We found 2 lamps."
    assert kinds(run) == ["imagined_result"]
    assert "88" in text_of(world.requests()[-1])


def test_only_the_refused_text_is_asked_for_again(world: World) -> None:
    world.publish({**ANSWERING, "outputs": [prose(), prose("more")]})
    first = call("write_answer", {"intro": "Fine lamps.", "more": "Worth 4000."}, purpose=Purpose.PROSE)
    run = world.run(LOOK, first, call("write_answer", {"more": "Good ones."}, purpose=Purpose.PROSE))
    assert {row.name: row.value for row in run.outputs.all()} == {
        "intro": "Fine lamps.",
        "more": "Good ones.",
    }
    assert set(world.requests()[-1].functions[0].parameters["properties"]) == {"more"}


def test_a_text_refused_twice_is_dropped(world: World) -> None:
    world.publish(ANSWERING)
    run = world.run(LOOK, written("We found 88."), written("We found 89."))
    assert (run.outcome, run.answer) == ("succeeded", "As designed.")
    assert kinds(run) == ["imagined_result", "imagined_result"]


def test_without_calls_left_the_designers_text_stands(world: World) -> None:
    world.publish({**ANSWERING, "guardrails": {"max_model_calls": 2}})
    run = world.run(LOOK, written("We found 88."))
    assert (run.outcome, run.answer) == ("succeeded", "As designed.")
    assert kinds(run) == ["imagined_result"]


@pytest.mark.parametrize("text", ["See INV-2031-X.", "Mail max@evil.example.", "Under RF8812.", "It is 77."])
def test_what_no_fact_holds(text: str) -> None:
    assert strange(text, '{"count": 2, "item": "A-100"}')


@pytest.mark.parametrize("text", ["Item A-100.", "Two of them, 2 in all.", "Nothing to add.", "l'été"])
def test_what_facts_hold(text: str) -> None:
    assert not strange(text, '{"count": 2, "item": "A-100"}')


@pytest.mark.parametrize(
    "text",
    [
        "Done!",
        "The refund was sent.",
        "I refunded it. I could not reach anyone, though.",
        "It has been reserved",
        "Succès : c'est fait.",
        "Le remboursement a été effectué.",
        "J'ai envoyé la relance.",
    ],
)
def test_claims_of_success(text: str) -> None:
    assert claims_success(text)


@pytest.mark.parametrize(
    "text",
    ["", "I could not do it.", "The call failed.", "It was not sent.", "Je n'ai pas pu.", "What next?"],
)
def test_no_claims_of_success(text: str) -> None:
    assert not claims_success(text)


# Evidence


def test_a_fact_of_another_run_is_no_fact_of_this_one(reserving: World) -> None:
    done = reserving.run(RESERVE)
    assert Fact.objects.filter(run=done).exists()
    other = reserving.start()
    view = RunView.load(other.pk)
    assert view.scope()["facts"] == {}
    run = reserving.play(other, say("A-100 was reserved in the run before."), say("It is done."))
    assert run.state == "escalated"
    assert effects() == ["reserve A-100 x1"]
