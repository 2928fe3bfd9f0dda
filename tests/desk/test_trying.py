"""Trials, test prompts and evaluations at the desk."""

from collections.abc import Callable
from typing import Any

from django.test import Client

from accounts import access
from accounts.models import User
from activities.actions.prompts import prompts_of
from activities.models import Activity, Evaluation, EvaluationResult, Revision, TestPrompt
from runs.admin.desk.past import past_runs, past_scope
from runs.models import Run
from runs.usage import used
from tests.desk.conftest import at, handling
from tests.desk.test_saving import rows
from tests.support.blueprints import activity, use
from tests.support.world import World, act


def start(desk: Client, revision: Revision, person: User, prompt: str = "Handle A-100.") -> Any:
    return desk.post(at("desk_trial", revision.pk), {"prompt": prompt, "as_user": str(person.pk)})


def test_a_trial_is_ones_own(
    world: World, draft: Revision, desk: Client, colleague: User, sign_in: Callable[[User], Client]
) -> None:
    answer = start(desk, draft, world.owner)
    run = Run.objects.get(trial=True)
    assert (run.user, run.trial_by, answer.url) == (
        world.owner, world.designer, at("desk_trial_result", run.pk)
    )  # fmt: skip
    page = desk.get(answer.url).content.decode()
    assert "Handle A-100." in page
    assert "hx-get" in page.split('id="trial"')[1].split(">")[0]
    other = sign_in(colleague)
    assert other.get(answer.url).status_code == 404
    assert other.post(at("desk_trial_answer", run.pk), {"text": "x"}).status_code == 404


def test_nobody_is_tried_as_who_is_no_member(world: World, draft: Revision, desk: Client) -> None:
    assert start(desk, draft, world.stranger).status_code == 200
    assert start(desk, draft, world.owner, prompt=" ").status_code == 200
    assert not Run.objects.exists()


def prompt_data(draft: Revision, **changes: Any) -> dict[str, Any]:
    call = {"tool": "store.order", "arguments": "item = A-100\namount = 12.50"}
    values = {
        "text": "Order A-100.",
        "language": "en",
        "key": "order_one",
        "route": "activity",
        "activity": "handle",
        "outcome": "done",
        "inputs": "period.start = 2025-01-01\nurgent = yes",
        **rows("calls", call),
    }
    return values | changes


def test_prompts_are_rows(world: World, draft: Revision, desk: Client) -> None:
    url = at("desk_prompt_new", draft.pk)
    assert desk.post(url, prompt_data(draft)).status_code == 302
    row = prompts_of(draft.agent)[0]
    assert row.expected_inputs == {"period": {"start": "2025-01-01"}, "urgent": True}
    assert row.expected_calls.all()[0].arguments == {"item": "A-100", "amount": "12.50"}
    page = desk.get(at("desk_prompt", draft.pk, row.pk)).content.decode()
    assert "period.start = 2025-01-01" in page
    assert "Order A-100." in desk.get(at("desk_prompts", draft.pk)).content.decode()
    desk.post(at("desk_prompt_delete", draft.pk, row.pk))
    assert not TestPrompt.objects.exists()


def test_a_wrong_prompt_is_told(draft: Revision, desk: Client) -> None:
    for wrong in (
        {"inputs": "no equals sign"},
        {"activity": ""},
        {"route": "declined", "activity": "", "outcome": "done"},
        {"key": "Not A Key"},
        rows("calls", {"tool": "store.nothing"}),
    ):
        answer = desk.post(at("desk_prompt_new", draft.pk), prompt_data(draft, **wrong))
        assert answer.status_code == 422, wrong
    assert not TestPrompt.objects.exists()


def test_a_prompt_of_elsewhere_is_not_there(world: World, draft: Revision, desk: Client) -> None:
    desk.post(at("desk_prompt_new", draft.pk), prompt_data(draft))
    row = TestPrompt.objects.get()
    other = type(draft.agent).objects.create(workspace=world.elsewhere, key="x", name={})
    TestPrompt.objects.filter(pk=row.pk).update(agent=other)
    assert desk.get(at("desk_prompt", draft.pk, row.pk)).status_code == 404
    assert desk.post(at("desk_prompt_delete", draft.pk, row.pk)).status_code == 404


def test_an_evaluation_is_shown_beside_the_one_before(world: World, draft: Revision, desk: Client) -> None:
    newer = world.draft(handling())
    for revision, passed in ((draft, False), (newer, True)):
        found = Evaluation.objects.create(
            revision=revision, version=revision.version, finished_at=revision.created_at
        )
        EvaluationResult.objects.create(
            evaluation=found, key="one", language="en", text="Order it.", passed=passed, reason="because"
        )
    page = desk.get(at("desk_evaluations", newer.pk)).content.decode()
    assert "100.00 %" in page
    assert "0.00 %" in page
    assert "because" in page


def test_an_evaluation_without_prompts_is_told(draft: Revision, desk: Client) -> None:
    answer = desk.post(at("desk_evaluation_run", draft.pk), follow=True)
    assert "This agent has no test prompts yet." in answer.content.decode()


def test_past_runs_fill_previews_for_who_may_see_them(world: World) -> None:
    revision = world.publish(activity(use("find_items")))
    part: Activity = revision.activities.get()
    run = world.play(world.start(), act("find_items", {"words": "lamp"}))
    assert run.outcome == "succeeded"
    assert [each.id for each in past_runs(world.owner, part)] == [run.pk]
    assert past_runs(world.designer, part) == []
    assert past_scope(world.owner, part, run.pk)["facts"]["find_items"]["count"] == 2
    access.grant("accounts.view_all_runs", world.designer, world.workspace)
    [seen] = past_runs(world.designer, part)
    scope = past_scope(world.designer, part, seen.id)
    assert "lamps@supplier.example" not in str(scope)
    assert used(part.identity).runs == 1
