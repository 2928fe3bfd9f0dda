"""The tools that write here: credit notes, follow-ups, allocations."""

from datetime import date
from decimal import Decimal

import pytest

from activities.tools import Preview, ToolArgumentError, ToolContext, ToolRefused
from examples.billing import known
from examples.billing.models import CreditNote, FollowUp, PaymentAllocation, PaymentException
from examples.billing.tools import allocation, credit_notes, customers, invoices, settlement
from tests.billing import build
from tests.billing.conftest import History


def draft(ctx: ToolContext, number: str, amount: str | None = None) -> credit_notes.DraftCreditNoteResult:
    """Draft as the engine does: prepare, guard, execute."""
    params = credit_notes.DraftCreditNoteParams(invoice=number, reason="one was broken", amount=amount)
    params = credit_notes.prepare_credit_note(ctx, params)
    credit_notes.guard_credit_note(ctx, params)
    return credit_notes.draft_credit_note(ctx, params)


def test_a_credit_note_is_a_draft_and_changes_no_balance(ctx: ToolContext) -> None:
    invoice = build.invoice(build.customer(ctx.workspace))
    result = draft(ctx, invoice.number, "20.00")
    note = CreditNote.objects.get(number=result.credit_note)
    assert (note.state, note.amount, note.invoice) == ("draft", Decimal("20.00"), invoice)
    read = invoices.get_invoice(ctx, invoices.GetInvoiceParams(invoice=invoice.number))
    assert (read.balance, read.credited) == (Decimal("100.00"), Decimal("0.00"))


def test_without_an_amount_it_is_what_other_notes_left(ctx: ToolContext) -> None:
    invoice = build.invoice(build.customer(ctx.workspace))
    build.credit(invoice, "30.00")
    assert draft(ctx, invoice.number).amount == Decimal("70.00")
    with pytest.raises(ToolRefused):
        draft(ctx, invoice.number)


def test_never_more_than_the_invoice_and_never_on_a_cancelled_one(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace)
    with pytest.raises(ToolArgumentError) as caught:
        draft(ctx, build.invoice(customer).number, "100.01")
    assert caught.value.params == ("amount",)
    with pytest.raises(ToolRefused):
        draft(ctx, build.invoice(customer, cancelled_on=date(2026, 5, 2)).number)
    assert not CreditNote.objects.filter(workspace=ctx.workspace).exists()


def test_credit_note_numbers_count_up_within_a_workspace(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace)
    numbers = [draft(ctx, build.invoice(customer).number).credit_note for _ in range(3)]
    assert numbers == ["CN-2026-0001", "CN-2026-0002", "CN-2026-0003"]
    other = build.context(build.workspace("other"))
    assert draft(other, build.invoice(build.customer(other.workspace)).number).credit_note == "CN-2026-0001"


@pytest.mark.parametrize("amount", ["0", "-5", "0.001", "NaN", "Infinity", "1e20"])
def test_amounts_that_are_no_amounts_do_not_validate(amount: str) -> None:
    for model in (credit_notes.DraftCreditNoteParams, settlement.SettlePaymentParams):
        names = {"invoice": "INV-2026-00001", "reason": "because", "payment": "PAY-2026-00001"}
        fields = {name: value for name, value in names.items() if name in model.model_fields}
        with pytest.raises(ValueError, match="amount"):
            model(**fields, amount=amount)


def test_a_follow_up_is_noted_for_a_day_ahead(ctx: ToolContext) -> None:
    build.customer(ctx.workspace, code="C-0001")
    params = customers.ScheduleFollowUpParams(
        customer="C-0001", due_on=date(2026, 7, 14), note="Ask about the desks"
    )
    customers.guard_follow_up(ctx, params)
    customers.schedule_follow_up(ctx, params)
    row = FollowUp.objects.get(workspace=ctx.workspace)
    assert (row.due_on, row.note, row.created_by) == (date(2026, 7, 14), "Ask about the desks", ctx.user)
    with pytest.raises(ToolArgumentError) as caught:
        customers.guard_follow_up(ctx, params.model_copy(update={"due_on": date(2026, 6, 29)}))
    assert caught.value.params == ("due_on",)


def propose(ctx: ToolContext, number: str) -> allocation.ProposeAllocationResult:
    return allocation.propose_allocation(ctx, allocation.ProposeAllocationParams(payment=number))


def test_the_invoice_the_payer_names_is_proposed(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace)
    invoice = build.invoice(customer, number="INV-2026-00042")
    build.invoice(customer)
    for remittance, amount, reason in (
        ("inv 2026 00042 merci", "100.00", "number_and_amount"),
        ("Invoice INV-2026-00042", "60.00", "number_only"),
        ("INV-2026-00042", "130.00", "number_only"),
    ):
        found = propose(ctx, build.payment(customer, amount, remittance=remittance).number)
        assert (found.recommendation, found.invoice, found.reason) == ("allocate", invoice.number, reason)
        assert found.amount == min(Decimal(amount), Decimal("100.00"))


def test_one_open_invoice_of_the_amount_is_proposed_two_are_for_a_person(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace)
    first = build.invoice(customer)
    payment = build.payment(customer, "100.00")
    assert (propose(ctx, payment.number).invoice, propose(ctx, payment.number).reason) == (
        first.number,
        "amount_only",
    )
    build.invoice(customer)
    found = propose(ctx, payment.number)
    assert (found.recommendation, found.reason, found.invoice) == ("review", "several_fit", None)
    assert len(found.candidates) == 2


def test_what_is_paid_disputed_foreign_or_of_somebody_else_is_no_candidate(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace)
    build.pay(build.invoice(customer), "100.00")
    build.invoice(customer, disputed_on=date(2026, 5, 2))
    build.invoice(customer, cancelled_on=date(2026, 5, 2))
    build.invoice(build.customer(ctx.workspace))
    found = propose(ctx, build.payment(customer, "100.00").number)
    assert (found.recommendation, found.reason, found.candidates) == ("review", "none_fits", [])


def test_a_disputed_payment_is_for_a_person_and_a_used_one_for_nobody(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace)
    build.invoice(customer)
    disputed = build.payment(customer, "100.00", disputed_on=date(2026, 5, 30))
    assert (propose(ctx, disputed.number).recommendation, propose(ctx, disputed.number).reason) == (
        "review",
        "disputed",
    )
    used = build.pay(build.invoice(customer), "100.00")
    assert propose(ctx, used.number).recommendation == "nothing"


def test_the_known_exceptions_are_what_they_are_known_for(history: History) -> None:
    matching = propose(history.ctx, known.MATCHING_PAYMENT)
    assert (matching.recommendation, matching.invoice) == ("allocate", known.MATCHING_INVOICE)
    assert matching.reason == "number_and_amount"
    ambiguous = propose(history.ctx, known.AMBIGUOUS_PAYMENT)
    assert (ambiguous.recommendation, ambiguous.reason) == ("review", "several_fit")
    assert {item.invoice for item in ambiguous.candidates[:2]} == set(known.AMBIGUOUS_INVOICES)
    assert propose(history.ctx, known.DISPUTED_PAYMENT).reason == "disputed"


def test_the_reason_is_worded_in_the_users_language(history: History) -> None:
    french = build.context(history.ctx.workspace, language="fr")
    assert "facture" in propose(french, known.MATCHING_PAYMENT).reason_text
    assert "invoice" in propose(history.ctx, known.MATCHING_PAYMENT).reason_text


def settle(
    ctx: ToolContext, payment: str, invoice: str, amount: str | None = None
) -> settlement.SettlePaymentResult:
    params = settlement.SettlePaymentParams(payment=payment, invoice=invoice, amount=amount)
    params = settlement.prepare_settlement(ctx, params)
    settlement.guard_settlement(ctx, params)
    return settlement.settle_payment(ctx, params)


def test_settling_allocates_closes_the_exception_and_pays_the_invoice(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace)
    invoice, payment = build.invoice(customer), build.payment(customer, "100.00")
    exception = PaymentException.objects.create(
        workspace=ctx.workspace, payment=payment, kind="unallocated", opened_on=build.TODAY
    )
    result = settle(ctx, payment.number, invoice.number)
    assert (result.amount, result.invoice_balance, result.payment_unallocated) == (Decimal(100), 0, 0)
    assert PaymentAllocation.objects.get(payment=payment).amount == Decimal("100.00")
    exception.refresh_from_db()
    assert exception.closed_on == build.TODAY
    with pytest.raises(ToolRefused):
        settle(ctx, payment.number, invoice.number)


@pytest.mark.parametrize(
    ("paid", "owed", "expected"), [("60.00", "100.00", "60.00"), ("130.00", "100.00", "100.00")]
)
def test_without_an_amount_it_takes_what_both_sides_allow(
    ctx: ToolContext, paid: str, owed: str, expected: str
) -> None:
    customer = build.customer(ctx.workspace)
    payment = build.payment(customer, paid)
    exception = PaymentException.objects.create(
        workspace=ctx.workspace, payment=payment, kind="unallocated", opened_on=build.TODAY
    )
    result = settle(ctx, payment.number, build.invoice(customer, total=owed).number)
    assert result.amount == Decimal(expected)
    exception.refresh_from_db()
    assert (exception.closed_on is None) == (result.payment_unallocated > 0)


def test_settling_refuses_what_does_not_belong_together(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace)
    invoice, payment = build.invoice(customer), build.payment(customer, "100.00")
    stranger = build.invoice(build.customer(ctx.workspace))
    with pytest.raises(ToolArgumentError) as caught:
        settle(ctx, payment.number, stranger.number)
    assert caught.value.params == ("invoice",)
    with pytest.raises(ToolArgumentError) as caught:
        settle(ctx, payment.number, invoice.number, "100.01")
    assert caught.value.params == ("amount",)
    for number in (
        build.invoice(customer, disputed_on=build.TODAY).number,
        build.invoice(customer, cancelled_on=build.TODAY).number,
    ):
        with pytest.raises(ToolRefused):
            settle(ctx, payment.number, number)
    with pytest.raises(ToolRefused):
        settle(ctx, build.payment(customer, "9.00", disputed_on=build.TODAY).number, invoice.number)
    with pytest.raises(ToolArgumentError) as caught:
        settle(ctx, payment.number, build.invoice(build.customer(build.workspace("other"))).number)
    assert not PaymentAllocation.objects.filter(payment__customer=customer).exists()


def test_the_preview_of_a_settlement_shows_what_will_be_written(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace, "Jane Roe", "C-0001")
    invoice, payment = build.invoice(customer, total="1234.50"), build.payment(customer, "2000.00")
    params = settlement.SettlePaymentParams(payment=payment.number, invoice=invoice.number)
    shown: Preview = settlement.preview_settlement(ctx, params)
    assert shown.amount == "€1,234.50"
    assert payment.number in shown.summary
    assert invoice.number in shown.summary
    assert "Jane Roe" in shown.recipient
    assert settle(ctx, payment.number, invoice.number).amount == Decimal("1234.50")
