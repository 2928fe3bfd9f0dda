"""Payments that need a person: a recommendation, and carrying it out."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from django.utils.translation import gettext_lazy as _
from django.utils.translation import override
from pydantic import Field

from activities.tools import (
    Effect,
    Ref,
    Risk,
    ToolContext,
    ToolParams,
    ToolResult,
    tool,
)
from examples.billing import selectors
from examples.billing.allocation import OpenInvoice, Reason, propose
from examples.billing.amounts import OPEN, ValuedInvoice, ValuedPayment, invoices_with_amounts
from examples.billing.models import Invoice
from examples.billing.tools.fields import PaymentNumber

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
    tags=("billing", "reading"),
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
    found = invoices_with_amounts(invoices, ctx.today).filter(status__in=OPEN)
    return sorted(found, key=lambda item: (abs(item.balance - payment.unallocated), item.number))


def _candidate(invoice: ValuedInvoice) -> CandidateInvoice:
    return CandidateInvoice(invoice=invoice.number, issued_on=invoice.issued_on, balance=invoice.balance)
