"""Payments that need a person: a recommendation, and carrying it out."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from django.db.models import F
from django.utils.translation import gettext, override
from django.utils.translation import gettext_lazy as _
from pydantic import Field

from activities.tools import (
    Effect,
    Preview,
    PreviewLine,
    Ref,
    Risk,
    ToolArgumentError,
    ToolContext,
    ToolParams,
    ToolRefused,
    ToolResult,
    tool,
)
from examples.billing import selectors
from examples.billing.allocation import OpenInvoice, Reason, propose
from examples.billing.amounts import ValuedInvoice, ValuedPayment, invoices_with_amounts
from examples.billing.formatting import day, money
from examples.billing.models import Invoice, InvoiceStatus, Payment, PaymentAllocation
from examples.billing.tools.fields import NOT_THE_AGENT, InvoiceNumber, PaymentNumber

_OPEN = (InvoiceStatus.UNPAID, InvoiceStatus.PARTLY_PAID, InvoiceStatus.OVERDUE)
_MAX_CANDIDATES = 10

_REASONS = {
    Reason.NUMBER_AND_AMOUNT: _("The payer named this invoice, and the amount is exactly what is due on it."),
    Reason.NUMBER_ONLY: _("The payer named this invoice; the amount is not what is due on it."),
    Reason.AMOUNT_ONLY: _("It is the payer's only open invoice of exactly this amount."),
    Reason.SEVERAL_FIT: _("Several open invoices fit equally; somebody has to ask the payer."),
    Reason.NONE_FITS: _("No open invoice of the payer fits."),
    Reason.DISPUTED: _("The payment is disputed; nothing may be allocated before that is settled."),
    Reason.ALREADY_ALLOCATED: _("The whole payment is allocated already."),
}


class ProposeAllocationParams(ToolParams):
    payment: PaymentNumber = Field(description="The payment's number.")


class CandidateInvoice(ToolResult):
    invoice: Annotated[str, Ref("billing.invoice")]
    issued_on: date
    balance: Decimal


class ProposeAllocationResult(ToolResult):
    """What to do with the rest of a payment. `invoice` and `amount` are given when the advice is allocate."""

    payment: Annotated[str, Ref("billing.payment")]
    customer: Annotated[str, Ref("billing.customer")]
    customer_name: str
    currency: str
    unallocated: Decimal
    recommendation: Literal["allocate", "review", "nothing"]
    reason: str
    reason_text: str
    invoice: Annotated[str | None, Ref("billing.invoice")] = None
    amount: Decimal | None = None
    candidates: list[CandidateInvoice]


@tool(
    key="billing.propose_allocation",
    title=_("Propose an invoice for a payment"),
    summary="Works out which open invoice a payment is for, or says that a person must look.",
    aliases={
        "en": ("match payment", "which invoice does this pay", "reconcile"),
        "fr": ("rapprocher un paiement", "à quelle facture correspond", "lettrage"),
    },
    when_not_to_use="To write the allocation; it only recommends.",
    risk=Risk.LOW,
    effect=Effect.NONE,
    permission="billing.view_payment",
    tags=("billing",),
)
def propose_allocation(ctx: ToolContext, params: ProposeAllocationParams) -> ProposeAllocationResult:
    payment = selectors.payment_get(ctx, params.payment)
    candidates = _open_invoices(ctx, payment)
    proposal = propose(
        payment.remittance,
        payment.unallocated,
        payment.disputed_on is not None,
        [OpenInvoice(invoice.number, invoice.balance) for invoice in candidates],
    )
    with override(ctx.language):
        reason_text = str(_REASONS[proposal.reason])
    return ProposeAllocationResult(
        payment=payment.number,
        customer=payment.customer.code,
        customer_name=payment.customer.name,
        currency=payment.currency,
        unallocated=payment.unallocated,
        recommendation=proposal.advice.value,
        reason=proposal.reason.value,
        reason_text=reason_text,
        invoice=proposal.invoice or None,
        amount=proposal.amount,
        candidates=[_candidate(invoice) for invoice in candidates[:_MAX_CANDIDATES]],
    )


def _open_invoices(ctx: ToolContext, payment: ValuedPayment) -> list[ValuedInvoice]:
    """Return the payer's open invoices in the payment's currency, those nearest to its rest first."""
    invoices = Invoice.objects.filter(
        workspace=ctx.workspace, customer=payment.customer, currency=payment.currency
    )
    found = invoices_with_amounts(invoices, ctx.today).filter(status__in=_OPEN)
    return sorted(found, key=lambda item: (abs(item.balance - payment.unallocated), item.number))


def _candidate(invoice: ValuedInvoice) -> CandidateInvoice:
    return CandidateInvoice(invoice=invoice.number, issued_on=invoice.issued_on, balance=invoice.balance)


class SettlePaymentParams(ToolParams):
    payment: PaymentNumber = Field(description="The payment to allocate.")
    invoice: InvoiceNumber = Field(description="The invoice it pays.")
    amount: Annotated[Decimal | None, NOT_THE_AGENT] = Field(
        default=None,
        gt=0,
        max_digits=14,
        decimal_places=2,
        description="How much of it; as much as both sides allow when left out.",
    )


class SettlePaymentResult(ToolResult):
    payment: Annotated[str, Ref("billing.payment")]
    invoice: Annotated[str, Ref("billing.invoice")]
    customer: Annotated[str, Ref("billing.customer")]
    customer_name: str
    amount: Decimal
    currency: str
    invoice_balance: Decimal
    payment_unallocated: Decimal


def prepare_settlement(ctx: ToolContext, params: SettlePaymentParams) -> SettlePaymentParams:
    """Look up the amount when none is given: as much as the payment has and the invoice needs."""
    payment = selectors.payment_get(ctx, params.payment)
    invoice = selectors.invoice_get(ctx, params.invoice)
    most = min(payment.unallocated, invoice.balance)
    amount = params.amount if params.amount is not None else (most if most > 0 else None)
    return params.model_copy(update={"payment": payment.number, "invoice": invoice.number, "amount": amount})


def guard_settlement(ctx: ToolContext, params: SettlePaymentParams) -> None:
    """Same customer, same currency, nothing disputed or cancelled, and never more than both sides have."""
    payment = selectors.payment_get(ctx, params.payment)
    invoice = selectors.invoice_get(ctx, params.invoice)
    if payment.customer_id != invoice.customer_id or payment.currency != invoice.currency:
        raise ToolArgumentError(
            ["invoice"], gettext("This invoice is not one of the payer's in this currency.")
        )
    if payment.disputed_on is not None:
        raise ToolRefused(
            gettext("This payment is disputed; nothing may be allocated before that is settled.")
        )
    if invoice.status not in _OPEN:
        raise ToolRefused(gettext("Nothing is due on this invoice, or it is disputed or cancelled."))
    if payment.unallocated <= 0:
        raise ToolRefused(gettext("The whole payment is allocated already."))
    if payment.allocations.filter(invoice=invoice).exists():
        raise ToolRefused(gettext("A part of this payment is allocated to this invoice already."))
    if params.amount is not None and params.amount > min(payment.unallocated, invoice.balance):
        raise ToolArgumentError(
            ["amount"], gettext("This is more than the payment has left or the invoice needs.")
        )


def preview_settlement(ctx: ToolContext, params: SettlePaymentParams) -> Preview:
    params = prepare_settlement(ctx, params)
    payment = selectors.payment_get(ctx, params.payment)
    invoice = selectors.invoice_get(ctx, params.invoice)
    with override(ctx.language):
        amount = money(params.amount or Decimal(0), payment.currency, ctx.language)
        return Preview(
            summary=gettext("%(amount)s of payment %(payment)s will be allocated to invoice %(invoice)s.")
            % {"amount": amount, "payment": payment.number, "invoice": invoice.number},
            recipient=str(invoice.customer),
            amount=amount,
            lines=(
                PreviewLine(gettext("Received on"), day(payment.received_on, ctx.language)),
                PreviewLine(
                    gettext("Due on the invoice"), money(invoice.balance, invoice.currency, ctx.language)
                ),
            ),
            warning=gettext("The books change at once."),
        )


@tool(
    key="billing.settle_payment",
    title=_("Allocate a payment"),
    summary="Allocates a payment to an invoice and closes its exception.",
    aliases={
        "en": ("allocate payment", "settle exception", "apply payment to invoice"),
        "fr": ("affecter un paiement", "régler l'exception", "imputer un paiement"),
    },
    when_not_to_use="To find out which invoice a payment is for.",
    risk=Risk.HIGH,
    effect=Effect.LOCAL,
    permission="billing.settle_payment",
    tags=("billing",),
    prepare=prepare_settlement,
    guard=guard_settlement,
    preview=preview_settlement,
)
def settle_payment(ctx: ToolContext, params: SettlePaymentParams) -> SettlePaymentResult:
    """Write the allocation with both rows locked, so that two settlements cannot use the same money."""
    _lock(ctx, params)
    params = prepare_settlement(ctx, params)
    guard_settlement(ctx, params)
    payment = selectors.payment_get(ctx, params.payment)
    invoice = selectors.invoice_get(ctx, params.invoice)
    PaymentAllocation.objects.create(payment=payment, invoice=invoice, amount=params.amount)
    after = selectors.payment_get(ctx, params.payment)
    if after.unallocated == 0:
        after.exceptions.filter(closed_on=None).update(closed_on=ctx.today)
    return SettlePaymentResult(
        payment=payment.number,
        invoice=invoice.number,
        customer=invoice.customer.code,
        customer_name=invoice.customer.name,
        amount=params.amount,
        currency=payment.currency,
        invoice_balance=selectors.invoice_get(ctx, params.invoice).balance,
        payment_unallocated=after.unallocated,
    )


def _lock(ctx: ToolContext, params: SettlePaymentParams) -> None:
    """Lock the invoice, then the payment: always in this order, so that two settlements cannot deadlock."""
    for model, number in ((Invoice, params.invoice), (Payment, params.payment)):
        rows = model.objects.filter(workspace=ctx.workspace, number=selectors.canonical(number))
        list(rows.select_for_update().values_list(F("pk")))
