"""Drafting what reduces an invoice."""

from decimal import Decimal
from typing import Annotated

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic import Field

from accounts.models import Workspace
from activities.tools import (
    Effect,
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
from examples.billing.amounts import ValuedInvoice
from examples.billing.models import CreditNote, InvoiceStatus
from examples.billing.tools.fields import ANYONE, NOT_THE_AGENT, InvoiceNumber


class DraftCreditNoteParams(ToolParams):
    invoice: InvoiceNumber = Field(description="The invoice to reduce.")
    reason: Annotated[str, ANYONE] = Field(description="Why, in a few words.", min_length=3, max_length=500)
    amount: Annotated[Decimal | None, NOT_THE_AGENT] = Field(
        default=None,
        gt=0,
        max_digits=14,
        decimal_places=2,
        description="How much; all that is left to credit when left out.",
    )


class DraftCreditNoteResult(ToolResult):
    credit_note: str
    invoice: Annotated[str, Ref("billing.invoice")]
    customer: Annotated[str, Ref("billing.customer")]
    customer_name: str
    amount: Decimal
    currency: str
    reason: str


def prepare_credit_note(ctx: ToolContext, params: DraftCreditNoteParams) -> DraftCreditNoteParams:
    """Look up the amount when none is given: all that no credit note, drafts included, reduces yet."""
    invoice = selectors.invoice_get(ctx, params.invoice)
    left = _creditable(invoice)
    amount = params.amount if params.amount is not None else (left if left > 0 else None)
    return params.model_copy(update={"invoice": invoice.number, "amount": amount})


def guard_credit_note(ctx: ToolContext, params: DraftCreditNoteParams) -> None:
    """Not for a cancelled invoice, and never more than the invoice together with other credit notes."""
    invoice = selectors.invoice_get(ctx, params.invoice)
    left = _creditable(invoice)
    if invoice.status == InvoiceStatus.CANCELLED:
        raise ToolRefused(gettext("This invoice was cancelled."))
    if left <= 0:
        raise ToolRefused(gettext("Credit notes cover this invoice completely already."))
    if params.amount is not None and params.amount > left:
        raise ToolArgumentError(
            ["amount"], gettext("This is more than what is left to credit on this invoice.")
        )


def _creditable(invoice: ValuedInvoice) -> Decimal:
    noted = sum((note.amount for note in invoice.credit_notes.all()), Decimal("0.00"))
    return invoice.total - noted


@tool(
    key="billing.draft_credit_note",
    title=_("Draft a credit note"),
    summary="Prepares a credit note on an invoice; a person issues it later.",
    aliases={
        "en": ("credit note", "draft a credit", "reduce an invoice"),
        "fr": ("avoir", "préparer un avoir", "réduire une facture"),
    },
    when_not_to_use="To give money back; that is a refund.",
    risk=Risk.MEDIUM,
    effect=Effect.LOCAL,
    permission="billing.draft_creditnote",
    tags=("billing",),
    prepare=prepare_credit_note,
    guard=guard_credit_note,
)
def draft_credit_note(ctx: ToolContext, params: DraftCreditNoteParams) -> DraftCreditNoteResult:
    """Write the draft. Numbers are given out one at a time in a workspace."""
    Workspace.objects.select_for_update(no_key=True).get(pk=ctx.workspace.pk)
    params = prepare_credit_note(ctx, params)
    guard_credit_note(ctx, params)
    invoice = selectors.invoice_get(ctx, params.invoice)
    note = CreditNote.objects.create(
        workspace=ctx.workspace,
        number=_next_number(ctx),
        invoice=invoice,
        amount=params.amount,
        reason=params.reason,
        created_on=ctx.today,
    )
    return DraftCreditNoteResult(
        credit_note=note.number,
        invoice=invoice.number,
        customer=invoice.customer.code,
        customer_name=invoice.customer.name,
        amount=note.amount,
        currency=invoice.currency,
        reason=note.reason,
    )


def _next_number(ctx: ToolContext) -> str:
    prefix = f"CN-{ctx.today.year}-"
    notes = CreditNote.objects.filter(workspace=ctx.workspace, number__startswith=prefix)
    last = max(
        (int(number.removeprefix(prefix)) for number in notes.values_list("number", flat=True)), default=0
    )
    return f"{prefix}{last + 1:04d}"
