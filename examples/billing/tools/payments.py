"""Finding and reading payments."""

from datetime import date
from decimal import Decimal
from typing import Annotated

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from pydantic import Field

from activities.tools import Effect, Ref, Risk, ToolContext, ToolParams, ToolResult, tool
from examples.billing import selectors
from examples.billing.amounts import ValuedPayment, payments_with_amounts
from examples.billing.models import Payment
from examples.billing.tools.fields import ANYONE, OptionalCustomer, OptionalDay, PaymentNumber
from examples.billing.tools.invoices import MAX_LISTED, check_period


class FindPaymentsParams(ToolParams):
    customer: OptionalCustomer = Field(
        default=None, description="The customer's code; everybody if left out."
    )
    period_start: OptionalDay = Field(default=None, description="First day of receipt, included.")
    period_end: OptionalDay = Field(default=None, description="Last day of receipt, included.")
    only_unallocated: Annotated[bool, ANYONE] = Field(
        default=False, description="Only payments of which a part is not allocated to an invoice."
    )


class PaymentItem(ToolResult):
    payment: Annotated[str, Ref("billing.payment")]
    customer: Annotated[str, Ref("billing.customer")]
    customer_name: str
    received_on: date
    amount: Decimal
    unallocated: Decimal
    currency: str
    disputed: bool


class FindPaymentsResult(ToolResult):
    """`count` covers all matches; `payments` the newest of them."""

    count: int
    shown: int
    payments: list[PaymentItem]


@tool(
    key="billing.find_payments",
    title=_("Find payments"),
    summary="Lists payments by customer and period, or only those without an invoice.",
    aliases={
        "en": ("show payments", "payments received", "unallocated payments"),
        "fr": ("lister les paiements", "paiements reçus", "paiements non affectés"),
    },
    when_not_to_use="For one payment whose number is known.",
    risk=Risk.LOW,
    effect=Effect.NONE,
    permission="billing.view_payment",
    tags=("billing", "reading"),
)
def find_payments(ctx: ToolContext, params: FindPaymentsParams) -> FindPaymentsResult:
    check_period(params.period_start, params.period_end)
    found = _matching(ctx, params)
    shown = [_item(payment) for payment in found[:MAX_LISTED]]
    return FindPaymentsResult(count=found.count(), shown=len(shown), payments=shown)


def _matching(ctx: ToolContext, params: FindPaymentsParams) -> QuerySet[ValuedPayment]:
    payments = Payment.objects.filter(workspace=ctx.workspace).select_related("customer")
    if params.customer is not None:
        payments = payments.filter(customer=selectors.customer_get(ctx, params.customer))
    if params.period_start is not None:
        payments = payments.filter(received_on__gte=params.period_start)
    if params.period_end is not None:
        payments = payments.filter(received_on__lte=params.period_end)
    payments = payments_with_amounts(payments)
    return payments.filter(unallocated__gt=Decimal(0)) if params.only_unallocated else payments


def _item(payment: ValuedPayment) -> PaymentItem:
    return PaymentItem(
        payment=payment.number,
        customer=payment.customer.code,
        customer_name=payment.customer.name,
        received_on=payment.received_on,
        amount=payment.amount,
        unallocated=payment.unallocated,
        currency=payment.currency,
        disputed=payment.disputed_on is not None,
    )


class GetPaymentParams(ToolParams):
    payment: PaymentNumber = Field(description="The payment's number.")


class AllocationItem(ToolResult):
    invoice: Annotated[str, Ref("billing.invoice")]
    amount: Decimal


class GetPaymentResult(ToolResult):
    """One payment; `remittance` is what the payer wrote on it."""

    payment: Annotated[str, Ref("billing.payment")]
    customer: Annotated[str, Ref("billing.customer")]
    customer_name: str
    received_on: date
    amount: Decimal
    allocated: Decimal
    unallocated: Decimal
    currency: str
    method: str
    remittance: str
    disputed: bool
    allocations: list[AllocationItem]


@tool(
    key="billing.get_payment",
    title=_("Read a payment"),
    summary="Reads one payment: who paid, how much, and what it is allocated to.",
    aliases={
        "en": ("payment details", "show payment", "what did this payment pay"),
        "fr": ("détail du paiement", "voir le paiement", "à quoi correspond ce paiement"),
    },
    when_not_to_use="To find payments without knowing a number.",
    risk=Risk.LOW,
    effect=Effect.NONE,
    permission="billing.view_payment",
    tags=("billing", "reading"),
)
def get_payment(ctx: ToolContext, params: GetPaymentParams) -> GetPaymentResult:
    payment = selectors.payment_get(ctx, params.payment)
    allocations = payment.allocations.select_related("invoice").order_by("invoice__number")
    return GetPaymentResult(
        payment=payment.number,
        customer=payment.customer.code,
        customer_name=payment.customer.name,
        received_on=payment.received_on,
        amount=payment.amount,
        allocated=payment.allocated,
        unallocated=payment.unallocated,
        currency=payment.currency,
        method=payment.get_method_display(),
        remittance=payment.remittance,
        disputed=payment.disputed_on is not None,
        allocations=[AllocationItem(invoice=item.invoice.number, amount=item.amount) for item in allocations],
    )
