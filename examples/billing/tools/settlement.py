"""Carrying out an allocation: a payment pays an invoice."""

from decimal import Decimal
from typing import Annotated

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
from examples.billing.amounts import OPEN
from examples.billing.formatting import day, money
from examples.billing.models import Invoice, Payment, PaymentAllocation
from examples.billing.tools.fields import NOT_THE_AGENT, InvoiceNumber, PaymentNumber


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
    if invoice.status not in OPEN:
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
        list(rows.select_for_update().values_list("pk"))
