"""The trial's page gets one object: route, inputs, steps, calls with origins, and what a person would see."""

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from accounts import access
from runs import jobs
from runs.guardrails import Limit
from runs.states import Outcome
from runs.trials.actions import trial_start
from runs.trials.report import Seen, TrialReport, trial_report
from tests.support.blueprints import activity, fixed, from_input, step, text_input, use
from tests.support.store import SUPPLIER_MAIL
from tests.support.world import World, act
from tests.trials.trying import chosen, filled, try_out

LOOK = act("find_items", {"words": None})


@pytest.fixture
def report(world: World) -> TrialReport:
    """A trial that looks, then would order what was asked for, for a reason the person gave."""
    order = use("order", priority=fixed("high"), note=from_input("why"))
    revision = world.draft(
        activity(
            use("find_items"),
            order,
            inputs=[text_input("why", required=False)],
            steps=[step("find_items", key="look"), step("order", key="order")],
            template={"en": "Ordered for {{ facts.order.amount }}."},
            guardrails={"max_tool_calls": 7},
        )
    )
    access.grant("activities.use_agent", world.keepers, revision.agent)
    text = "Please order A-100 for the hall."
    ordered = act("order", {"item": "A-100", "amount": "60"})
    run = try_out(world, revision, chosen(), filled(why="for the hall"), LOOK, ordered, text=text)
    assert run.outcome == Outcome.SIMULATED
    return trial_report(run, reader=world.designer)


def test_who_what_and_where_it_led(report: TrialReport, world: World) -> None:
    assert (report.as_user, report.by) == (world.owner.get_full_name(), world.designer.get_full_name())
    assert (report.agent, report.revision, report.language) == ("store", 1, "en")
    assert (report.route.led_to, report.route.name) == ("handle", "Handle")
    assert [(item.key, item.chosen) for item in report.route.offered] == [("store.handle", True)]
    assert not report.is_working


def test_inputs_with_their_words(report: TrialReport) -> None:
    why = report.inputs[0]
    assert (why.name, why.value, why.origin, why.detail) == ("why", "for the hall", "words", "for the hall")


def test_steps_and_calls_with_origins(report: TrialReport) -> None:
    look, order = report.steps
    assert (look.key, look.state, order.key, order.state) == ("look", "passed", "order", "passed")
    call = order.calls[0]
    origins = {item.name: (item.provenance, item.origin) for item in call.arguments}
    assert origins == {
        "item": ("agent", "fact"),
        "amount": ("agent", "looked_up"),
        "to": ("default", "default"),
        "priority": ("fixed", "fixed"),
        "note": ("input", "words"),
    }
    assert (call.simulated, call.asks, call.title) == (True, True, "Order")
    assert call.sources["reference"] == "placeholder"
    assert not look.calls[0].simulated


def test_what_a_person_would_see_in_order(report: TrialReport) -> None:
    kinds = [part.kind for part in report.seen]
    assert kinds == ["message", "dialog", "answer"]
    dialog = report.seen[1]
    assert dialog.dialog is not None
    assert dialog.dialog["summary"] == "Order Blue lamp from the supplier."
    assert report.seen[2] == Seen("answer", "Ordered for 50.")


def test_what_was_used_of_the_limits(report: TrialReport) -> None:
    used = {item.limit: (item.used, item.allowed) for item in report.limits}
    assert used[Limit.TOOL_CALLS] == (2, 7)
    assert used[Limit.MODEL_CALLS][0] == 4


def test_protected_values_are_tokens_for_who_was_not_tried_as(world: World) -> None:
    """Trying as somebody must not be a way to read what only they may see."""
    revision = world.draft(
        activity(use("find_items"), template={"en": "Write to {{ facts.find_items.items[0].contact }}."})
    )
    access.grant("activities.use_agent", world.keepers, revision.agent)
    run = try_out(world, revision, chosen(), LOOK)
    report = trial_report(run, reader=world.designer)
    assert SUPPLIER_MAIL in run.answer.replace("\\", "")
    assert SUPPLIER_MAIL not in repr(report).replace("\\", "")
    assert "[[email-1]]" in repr(report.steps[0].calls[0].result)


def test_a_queued_trial_is_a_workers(world: World) -> None:
    revision = world.draft(activity(use("find_items")))
    before = ProcrastinateJob.objects.filter(task_name=jobs.TASK).count()
    given = {"actor": world.designer, "as_user": world.owner, "revision": revision, "prompt": "A-100"}
    run = trial_start(**given, queue=True)  # type: ignore[arg-type]
    assert ProcrastinateJob.objects.filter(task_name=jobs.TASK).count() == before + 1
    assert trial_report(run, reader=world.designer).is_working
