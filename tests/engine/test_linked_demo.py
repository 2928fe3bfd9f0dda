"""The demonstration's linked runs with the built-in interpreter: a payment exception, two things at once."""

import pytest

from accounts.models import User, Workspace
from agentapp.kernel.ids import uuid7
from examples.billing import known
from examples.billing.models import PaymentAllocation
from runs import actions, jobs
from runs.models import Confirmation, Run
from runs.states import ConfirmationState
from tests.api.conftest import seeded

__all__ = ["seeded"]
pytestmark = pytest.mark.django_db


def person(name: str) -> User:
    return User.objects.get(email=f"{name}@example.com")


def asked(name: str, text: str) -> list[Run]:
    """Ask, and drive whatever follows in this process to its pause; the runs in order."""
    user = person(name)
    conversation = actions.conversation_create(user=user, workspace=Workspace.objects.get(slug="orvelle"))
    posted = actions.message_post(user=user, conversation_id=conversation.pk, text=text, client_id=uuid7())
    return drained(posted.run)


def drained(run: Run) -> list[Run]:
    runs = [jobs.run_drain(run.pk)]
    while following := runs[-1].children.first():
        runs.append(jobs.run_drain(following.pk))
    return runs


def allocated() -> list[str]:
    rows = PaymentAllocation.objects.filter(payment__number=known.MATCHING_PAYMENT)
    return [row.invoice.number for row in rows.select_related("invoice")]


def test_a_recommendation_is_settled_after_a_confirmation(seeded: Workspace) -> None:
    first, second = asked("alice", f"Analyse the payment exception {known.MATCHING_PAYMENT}.")
    assert first.outcome == "succeeded"
    assert (second.activity.key, second.state) == ("settle_payment_exception", "awaiting_confirmation")  # type: ignore[union-attr]
    assert {row.origin for row in second.inputs.all()} == {"handed_over"}
    assert allocated() == []
    pending = Confirmation.objects.get(run=second, state=ConfirmationState.PENDING)
    actions.confirmation_decide(
        user=person("alice"), confirmation_id=pending.pk, decision="confirm", digest=pending.digest
    )
    assert jobs.run_drain(second.pk).outcome == "succeeded"
    assert allocated() == [known.MATCHING_INVOICE]


def test_who_may_not_settle_is_told_and_nothing_runs(seeded: Workspace) -> None:
    first, second = asked("chloe", f"Analyse l'exception de paiement {known.MATCHING_PAYMENT}.")
    assert first.outcome == "succeeded"
    assert (second.outcome, second.error_code, second.tool_calls) == ("refused", "permission", 0)
    assert "Régler une exception de paiement" in second.answer
    assert allocated() == []


@pytest.mark.parametrize("number", [known.AMBIGUOUS_PAYMENT, known.DISPUTED_PAYMENT])
def test_without_a_recommendation_nothing_follows(seeded: Workspace, number: str) -> None:
    runs = asked("alice", f"Analyse the payment exception {number}.")
    assert len(runs) == 1
    assert PaymentAllocation.objects.filter(payment__number=number).count() == 0


SEVERAL = {
    "alice": f"Refund invoice {known.REFUNDABLE_INVOICE} because it arrived broken and send a payment "
    f"reminder for {known.OVERDUE_INVOICE}.",
    "benoit": f"Rembourse la facture {known.REFUNDABLE_INVOICE} car l'article est arrivé cassé, puis relance "
    f"le client pour {known.OVERDUE_INVOICE}.",
}


@pytest.mark.parametrize("name", SEVERAL)
def test_two_things_at_once_are_confirmed_one_by_one(seeded: Workspace, name: str) -> None:
    (first,) = asked(name, SEVERAL[name])
    assert (first.activity.key, first.state) == ("refund_invoice", "awaiting_confirmation")  # type: ignore[union-attr]
    assert [part.activity.key for part in first.plan.parts.all()] == [  # type: ignore[union-attr]
        "refund_invoice",
        "send_payment_reminder",
    ]
    pending = first.confirmations.get()
    assert known.OVERDUE_INVOICE not in str(pending.preview)
    actions.confirmation_decide(
        user=person(name), confirmation_id=pending.pk, decision="refuse", digest=pending.digest
    )
    runs = drained(first)
    assert [run.outcome for run in runs[:1]] == ["refused"]
    assert (runs[1].activity.key, runs[1].state) == ("send_payment_reminder", "awaiting_confirmation")  # type: ignore[union-attr]
    assert runs[1].inputs.get(name="invoice").value == known.OVERDUE_INVOICE


def test_the_demonstration_declares_its_intentions(seeded: Workspace) -> None:
    (run,) = asked("alice", f"Analyse my relationship with {known.RICH_CUSTOMER_NAME} over the past year.")
    assert run.outcome == "succeeded"
    steps = list(run.steps.select_related("step").order_by("position"))
    assert steps[0].intention == steps[0].step.goal
    assert steps[0].next_intention == steps[1].intention == steps[1].step.goal
    assert [step.declaration for step in steps] == ["given", "given", ""]
