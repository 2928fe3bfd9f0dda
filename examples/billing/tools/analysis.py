"""The analysis of a customer relationship, as a tool."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Annotated

from django.db.models import Prefetch
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
    ToolRefused,
    ToolResult,
    tool,
)
from examples.billing import analysis, selectors
from examples.billing.amounts import ValuedInvoice, invoices_with_amounts
from examples.billing.models import Customer, Invoice, InvoiceLine, PaymentAllocation
from examples.billing.tools.fields import ANYONE, CustomerCode
from examples.billing.tools.invoices import check_period

_TOP = 5


class CollectAnalysisParams(ToolParams):
    customer: CustomerCode = Field(description="The customer's code.")
    period_start: Annotated[date, ANYONE] = Field(description="First day of issue, included.")
    period_end: Annotated[date, ANYONE] = Field(description="Last day of issue, included.")
    invoices: Annotated[list[Annotated[str, Ref("billing.invoice")]], ANYONE] = Field(
        default=[], max_length=500, description="Only these invoices of the period; empty for all of them."
    )


class ProductMargin(ToolResult):
    """Revenue, cost and margin of one product; the rate in per cent of the revenue."""

    product: Annotated[str, Ref("billing.product")]
    name: str
    quantity: int
    revenue: Decimal
    cost: Decimal
    margin: Decimal
    margin_rate: Decimal


class CollectAnalysisResult(ToolResult):
    """The figures that :mod:`examples.billing.analysis` defines.

    Delays are in days and null while nothing is paid in full; rates and the four parts of the confidence
    index are in per cent; `products` holds every product, most ordered first, `top_products` the first five.
    """

    customer: Annotated[str, Ref("billing.customer")]
    customer_name: str
    currency: str
    period_start: date
    period_end: date
    invoice_count: int
    total_spend: Decimal
    average_spend: Decimal
    max_spend: Decimal
    max_spend_invoice: Annotated[str, Ref("billing.invoice")]
    paid_count: int
    average_payment_delay: Decimal | None
    average_days_late: Decimal | None
    outstanding: Decimal
    credited: Decimal
    refunded: Decimal
    disputed_count: int
    total_margin: Decimal
    margin_rate: Decimal
    products: list[ProductMargin]
    top_products: list[ProductMargin]
    confidence_index: int
    punctuality: Decimal
    settlement: Decimal
    calm: Decimal
    regularity: Decimal


@tool(
    key="billing.collect_analysis",
    title=_("Analyse a customer's invoices"),
    summary="Computes spend, payment delay, margins, favourite products and confidence over a period.",
    aliases={
        "en": ("customer analysis", "profitability of a customer", "payment behaviour"),
        "fr": ("analyse client", "rentabilité d'un client", "comportement de paiement"),
    },
    when_not_to_use="When the customer has no invoice in the period.",
    risk=Risk.LOW,
    effect=Effect.NONE,
    permission="billing.analyse_customer",
    tags=("billing", "reading"),
)
def collect_analysis(ctx: ToolContext, params: CollectAnalysisParams) -> CollectAnalysisResult:
    check_period(params.period_start, params.period_end)
    customer = selectors.customer_get(ctx, params.customer)
    invoices = _chosen(_invoices_of(ctx, customer, params), params.invoices)
    if not invoices:
        raise ToolRefused(
            gettext("This customer has no invoice in this period: there is nothing to analyse.")
        )
    figures = analysis.analyse(
        [_facts(invoice) for invoice in invoices], params.period_start, params.period_end, ctx.today
    )
    return _result(customer, params, figures)


def _invoices_of(ctx: ToolContext, customer: Customer, params: CollectAnalysisParams) -> list[ValuedInvoice]:
    invoices = Invoice.objects.filter(
        workspace=ctx.workspace,
        customer=customer,
        cancelled_on=None,
        issued_on__range=(params.period_start, params.period_end),
    )
    lines = Prefetch("lines", InvoiceLine.objects.select_related("product"))
    paid = Prefetch("allocations", PaymentAllocation.objects.select_related("payment"))
    return list(invoices_with_amounts(invoices, ctx.today).prefetch_related(lines, paid))


def _chosen(invoices: list[ValuedInvoice], numbers: Sequence[str]) -> list[ValuedInvoice]:
    """Keep the named invoices. A name that is not among them is an error that names no other."""
    wanted = {selectors.canonical(number) for number in numbers}
    if not wanted <= {invoice.number for invoice in invoices}:
        raise ToolArgumentError(
            ["invoices"],
            gettext(
                "At least one of these invoices is not this customer's or was not issued in this period."
            ),
        )
    return [invoice for invoice in invoices if not wanted or invoice.number in wanted]


def _facts(invoice: ValuedInvoice) -> analysis.InvoiceFacts:
    return analysis.InvoiceFacts(
        number=invoice.number,
        issued_on=invoice.issued_on,
        due_on=invoice.due_on,
        total=invoice.total,
        credited=invoice.credited,
        refunded=invoice.refunded,
        disputed=invoice.disputed_on is not None,
        lines=tuple(
            analysis.LineFacts(
                line.product.code, line.product.name, line.quantity, line.unit_price, line.unit_cost
            )
            for line in invoice.lines.all()
        ),
        payments=tuple((item.payment.received_on, item.amount) for item in invoice.allocations.all()),
    )


def _result(
    customer: Customer, params: CollectAnalysisParams, figures: analysis.Analysis
) -> CollectAnalysisResult:
    products = [_product(item) for item in figures.products]
    margin = sum((item.margin for item in products), analysis.ZERO)
    revenue = sum((item.revenue for item in products), analysis.ZERO)
    return CollectAnalysisResult(
        customer=customer.code,
        customer_name=customer.name,
        currency=customer.currency,
        period_start=params.period_start,
        period_end=params.period_end,
        invoice_count=figures.invoice_count,
        total_spend=figures.total_spend,
        average_spend=figures.average_spend,
        max_spend=figures.max_spend,
        max_spend_invoice=figures.max_spend_invoice,
        paid_count=figures.paid_count,
        average_payment_delay=figures.average_payment_delay,
        average_days_late=figures.average_days_late,
        outstanding=figures.outstanding,
        credited=figures.credited,
        refunded=figures.refunded,
        disputed_count=figures.disputed_count,
        total_margin=margin,
        margin_rate=analysis.per_cent(margin, revenue),
        products=products,
        top_products=products[:_TOP],
        confidence_index=figures.confidence.index,
        punctuality=figures.confidence.punctuality * 100,
        settlement=figures.confidence.settlement * 100,
        calm=figures.confidence.calm * 100,
        regularity=figures.confidence.regularity * 100,
    )


def _product(item: analysis.ProductFigures) -> ProductMargin:
    return ProductMargin(
        product=item.product,
        name=item.name,
        quantity=item.quantity,
        revenue=item.revenue,
        cost=item.cost,
        margin=item.margin,
        margin_rate=item.margin_rate,
    )
