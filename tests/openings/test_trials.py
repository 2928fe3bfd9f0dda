"""Trials and evaluations of open steps: effects are simulated, and what no search showed is recorded."""

from dataclasses import replace

from activities.actions.prompts import prompts_import
from activities.models import DiscoveryLog, EvaluationResult, Revision
from activities.prompt_parts import PromptPart
from activities.tools import registry as tools
from runs.llm.scripted import Line, ScriptedModel, call
from runs.sweeping import sweep
from runs.trials.evaluating import evaluate
from runs.trials.report import trial_report
from tests.openings.opened import ask_for, find, open_activity
from tests.support.catalogue import SOME, catalogue, key_of, names, reading, replaced
from tests.support.stage import effects, stage
from tests.support.world import World, states_of
from tests.trials.trying import chosen, try_out

CHAIRS = "Tell me the price of chairs"


def test_an_opened_tool_that_reads_is_run_in_a_trial_and_is_in_no_log_of_people(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        draft = world.draft(open_activity())
        run = try_out(world, draft, chosen(), ask_for("price of chairs"), text=CHAIRS)
        report = trial_report(run, reader=world.designer)
    assert run.outcome == "succeeded"
    assert stage.calls == ["price of chairs"]
    assert not DiscoveryLog.objects.exists()
    assert DiscoveryLog.whole.get().trial
    (search,) = report.steps[0].searches
    assert search.permitted == 10
    assert "Price of chairs" in {item.title for item in search.shown}


def test_what_a_trial_searched_goes_with_it(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        draft = world.draft(open_activity())
        try_out(world, draft, chosen(), ask_for("price of chairs"), text=CHAIRS)
        world.publish(open_activity())
        run = world.run(ask_for("price of chairs"), text=CHAIRS)
        draft.delete()
        sweep()
    assert [log.run_id for log in DiscoveryLog.whole.all()] == [run.pk]


def test_an_opened_tool_with_an_effect_is_simulated(world: World) -> None:
    reserve = tools.get("store.reserve")
    assert reserve is not None
    replaced(replace(reserve, tags=("reading",)))
    with catalogue(*map(reading, names(2))):
        draft = world.draft(open_activity())
        line = call("store_reserve", {"item": "A-100", "quantity": 1})
        run = try_out(world, draft, chosen(), line)
    assert states_of(run) == ["simulated"]
    assert run.outcome == "simulated"
    assert effects() == []


def result_of(world: World, revision: Revision, tool: str, *lines: Line) -> EvaluationResult:
    prompt = {"key": "one", "language": "en", "text": CHAIRS, "activity": "handle", "calls": [{"tool": tool}]}
    prompts_import(revision.agent, [PromptPart.model_validate(prompt)], actor=world.designer)
    model = ScriptedModel([chosen(), *lines])
    with model:
        return evaluate(revision, actor=world.designer, model=model).results.get()


def test_an_expected_tool_that_no_search_showed_is_missed(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        draft = world.draft(open_activity())
        result = result_of(world, draft, key_of("recycling of lamps"), ask_for("price of chairs"))
    assert not result.passed
    assert result.missed_tools == ["shop.recycling_of_lamps"]


def test_an_expected_tool_that_was_shown_later_is_not_missed(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        draft = world.draft(open_activity())
        lines = (find("recycling of lamps"), ask_for("recycling of lamps"))
        result = result_of(world, draft, key_of("recycling of lamps"), *lines)
    assert result.passed
    assert result.missed_tools == []


def test_what_the_person_may_not_use_was_not_missed(world: World) -> None:
    with catalogue(*map(reading, SOME), reading("price of safes", permission="store.admin")):
        draft = world.draft(open_activity())
        result = result_of(world, draft, key_of("price of safes"), ask_for("price of chairs"))
    assert not result.passed
    assert result.missed_tools == []
