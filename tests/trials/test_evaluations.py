"""Test prompts and evaluations: what is expected is compared part by part, and kept beside the revision."""

import json
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts import access
from accounts.models import AuditEvent
from activities.actions.prompts import prompt_delete, prompt_part, prompt_save, prompts_import, prompts_of
from activities.evaluations import comparison, latest_evaluation, latest_pass_rate, step_rates
from activities.models import Agent, Evaluation, EvaluationResult, Revision, TestPrompt
from activities.prompt_parts import PromptPart
from agentapp.kernel.errors import Conflict, InvalidInput, NotAllowed, NotFound
from runs.llm import use_model
from runs.llm.scripted import Line, ScriptedModel
from runs.models import Run
from runs.trials.evaluating import evaluate, evaluation_begin, evaluation_carry_out, evaluation_run
from tests.support.blueprints import activity, from_input, step, text_input, use
from tests.support.world import World, act
from tests.trials.trying import chosen, declined, filled

ORDER = {"item": "A-100", "amount": "20", "priority": "low", "note": None}
SCRIPT = (chosen(), act("order", ORDER))


@pytest.fixture
def agent(world: World) -> Agent:
    """A draft with one ordering activity, which the owner may use."""
    world.revision = world.draft(activity(use("order"), steps=[step("order", key="order", max_attempts=1)]))
    access.grant("activities.use_agent", world.keepers, world.revision.agent)
    return world.revision.agent


def part(key: str = "one", **changed: Any) -> PromptPart:
    given = {"key": key, "language": "en", "text": "Please order A-100.", "activity": "handle", **changed}
    return PromptPart.model_validate(given)


def judged(world: World, prompt: PromptPart, *lines: Line) -> EvaluationResult:
    """The result of this prompt alone."""
    assert world.revision is not None
    TestPrompt.objects.all().delete()
    prompts_import(world.revision.agent, [prompt], actor=world.designer)
    model = ScriptedModel(list(lines))
    with model:
        evaluation = evaluate(world.revision, actor=world.designer, model=model)
    return evaluation.results.get()


def parts_of(result: EvaluationResult) -> dict[str, bool]:
    return dict(result.steps.values_list("key", "passed"))


def test_all_as_expected(world: World, agent: Agent) -> None:
    call = {"tool": "store.order", "arguments": {"item": "A-100", "amount": "20.00"}}
    result = judged(world, part(calls=[call]), *SCRIPT)
    assert result.passed
    assert parts_of(result) == {"route": True, "inputs": True, "order": True, "calls": True, "outcome": True}
    assert (result.outcome, result.activity_key) == ("simulated", "handle")
    assert Run.objects.get(pk=result.run_id).trial


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({"calls": [{"tool": "store.order", "arguments": {"amount": "21"}}]}, "calls"),
        ({"calls": [{"tool": "store.notify"}]}, "calls"),
        ({"calls": [{"tool": "store.order", "error": "tool_refused"}]}, "calls"),
        ({"outcome": "nothing_to_do"}, "outcome"),
        ({"inputs": {"what": "lamp"}}, "inputs"),
    ],
    ids=["other value", "other tool", "no error", "other outcome", "no such input"],
)
def test_one_part_is_wrong(world: World, agent: Agent, changed: dict[str, Any], wrong: str) -> None:
    result = judged(world, part(**changed), *SCRIPT)
    assert not result.passed
    assert [key for key, passed in parts_of(result).items() if not passed] == [wrong]
    assert result.reason.startswith(f"{wrong}: ")


def test_a_wrong_route_ends_the_comparison(world: World, agent: Agent) -> None:
    result = judged(world, part(), declined())
    assert parts_of(result) == {"route": False}
    assert "declined" in result.reason


def test_a_decline_that_is_expected(world: World, agent: Agent) -> None:
    result = judged(world, part(activity="", route="declined", outcome="declined"), declined())
    assert result.passed


def test_a_step_that_is_not_passed_is_the_one_that_is_wrong(world: World, agent: Agent) -> None:
    """An item of nobody's words is refused by the gate: the step escalates."""
    escalating = (chosen(), act("order", {**ORDER, "item": "A-400"}))
    result = judged(world, part(), *escalating)
    assert parts_of(result) == {"route": True, "inputs": True, "order": False, "outcome": False}
    call = {"tool": "store.order", "error": "ungrounded"}
    expected = judged(world, part(outcome="escalated", calls=[call]), *escalating)
    assert expected.passed


def test_what_is_asked_for_must_be_exactly_what_is_expected(world: World) -> None:
    find = use("find_items", words=from_input("what"))
    world.revision = world.draft(activity(find, inputs=[text_input("what"), text_input("why")]))
    access.grant("activities.use_agent", world.keepers, world.revision.agent)
    asking = (chosen(), filled(what=None, why=None))
    right = judged(world, part(outcome="needs_input", asks=["why", "what"]), *asking)
    assert right.passed
    wrong = judged(world, part(outcome="needs_input", asks=["what"]), *asking)
    assert parts_of(wrong) == {"route": True, "inputs": False, "outcome": True}


def test_who_may_not_use_it_is_declined(world: World, agent: Agent) -> None:
    expected = part(activity="", route="declined", outcome="declined", as_user=world.member.email)
    assert judged(world, expected).passed


# Rates


def test_the_rate_is_a_percentage_of_the_newest_evaluation(world: World, agent: Agent) -> None:
    assert world.revision is not None
    assert latest_pass_rate(world.revision) is None
    prompts_import(agent, [part("one"), part("two"), part("three")], actor=world.designer)
    lines = [*SCRIPT, *SCRIPT, declined()]
    evaluate(world.revision, model=ScriptedModel(lines))
    assert latest_pass_rate(world.revision) == Decimal("66.67")
    evaluate(world.revision, model=ScriptedModel([*SCRIPT, *SCRIPT, *SCRIPT]))
    assert latest_pass_rate(world.revision) == Decimal(100)


def test_an_evaluation_of_an_earlier_version_counts_no_longer(world: World, agent: Agent) -> None:
    judged(world, part(), *SCRIPT)
    assert world.revision is not None
    Revision.objects.filter(pk=world.revision.pk).update(version=world.revision.version + 1)
    world.revision.refresh_from_db()
    assert latest_pass_rate(world.revision) is None


def test_an_unfinished_evaluation_does_not_count(world: World, agent: Agent) -> None:
    prompts_import(agent, [part()], actor=world.designer)
    assert world.revision is not None
    evaluation_begin(world.revision, actor=world.designer)
    assert latest_evaluation(world.revision) is None


def test_it_is_compared_with_the_revision_before(world: World, agent: Agent) -> None:
    assert world.revision is not None
    first = world.revision
    prompts_import(agent, [part("one"), part("two")], actor=world.designer)
    evaluate(first, model=ScriptedModel([*SCRIPT, *SCRIPT]))
    second = world.draft(activity(use("order"), steps=[step("order", key="order", max_attempts=1)]))
    evaluate(second, model=ScriptedModel([*SCRIPT, declined()]))
    newest = latest_evaluation(second)
    assert newest is not None
    found = comparison(newest)
    assert (found.rate, found.previous_rate) == (Decimal(50), Decimal(100))
    assert [row.result.key for row in found.lost] == ["two"]
    route = next(row for row in found.steps if row.now.key == "route")
    assert (route.now.rate, route.before.rate if route.before else None) == (Decimal(50), Decimal(100))


def test_steps_are_counted_of_the_times_they_were_reached(world: World, agent: Agent) -> None:
    assert world.revision is not None
    prompts_import(agent, [part("one"), part("two")], actor=world.designer)
    done = evaluate(world.revision, model=ScriptedModel([*SCRIPT, declined()]))
    rates = {(rate.activity_key, rate.key): (rate.passed, rate.total) for rate in step_rates(done)}
    assert rates[("", "route")] == (1, 2)
    assert rates[("handle", "order")] == (1, 1)


# The job


def test_the_job_goes_on_where_it_was_broken_off(world: World, agent: Agent) -> None:
    assert world.revision is not None
    prompts_import(agent, [part("one"), part("two")], actor=world.designer)
    evaluation = evaluation_run(world.revision, world.designer)
    EvaluationResult.objects.create(
        evaluation=evaluation, key="one", language="en", text="before the break", passed=True
    )
    with use_model(ScriptedModel(list(SCRIPT))):
        evaluation_carry_out(evaluation.pk)
    evaluation.refresh_from_db()
    assert evaluation.finished_at is not None
    texts = dict(evaluation.results.values_list("key", "text"))
    assert texts == {"one": "before the break", "two": "Please order A-100."}


def test_one_at_a_time(world: World, agent: Agent) -> None:
    assert world.revision is not None
    prompts_import(agent, [part()], actor=world.designer)
    evaluation_run(world.revision, world.designer)
    with pytest.raises(Conflict):
        evaluation_run(world.revision, world.designer)


def test_who_may_not_design_may_not_evaluate(world: World, agent: Agent) -> None:
    assert world.revision is not None
    prompts_import(agent, [part()], actor=world.designer)
    for user in (world.owner, world.member, world.stranger, world.root):
        with pytest.raises(NotAllowed):
            evaluation_run(world.revision, user)
    assert not Evaluation.objects.exists()


def test_without_prompts_there_is_nothing_to_evaluate(world: World, agent: Agent) -> None:
    assert world.revision is not None
    with pytest.raises(InvalidInput):
        evaluation_run(world.revision, world.designer)


def test_it_is_on_record(world: World, agent: Agent) -> None:
    result = judged(world, part(), *SCRIPT)
    events = AuditEvent.objects.filter(stream=result.evaluation.revision_id, type__startswith="evaluation")
    assert [(event.type, event.actor_id) for event in events.order_by("seq")] == [
        ("evaluation.started", world.designer.pk),
        ("evaluation.finished", world.designer.pk),
    ]


# Prompts


def test_prompts_come_back_as_they_were_written(world: World, agent: Agent) -> None:
    call = {"tool": "store.order", "arguments": {"item": "A-100"}, "error": "ungrounded"}
    given = [
        part("one", calls=[call], note="Because.", as_user=world.owner.email, inputs={"what": "lamp"}),
        part("two", activity="", route="declined", outcome="declined", kept_with="handle"),
    ]
    assert prompts_import(agent, given, actor=world.designer) == ["one", "two"]
    assert [prompt_part(row) for row in prompts_of(agent)] == given
    events = AuditEvent.objects.count()
    assert prompts_import(agent, given, actor=world.designer) == []
    assert AuditEvent.objects.count() == events


def test_saving_and_deleting_one_is_on_record_with_before_and_after(world: World, agent: Agent) -> None:
    prompt_save(agent, part(), actor=world.designer)
    prompt_save(agent, part(text="Order A-200."), actor=world.designer)
    saved = AuditEvent.objects.filter(type="prompt.saved").order_by("seq").last()
    assert saved is not None
    assert (saved.data["before"]["text"], saved.data["after"]["text"]) == (
        "Please order A-100.",
        "Order A-200.",
    )
    prompt_delete(agent, "one", actor=world.designer)
    assert not prompts_of(agent)
    with pytest.raises(NotFound):
        prompt_delete(agent, "one", actor=world.designer)


def test_only_designers_write_prompts(world: World, agent: Agent) -> None:
    for user in (world.owner, world.member, world.stranger, world.root):
        with pytest.raises(NotAllowed):
            prompt_save(agent, part(), actor=user)


@pytest.mark.parametrize(
    "changed", [{"activity": "nowhere"}, {"as_user": "nobody@example.org"}], ids=["activity", "person"]
)
def test_a_prompt_that_names_nothing_writes_nothing(
    world: World, agent: Agent, changed: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        prompts_import(agent, [part("right"), part("wrong", **changed)], actor=world.designer)
    assert not TestPrompt.objects.exists()


@pytest.mark.parametrize(
    "changed",
    [
        {"activity": ""},
        {"route": "declined"},
        {"activity": "", "route": "declined"},
        {"activity": "", "route": "unclear"},
        {"asks": ["what"]},
        {"outcome": "succeeded"},
        {"text": ""},
        {"key": "No Key"},
        {"unknown": 1},
    ],
    ids=repr,
)
def test_an_expectation_that_contradicts_itself_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        part(**changed)


# The command


def command(*arguments: str) -> tuple[int, str]:
    said = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("evaluate", *arguments, stdout=said)
    return int(str(ended.value.code)), said.getvalue()


def test_the_command_tells_and_fails_below_the_required_rate(world: World, agent: Agent) -> None:
    prompts_import(agent, [part("one"), part("two")], actor=world.designer)
    with use_model(ScriptedModel([*SCRIPT, declined()] * 3)):
        code, said = command("--agent", "store", "--require", "60")
        assert code == 1
        assert "1 of 2 test prompts passed: 50.00 %" in said
        assert "FAILED  en  two" in said
        assert "handle.order" in said
        assert command("--agent", "store", "--require", "50")[0] == 0
        assert command("--workspace", "here")[0] == 0


def test_the_revisions_own_rate_is_required(world: World, agent: Agent) -> None:
    prompts_import(agent, [part()], actor=world.designer)
    Revision.objects.filter(agent=agent).update(required_pass_rate=80)
    with use_model(ScriptedModel([declined()])):
        assert command("--agent", "store")[0] == 1


def test_the_command_as_json(world: World, agent: Agent) -> None:
    prompts_import(agent, [part()], actor=world.designer)
    with use_model(ScriptedModel(list(SCRIPT))):
        code, said = command("--agent", "store", "--json")
    assert code == 0
    found = json.loads(said)["evaluations"][0]
    assert (found["agent"], found["revision"], found["rate"], found["total"]) == ("store", 1, "100.00", 1)
    assert found["prompts"][0]["steps"][0] == {"activity": "", "key": "route", "passed": True, "reason": ""}
    assert {
        "activity": "handle",
        "key": "order",
        "passed": 1,
        "total": 1,
        "rate": "100.00",
        "before": None,
    } in (found["steps"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["--agent", "nothing"],
        ["--workspace", "nowhere"],
        ["--agent", "store", "--revision", "9"],
        ["--revision", "1"],
        ["--agent", "store", "--as", "nobody@example.org"],
        ["--agent", "store", "--require", "101"],
    ],
    ids=" ".join,
)
def test_the_command_says_what_is_wrong(world: World, agent: Agent, arguments: list[str]) -> None:
    prompts_import(agent, [part()], actor=world.designer)
    with pytest.raises(CommandError):
        call_command("evaluate", *arguments, stdout=StringIO())


# Intentions


def test_an_experiment_is_no_evaluation_of_the_revision(world: World, agent: Agent) -> None:
    """With intentions declared against what the activity says, the rate says nothing of the revision."""
    assert world.revision is not None
    prompts_import(agent, [part()], actor=world.designer)
    plain = evaluate(world.revision, model=ScriptedModel(list(SCRIPT)))
    experiment = evaluate(world.revision, model=ScriptedModel([declined()]), chaining=True)
    assert latest_evaluation(world.revision) == plain
    assert Run.objects.get(pk=experiment.results.get().run_id).chaining is True
    assert comparison(experiment).previous == plain
    assert comparison(plain).previous is None
