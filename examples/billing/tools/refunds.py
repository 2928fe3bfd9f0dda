"""Giving money back, through the payment provider."""

from decimal import Decimal
from typing import Annotated

from django.db import transaction
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
    ToolUnavailable,
    tool,
)
from examples.billing import selectors
from examples.billing.amounts import ValuedInvoice
from examples.billing.formatting import money
from examples.billing.models import Invoice, InvoiceStatus, Refund
from examples.billing.provider import RefundOrder, provider
from examples.billing.tools.fields import ANYONE, NOT_THE_AGENT, InvoiceNumber


class RefundInvoiceParams(ToolParams):
    invoice: InvoiceNumber = Field(description="The paid invoice.")
    reason: Annotated[str, ANYONE] = Field(
        description="Why, in the customer's or user's words.", min_length=3, max_length=500
    )
    amount: Annotated[Decimal | None, NOT_THE_AGENT] = Field(
        default=None,
        gt=0,
        max_digits=14,
        decimal_places=2,
        description="How much; everything that can be refunded when left out.",
    )


class RefundInvoiceResult(ToolResult):
    invoice: Annotated[str, Ref("billing.invoice")]
    customer: Annotated[str, Ref("billing.customer")]
    customer_name: str
    amount: Decimal
    currency: str
    reason: str
    provider_reference: str


def prepare_refund(ctx: ToolContext, params: RefundInvoiceParams) -> RefundInvoiceParams:
    """Look up the amount when none is given: all that was paid and did not go back yet."""
    invoice = selectors.invoice_get(ctx, params.invoice)
    left = invoice.refundable
    amount = params.amount if params.amount is not None else (left if left > 0 else None)
    return params.model_copy(update={"invoice": invoice.number, "amount": amount})


def guard_refund(ctx: ToolContext, params: RefundInvoiceParams) -> None:
    """Only what was paid on an undisputed invoice, and never more than did not go back yet.

    An order of this same call does not stand in its own way: repeating it is harmless.
    """
    own = Refund.objects.filter(workspace=ctx.workspace, idempotency_key=ctx.idempotency_key)
    if not (ctx.idempotency_key and own.exclude(state=Refund.State.FAILED).exists()):
        _check(selectors.invoice_get(ctx, params.invoice), params.amount)


def _check(invoice: ValuedInvoice, amount: Decimal | None) -> None:
    if invoice.status == InvoiceStatus.CANCELLED:
        raise ToolRefused(gettext("This invoice was cancelled."))
    if invoice.status == InvoiceStatus.DISPUTED or _has_disputed_payment(invoice):
        raise ToolRefused(gettext("This invoice is disputed; it cannot be refunded before that is settled."))
    if invoice.paid <= 0:
        raise ToolRefused(gettext("Nothing was paid on this invoice: there is nothing to refund."))
    if invoice.refundable <= 0:
        raise ToolRefused(gettext("This invoice was refunded completely already."))
    if amount is not None and amount > invoice.refundable:
        raise ToolArgumentError(
            ["amount"], gettext("This is more than can still be refunded on this invoice.")
        )


def _has_disputed_payment(invoice: ValuedInvoice) -> bool:
    return invoice.allocations.filter(payment__disputed_on__isnull=False).exists()


def preview_refund(ctx: ToolContext, params: RefundInvoiceParams) -> Preview:
    params = prepare_refund(ctx, params)
    invoice = selectors.invoice_get(ctx, params.invoice)
    with override(ctx.language):
        amount = money(params.amount or Decimal(0), invoice.currency, ctx.language)
        return Preview(
            summary=gettext("%(amount)s will go back to %(customer)s for invoice %(invoice)s.")
            % {"amount": amount, "customer": invoice.customer.name, "invoice": invoice.number},
            recipient=str(invoice.customer),
            amount=amount,
            lines=(
                PreviewLine(gettext("Paid"), money(invoice.paid, invoice.currency, ctx.language)),
                PreviewLine(
                    gettext("Refunded before"), money(invoice.refunded, invoice.currency, ctx.language)
                ),
                PreviewLine(gettext("Reason"), params.reason),
            ),
            warning=gettext("The payment provider executes it at once. It cannot be taken back."),
        )


@tool(
    key="billing.refund_invoice",
    title=_("Refund an invoice"),
    summary="Gives money paid on an invoice back through the payment provider.",
    aliases={
        "en": ("refund", "give money back", "reimburse the customer"),
        "fr": ("rembourser", "remboursement", "rendre l'argent"),
    },
    when_not_to_use="To reduce an invoice that is not paid; that is a credit note.",
    risk=Risk.HIGH,
    effect=Effect.EXTERNAL,
    permission="billing.refund_invoice",
    tags=("billing",),
    prepare=prepare_refund,
    guard=guard_refund,
    preview=preview_refund,
)
def refund_invoice(ctx: ToolContext, params: RefundInvoiceParams) -> RefundInvoiceResult:
    """Reserve the amount, ask the provider, record its answer.

    The reservation commits first: whatever happens later, two refunds never exceed what was paid, and a
    repeated attempt finds the first one's order.
    """
    refund = _reserve(ctx, params)
    if refund.state != Refund.State.DONE:
        refund.provider_reference = _ask_provider(ctx, refund)
        refund.state = Refund.State.DONE
        refund.save(update_fields=["provider_reference", "state"])
    invoice = refund.invoice
    return RefundInvoiceResult(
        invoice=invoice.number,
        customer=invoice.customer.code,
        customer_name=invoice.customer.name,
        amount=refund.amount,
        currency=refund.currency,
        reason=refund.reason,
        provider_reference=refund.provider_reference,
    )


@transaction.atomic
def _reserve(ctx: ToolContext, params: RefundInvoiceParams) -> Refund:
    """Return this call's refund, with the amount set aside while nobody else can."""
    invoice = selectors.invoice_get(ctx, params.invoice)
    Invoice.objects.select_for_update().get(pk=invoice.pk)
    known = Refund.objects.select_related("invoice__customer").filter(idempotency_key=_key(ctx)).first()
    if known is not None and known.invoice_id != invoice.pk:
        raise ToolRefused(gettext("This call's key belongs to the refund of another invoice."))
    if known is not None and known.state != Refund.State.FAILED:
        return known
    invoice = selectors.invoice_get(ctx, params.invoice)
    amount = params.amount if params.amount is not None else invoice.refundable
    _check(invoice, amount)
    if known is not None:
        known.state = Refund.State.PENDING
        known.save(update_fields=["state"])
        return known
    return Refund.objects.create(
        workspace=ctx.workspace,
        invoice=invoice,
        amount=amount,
        currency=invoice.currency,
        reason=params.reason,
        idempotency_key=_key(ctx),
        ordered_by=ctx.user,
        ordered_at=ctx.now,
    )


def _ask_provider(ctx: ToolContext, refund: Refund) -> str:
    """Return the provider's reference. An order that certainly was not taken frees its amount again."""
    order = RefundOrder(
        refund.idempotency_key, ctx.workspace, refund.invoice.number, refund.amount, refund.currency
    )
    try:
        return provider().refund(order)
    except (ToolUnavailable, ToolRefused):
        refund.state = Refund.State.FAILED
        refund.save(update_fields=["state"])
        raise


def _key(ctx: ToolContext) -> str:
    """Return the call's key. Without one, a retry could pay twice, so there is no refund."""
    if not ctx.idempotency_key:
        raise ToolRefused(gettext("A refund needs the idempotency key of a confirmed call."))
    return ctx.idempotency_key
