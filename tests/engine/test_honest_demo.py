"""A model that lies at every point, over every activity of the demonstration.

No run is ever recorded or shown as succeeded without passed verdicts, and each failure has its right name.
"""

from collections.abc import Callable, Iterator

import pytest
from django.core import mail

from accounts.models import User, Workspace
from activities.models import Activity
from activities.tools import ToolRefused, ToolUnavailable
from agentapp.kernel.ids import uuid7
from examples.billing import known
from examples.billing.models import CreditNote, PaymentAllocation, Refund
from runs import actions, jobs
from runs.chat import rows
from runs.chat.present.run import run_view
from runs.engine import act_calls
from runs.llm import use_model
from runs.llm.base import Purpose
from runs.models import Confirmation, Fact, Run, RunInput, RunStep
from runs.report import run_report
from runs.selectors import events_of
from runs.states import CallState, ConfirmationState, Outcome, RunState, StepState, Verdict
from tests.api.conftest import seeded
from tests.support import liars
from tests.support.liars import CLAIM, Liar

__all__ = ["seeded"]
pytestmark = pytest.mark.django_db
PERIOD = {"start": "2020-01-01", "end": "2035-12-31"}
INPUTS: dict[str, dict[str, object]] = {
    "analyse_customer_relationship": {"customer": known.RICH_CUSTOMER, "period": PERIOD},
    "refund_invoice": {"invoice": known.REFUNDABLE_INVOICE, "reason": "it arrived broken"},
    "send_payment_reminder": {"invoice": known.OVERDUE_INVOICE},
    "find_invoices": {"customer": known.RICH_CUSTOMER},
    "draft_credit_note": {"invoice": known.OVERDUE_INVOICE, "reason": "one was missing", "amount": "10.00"},
    "analyse_payment_exception": {"payment": known.MATCHING_PAYMENT},
    "settle_payment_exception": {"payment": known.MATCHING_PAYMENT, "invoice": known.MATCHING_INVOICE},
}
every_activity = pytest.mark.parametrize("key", INPUTS)


@pytest.fixture
def alice(seeded: Workspace) -> User:
    return User.objects.get(email="alice@example.com")


def effects() -> list[int]:
    """What is there, beside what a run has the facts of."""
    drafted = Fact.objects.filter(key="draft_credit_note").count()
    return [Refund.objects.count(), PaymentAllocation.objects.count(), CreditNote.objects.count() - drafted]


@pytest.fixture(autouse=True)
def untouched(seeded: Workspace) -> Iterator[None]:
    """Whatever is claimed, nothing was done in the world that no fact holds."""
    before = effects()
    yield
    assert effects() == before
    assert not mail.outbox


def started(user: User, key: str) -> Run:
    """A run of this activity whose inputs are there."""
    workspace = Workspace.objects.get(slug="orvelle")
    conversation = actions.conversation_create(user=user, workspace=workspace)
    posted = actions.message_post(
        user=user, conversation_id=conversation.pk, text="Please see to it.", client_id=uuid7()
    )
    chosen = Activity.objects.get(key=key, revision__state="published", revision__agent__workspace=workspace)
    Run.objects.filter(pk=posted.run.pk).update(activity=chosen, revision=chosen.revision)
    RunInput.objects.bulk_create(
        RunInput(run=posted.run, name=name, value=value, label=str(value), origin="words")
        for name, value in INPUTS[key].items()
    )
    return posted.run


def lied(user: User, key: str, lie: liars.Lie, *, prose: str = "", decision: str = "refuse") -> Run:
    """Let the liar run the activity to its end; every confirmation is decided."""
    run = started(user, key)
    with use_model(Liar(lie, prose)):
        run = jobs.run_drain(run.pk)
        while pending := Confirmation.objects.filter(run=run, state=ConfirmationState.PENDING).first():
            actions.confirmation_decide(
                user=user, confirmation_id=pending.pk, decision=decision, digest=pending.digest
            )
            run = jobs.run_drain(run.pk)
    return run


def kinds(run: Run) -> list[str]:
    return [item.kind for item in run.failures.all()]


def reason(run: Run) -> str:
    return run.escalations.get().reason


def assert_honest(run: Run) -> None:
    """What is recorded and shown is what the verdicts say, and a model's claim is nowhere an answer."""
    report = run_report(run, run.user)
    view = run_view(rows.whole_runs().get(pk=run.pk), 1, run.user)
    steps = list(run.steps.all())
    passed = all((step.state, step.verdict) == (StepState.PASSED, Verdict.PASS) for step in steps)
    if not passed or not steps:
        assert run.outcome != Outcome.SUCCEEDED
        assert report.run.outcome != Outcome.SUCCEEDED
        assert view.outcome != Outcome.SUCCEEDED
        assert "succeeded" not in view.outcome_label
        assert {event.data.get("outcome") for event in events_of(run)}.isdisjoint({"succeeded"})
    assert CLAIM not in run.answer
    assert CLAIM not in str(view.answer)
    assert len(report.failures) == run.failures.count()


def first_step(run: Run) -> RunStep:
    return run.steps.select_related("step").order_by("position")[0]


def failing(error: Exception) -> Callable[[object, object], Exception]:
    """A tool that never works."""
    return lambda _view, _execution: error


@every_activity
@pytest.mark.parametrize("lie", [liars.stops_at_once, liars.claims_at_once], ids=["stops", "claims"])
def test_an_end_before_the_end(alice: User, key: str, lie: liars.Lie) -> None:
    run = lied(alice, key, lie)
    assert_honest(run)
    assert run.state == RunState.ESCALATED
    assert kinds(run) == ["premature_end", "premature_end"]
    assert reason(run) == "premature_end"
    assert first_step(run).state == StepState.ESCALATED
    assert not run.facts.exists()


@every_activity
def test_it_is_told_where_it_stands_once(alice: User, key: str) -> None:
    liar = Liar(liars.stops_at_once)
    run = started(alice, key)
    with use_model(liar):
        jobs.run_drain(run.pk)
    first, second = (request.messages[0].text for request in liar.requests if request.purpose is Purpose.STEP)
    assert "You ended your turn" not in first
    assert "You ended your turn without calling a function" in second
    assert "Facts still missing" in second
    assert all(step.step.goal in second for step in run.steps.select_related("step"))


@every_activity
def test_success_claimed_after_an_error(alice: User, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(act_calls, "_run_tool", failing(ToolUnavailable("It is down.")))
    run = lied(alice, key, liars.claims_after_acting)
    assert_honest(run)
    assert kinds(run) == ["imagined_result", "imagined_result"]
    assert reason(run) == "imagined_result"


@every_activity
def test_success_claimed_beside_every_failing_call(
    alice: User, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(act_calls, "_run_tool", failing(ToolUnavailable("It is down.")))
    run = lied(alice, key, liars.claims_while_acting)
    assert_honest(run)
    assert run.state == RunState.ESCALATED
    assert not run.facts.exists()


@every_activity
def test_success_claimed_after_a_timeout(alice: User, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(0, 10**9, 1_000))
    monkeypatch.setattr(act_calls, "monotonic", lambda: float(next(ticks)))
    run = lied(alice, key, liars.claims_after_acting)
    assert_honest(run)
    assert kinds(run) == ["imagined_result", "imagined_result"]
    assert {call.error_code for call in run.calls.all()} == {"invalid_result"}
    assert not run.facts.exists()


@every_activity
def test_success_claimed_after_the_business_refused(
    alice: User, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(act_calls, "_run_tool", failing(ToolRefused("Not for this customer.")))
    run = lied(alice, key, liars.claims_after_acting)
    assert_honest(run)
    assert run.outcome == Outcome.REFUSED


@every_activity
def test_success_claimed_after_a_person_refused(alice: User, key: str) -> None:
    run = lied(alice, key, liars.claims_while_acting, decision="refuse")
    assert_honest(run)
    if run.confirmations.exists():
        assert run.outcome == Outcome.REFUSED


@every_activity
def test_every_tool_outside_the_step(alice: User, key: str) -> None:
    run = lied(alice, key, liars.asks_outside)
    assert_honest(run)
    assert run.state == RunState.ESCALATED
    assert set(kinds(run)) == {"scope"}
    assert reason(run) == "scope"
    assert {call.state for call in run.calls.all()} == {CallState.REFUSED}


@every_activity
def test_arguments_edited_after_each_refusal(alice: User, key: str) -> None:
    run = lied(alice, key, liars.edits_arguments)
    assert_honest(run)
    assert run.state == RunState.ESCALATED
    assert kinds(run) == ["scope"] * 3
    assert reason(run) == "scope"
    assert "1000" not in "".join(item.detail for item in run.failures.all())


def test_records_that_nobody_named(alice: User) -> None:
    """The one activity of the demonstration that leaves a record to the agent."""
    run = lied(alice, "analyse_customer_relationship", liars.invents_records)
    assert_honest(run)
    assert run.state == RunState.ESCALATED
    assert set(kinds(run)) == {"imagined_result"}
    assert reason(run) == "imagined_result"


@every_activity
def test_the_same_failing_call_for_ever(alice: User, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(act_calls, "_run_tool", failing(ToolUnavailable("It is down.")))
    run = lied(alice, key, liars.never_escalates)
    assert_honest(run)
    assert run.state == RunState.ESCALATED
    assert reason(run) == "attempts"
    assert kinds(run) == []
    assert first_step(run).attempts == first_step(run).step.max_attempts


@every_activity
def test_an_escalation_at_once_is_a_normal_end(alice: User, key: str) -> None:
    run = lied(alice, key, liars.escalates_at_once)
    assert_honest(run)
    assert run.state == RunState.ESCALATED
    assert kinds(run) == []
    assert (reason(run), run.escalations.get().summary) == ("agent", CLAIM)


READ_ONLY = ("analyse_customer_relationship", "find_invoices", "analyse_payment_exception")


@pytest.mark.parametrize("key", READ_ONLY)
def test_figures_and_names_in_prose(alice: User, key: str) -> None:
    """The run is good; what is imagined in its texts is refused, twice, named, and never shown."""
    text = "They owe 987,654.32 on INV-1999-77777."
    run = lied(alice, key, lambda _request, _number: None, prose=text)
    assert_honest(run)
    assert run.outcome == Outcome.SUCCEEDED
    assert "INV-1999-77777" not in run.answer
    assert set(kinds(run)) == ({"imagined_result"} if run.outputs.filter(source="prose").exists() else set())


@pytest.mark.parametrize("key", READ_ONLY)
def test_declared_nonsense_changes_no_verdict(alice: User, key: str) -> None:
    run = started(alice, key)
    Run.objects.filter(pk=run.pk).update(chaining=True)
    with use_model(Liar(liars.declares_nonsense)):
        run = jobs.run_drain(run.pk)
    assert_honest(run)
    assert run.outcome == Outcome.SUCCEEDED
    acted = [step for step in run.steps.select_related("step") if step.step.tool_choice != "none"]
    assert {step.declaration for step in acted} == {"unrelated"}
    assert liars.NONSENSE not in run.answer
    assert not run.calls.filter(arguments__name="intention").exists()


@every_activity
def test_declared_nonsense_starts_nothing_unconfirmed(alice: User, key: str) -> None:
    run = started(alice, key)
    Run.objects.filter(pk=run.pk).update(chaining=True)
    liar = Liar(liars.declares_nonsense)
    with use_model(liar):
        run = jobs.run_drain(run.pk)
    if run.state == RunState.AWAITING:
        pending = run.confirmations.get()
        assert liars.NONSENSE not in str(pending.preview)
        actions.run_stop(user=alice, run_id=run.pk)
    assert kinds(run) == []
