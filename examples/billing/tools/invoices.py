"""Finding and reading invoices."""

from collections import Counter
from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from django.db.models import QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic import Field

from activities.tools import (
    Effect,
    Ref,
    Risk,
    ToolArgumentError,
    ToolContext,
    ToolParams,
    ToolResult,
    tool,
)
from examples.billing import selectors
from examples.billing.amounts import OPEN, ValuedInvoice, invoices_with_amounts
from examples.billing.models import Customer, Invoice, InvoiceStatus
from examples.billing.tools.fields import (
    ANYONE,
    InvoiceNumber,
    OptionalCustomer,
    OptionalDay,
)

#: How many invoices one answer lists; the counts and totals cover all of them.
MAX_LISTED = 100

#: What a person asks for, and the states it covers.
_ASKED = {
    "unpaid": OPEN,
    "overdue": (InvoiceStatus.OVERDUE,),
    "paid": (InvoiceStatus.PAID,),
    "disputed": (InvoiceStatus.DISPUTED,),
}


class ListInvoicesParams(ToolParams):
    customer: OptionalCustomer = Field(
        default=None, description="The customer's code; all customers if left out."
    )
    period_start: OptionalDay = Field(default=None, description="First day of issue, included.")
    period_end: OptionalDay = Field(default=None, description="Last day of issue, included.")
    status: Annotated[Literal["unpaid", "overdue", "paid", "disputed"] | None, ANYONE] = Field(
        default=None, description="Only invoices in this state; unpaid includes overdue ones."
    )


class InvoiceItem(ToolResult):
    invoice: Annotated[str, Ref("billing.invoice")]
    customer: Annotated[str, Ref("billing.customer")]
    customer_name: str
    issued_on: date
    due_on: date
    total: Decimal
    balance: Decimal
    currency: str
    status: str


class CurrencyTotal(ToolResult):
    currency: str
    count: int
    total: Decimal
    balance: Decimal


class ListInvoicesResult(ToolResult):
    """`count` and `totals` cover all matches, cancelled invoices excepted; `invoices` the newest of them.

    `customer_name` is given when one customer was asked for.
    """

    customer_name: str | None = None
    count: int
    shown: int
    totals: list[CurrencyTotal]
    invoices: list[InvoiceItem]


@tool(
    key="billing.list_invoices",
    title=_("List invoices"),
    summary="Lists invoices by customer, period of issue and state, with totals per currency.",
    aliases={
        "en": ("show invoices", "find bills", "open invoices", "what was invoiced"),
        "fr": ("lister les factures", "trouver des factures", "factures ouvertes", "ce qui a été facturé"),
    },
    when_not_to_use="For one invoice whose number is known.",
    risk=Risk.LOW,
    effect=Effect.NONE,
    permission="billing.view_invoice",
    tags=("billing", "reading"),
)
def list_invoices(ctx: ToolContext, params: ListInvoicesParams) -> ListInvoicesResult:
    check_period(params.period_start, params.period_end)
    customer = selectors.customer_get(ctx, params.customer) if params.customer is not None else None
    found = list(_matching(ctx, params, customer))
    return ListInvoicesResult(
        customer_name=customer.name if customer else None,
        count=len(found),
        shown=min(len(found), MAX_LISTED),
        totals=_totals(found),
        invoices=[_item(invoice) for invoice in found[:MAX_LISTED]],
    )


def check_period(start: date | None, end: date | None) -> None:
    """Raise ToolArgumentError when the period ends before it starts."""
    if start and end and start > end:
        raise ToolArgumentError(["period_start", "period_end"], gettext("The period ends before it starts."))


def _matching(
    ctx: ToolContext, params: ListInvoicesParams, customer: Customer | None
) -> QuerySet[ValuedInvoice]:
    invoices = Invoice.objects.filter(workspace=ctx.workspace, cancelled_on=None).select_related("customer")
    if customer is not None:
        invoices = invoices.filter(customer=customer)
    if params.period_start is not None:
        invoices = invoices.filter(issued_on__gte=params.period_start)
    if params.period_end is not None:
        invoices = invoices.filter(issued_on__lte=params.period_end)
    invoices = invoices_with_amounts(invoices, ctx.today)
    if params.status is not None:
        invoices = invoices.filter(status__in=_ASKED[params.status])
    return invoices.order_by("-issued_on", "-number")


def _totals(found: list[ValuedInvoice]) -> list[CurrencyTotal]:
    counts, totals, balances = Counter[str](), dict[str, Decimal](), dict[str, Decimal]()
    for invoice in found:
        counts[invoice.currency] += 1
        totals[invoice.currency] = totals.get(invoice.currency, Decimal("0.00")) + invoice.total
        balances[invoice.currency] = balances.get(invoice.currency, Decimal("0.00")) + invoice.balance
    return [
        CurrencyTotal(currency=code, count=counts[code], total=totals[code], balance=balances[code])
        for code in sorted(counts)
    ]


def _item(invoice: ValuedInvoice) -> InvoiceItem:
    return InvoiceItem(
        invoice=invoice.number,
        customer=invoice.customer.code,
        customer_name=invoice.customer.name,
        issued_on=invoice.issued_on,
        due_on=invoice.due_on,
        total=invoice.total,
        balance=invoice.balance,
        currency=invoice.currency,
        status=invoice.status,
    )


class GetInvoiceParams(ToolParams):
    invoice: InvoiceNumber = Field(description="The invoice's number.")


class InvoiceLineItem(ToolResult):
    product: Annotated[str, Ref("billing.product")]
    name: str
    quantity: int
    unit_price: Decimal
    amount: Decimal


class GetInvoiceResult(ToolResult):
    """One invoice. `balance` is still due, `refundable` could be given back; both as of today."""

    invoice: Annotated[str, Ref("billing.invoice")]
    customer: Annotated[str, Ref("billing.customer")]
    customer_name: str
    issued_on: date
    due_on: date
    days_overdue: int
    currency: str
    total: Decimal
    paid: Decimal
    credited: Decimal
    refunded: Decimal
    balance: Decimal
    refundable: Decimal
    status: str
    lines: list[InvoiceLineItem]


@tool(
    key="billing.get_invoice",
    title=_("Read an invoice"),
    summary="Reads one invoice: lines, what was paid, credited, refunded, and what is due.",
    aliases={
        "en": ("invoice details", "show invoice", "what is due on invoice"),
        "fr": ("détail de facture", "voir la facture", "que reste-t-il à payer"),
    },
    when_not_to_use="To find invoices without knowing a number.",
    risk=Risk.LOW,
    effect=Effect.NONE,
    permission="billing.view_invoice",
    tags=("billing", "reading"),
)
def get_invoice(ctx: ToolContext, params: GetInvoiceParams) -> GetInvoiceResult:
    invoice = selectors.invoice_get(ctx, params.invoice)
    late = (ctx.today - invoice.due_on).days if invoice.status == InvoiceStatus.OVERDUE else 0
    return GetInvoiceResult(
        invoice=invoice.number,
        customer=invoice.customer.code,
        customer_name=invoice.customer.name,
        issued_on=invoice.issued_on,
        due_on=invoice.due_on,
        days_overdue=late,
        currency=invoice.currency,
        total=invoice.total,
        paid=invoice.paid,
        credited=invoice.credited,
        refunded=invoice.refunded,
        balance=invoice.balance,
        refundable=invoice.refundable,
        status=invoice.status,
        lines=_lines(invoice),
    )


def _lines(invoice: ValuedInvoice) -> list[InvoiceLineItem]:
    return [
        InvoiceLineItem(
            product=line.product.code,
            name=line.product.name,
            quantity=line.quantity,
            unit_price=line.unit_price,
            amount=line.quantity * line.unit_price,
        )
        for line in invoice.lines.select_related("product").order_by("position")
    ]
