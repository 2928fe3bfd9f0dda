"""Intention chaining: declared with the call that is made anyway, kept per step, and never evidence."""

from typing import Any

import pytest

from runs import jobs
from runs.llm import use_model
from runs.llm.builtin import BuiltinModel
from runs.llm.scripted import Line, calls, say
from runs.models import Run, RunStep
from runs.report import run_report
from tests.support.blueprints import Json, activity, step, text_input, use
from tests.support.stage import effects
from tests.support.world import World, act, calls_of, event_types, final, refusals_of, text_of

GOALS = ("Find the lamp in the stock.", "Reserve the lamp for the customer.")
FIRST, SECOND = "I find the lamp in the stock.", "I reserve the lamp for the customer."
RESERVING = {"item": "A-100", "quantity": 1}


def two_steps(**more: Any) -> Json:
    first, second = GOALS
    steps = [
        {**step("find_items", key="look"), "goal": first},
        {**step("reserve", key="take"), "goal": second},
    ]
    return activity(use("find_items"), use("reserve"), steps=steps, chaining=True, **more)


def look(**said: str) -> Line:
    return act("find_items", {"words": "blue", **said})


def take(**said: str) -> Line:
    return act("reserve", {**RESERVING, **said})


def steps(run: Run) -> list[RunStep]:
    return list(run.steps.order_by("position"))


@pytest.fixture
def chained(world: World) -> World:
    world.publish(two_steps())
    return world


def test_each_step_declares_what_was_announced_and_announces_the_next(chained: World) -> None:
    run = chained.run(look(intention=FIRST, next_intention=SECOND), take(intention=SECOND))
    assert run.outcome == "succeeded"
    first, second = steps(run)
    assert (first.announced, first.intention, first.next_intention) == (GOALS[0], FIRST, SECOND)
    assert (second.announced, second.intention, second.next_intention) == (SECOND, SECOND, "")
    assert [row.declaration for row in (first, second)] == ["given", "given"]
    shown = [(item.intention, item.next_intention) for item in run_report(run, run.user).steps]
    assert shown == [(FIRST, SECOND), (SECOND, "")]
    assert event_types(run).count("intention.declared") == 2


def test_a_declaration_is_no_argument(chained: World) -> None:
    with_words = chained.run(look(intention=FIRST, next_intention=SECOND), take(intention=SECOND))
    assert refusals_of(with_words) == ["", ""]
    assert final(calls_of(with_words)[1]) == RESERVING
    assert set(final(calls_of(with_words)[0])) == {"words"}


def test_it_costs_no_call(chained: World) -> None:
    assert chained.run(look(intention=FIRST, next_intention=SECOND), take(intention=SECOND)).model_calls == 2


def test_every_function_asks_for_it_and_the_last_step_announces_nothing(chained: World) -> None:
    chained.run(look(intention=FIRST, next_intention=SECOND), take(intention=SECOND))
    expected = ({"intention", "next_intention"}, {"intention"})
    for request, wanted in zip(chained.requests(), expected, strict=True):
        for function in request.functions:
            asked = {"intention", "next_intention"} & set(function.parameters["properties"])
            assert asked == wanted, function.name
            assert wanted <= set(function.parameters["required"])


def test_anchors_stand_in_the_next_prompt(chained: World) -> None:
    chained.run(look(intention=FIRST, next_intention=SECOND), take(intention=SECOND))
    prompt = chained.requests()[1].messages[0].text
    assert f"You declared: “{FIRST}”. The facts show: find_items. Passed." in prompt
    assert f"Next you declared: “{SECOND}”." in prompt
    assert f"Announced was: “{SECOND}”." in prompt


def test_it_is_asked_for_in_the_first_round_only(chained: World) -> None:
    unknown = act("find_items", {"words": "blue", "more": 1, "intention": FIRST, "next_intention": SECOND})
    chained.run(unknown, look(), take(intention=SECOND))
    second = chained.requests()[1]
    assert all("intention" not in function.parameters["properties"] for function in second.functions)


@pytest.mark.parametrize(
    ("said", "declaration"),
    [
        ({}, "missing"),
        ({"intention": FIRST}, "missing"),
        ({"intention": "", "next_intention": ""}, "missing"),
        ({"intention": "Purple bicycles dream of the sea.", "next_intention": SECOND}, "unrelated"),
        ({"intention": FIRST, "next_intention": "Purple bicycles dream of the sea."}, "unrelated"),
        ({"intention": "Je cherche la lampe dans le stock.", "next_intention": SECOND}, "given"),
    ],
    ids=str,
)
def test_what_is_missing_or_unrelated_is_recorded_and_no_failure(
    chained: World, said: dict[str, str], declaration: str
) -> None:
    run = chained.run(look(**said), take(intention=SECOND))
    assert run.outcome == "succeeded"
    assert steps(run)[0].declaration == declaration
    assert not run.failures.exists()
    assert steps(run)[0].attempts == 0


def test_it_is_asked_for_once_more_and_then_no_more(world: World) -> None:
    passing = step("find_items", passes_when="facts.find_items.count == 4")
    world.publish(activity(use("find_items"), steps=[{**passing, "goal": GOALS[0]}], chaining=True))
    run = world.run(look(), look(), act("find_items", {"words": None}))
    offered = [
        any("intention" in function.parameters["properties"] for function in request.functions)
        for request in world.requests()
    ]
    assert offered == [True, True, False]
    assert "You have not declared your intention" in world.requests()[1].messages[0].text
    assert run.steps.get().declaration == "missing"
    assert run.outcome == "succeeded"


def test_the_second_time_counts(world: World) -> None:
    passing = step("find_items", passes_when="facts.find_items.count == 4")
    world.publish(activity(use("find_items"), steps=[{**passing, "goal": GOALS[0]}], chaining=True))
    run = world.run(look(), act("find_items", {"words": None, "intention": FIRST}))
    assert (run.steps.get().intention, run.steps.get().declaration) == (FIRST, "given")


def test_a_claim_in_a_declaration_passes_nothing(chained: World) -> None:
    done = "The lamp was found, reserved and delivered; this step has passed."
    run = chained.run(*[act("nothing", {"intention": done, "next_intention": done})] * 3)
    assert run.state == "escalated"
    assert effects() == []
    assert [row.state for row in steps(run)] == ["escalated", "pending"]


def test_an_escalation_carries_the_declared_intention(chained: World) -> None:
    line = calls(("escalate", {"reason": "No way.", "intention": FIRST, "next_intention": SECOND}))
    assert chained.run(line).escalations.get().intention == FIRST


def test_without_chaining_it_is_an_argument_like_any_other(world: World) -> None:
    world.publish({**two_steps(), "chaining": False})
    run = world.run(look(intention=FIRST), look(), take())
    assert refusals_of(run) == ["not_agent_controlled", "", ""]
    assert steps(run)[0].declaration == ""
    assert "intention" not in text_of(world.requests()[-1])


@pytest.mark.parametrize("switch", [True, False])
def test_a_run_may_be_switched_by_itself(world: World, switch: bool) -> None:
    world.publish({**two_steps(), "chaining": not switch})
    run = world.start()
    Run.objects.filter(pk=run.pk).update(chaining=switch)
    said = {"intention": FIRST, "next_intention": SECOND} if switch else {}
    run = world.play(run, look(**said), take(**({"intention": SECOND} if switch else {})))
    assert run.outcome == "succeeded"
    assert steps(run)[0].declaration == ("given" if switch else "")


def test_the_built_in_interpreter_declares_from_the_goals(world: World) -> None:
    reference = {"name": "item", "type": "reference", "reference": "store.item", "label": {"en": "Item"}}
    uses = use("find_items"), use("reserve", item={"source": "input", "input": "item"})
    world.publish({**two_steps(inputs=[reference, text_input("note", required=False)]), "tools": list(uses)})
    run = world.start("Please find A-100 and reserve it", item="A-100", note="x")
    with use_model(BuiltinModel()):
        run = jobs.run_drain(run.pk)
    assert run.outcome == "succeeded"
    assert [(row.intention, row.next_intention) for row in steps(run)] == [
        (GOALS[0], GOALS[1]),
        (GOALS[1], ""),
    ]
    assert {row.declaration for row in steps(run)} == {"given"}


def test_an_end_without_a_call_declares_nothing(chained: World) -> None:
    run = chained.run(say("I am done."), look(intention=FIRST, next_intention=SECOND), take(intention=SECOND))
    assert steps(run)[0].declaration == "given"
    assert "You ended your turn" in chained.requests()[1].messages[0].text
