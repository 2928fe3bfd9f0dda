"""The house's own analysis of a customer relationship. Pure arithmetic over records already read.

Definitions, all over the invoices of the period that were not cancelled, amounts net of tax:

- *spend* is what was invoiced, before credit notes and refunds;
- *payment delay* is the number of days from an invoice's date to the day its last part was paid, averaged
  over the invoices that are paid in full; *days late* counts from the due date, early payment as zero;
- *margin* of a product is revenue minus cost of its lines, each with the price and cost of its day; its
  rate is margin / revenue in per cent;
- the *confidence index* is 40 x punctuality + 30 x settlement + 20 x calm + 10 x regularity, rounded half
  up, from 0 to 100 (see :func:`confidence`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

ZERO = Decimal("0.00")
_HALF = Decimal("0.5")
#: Punctuality, settlement, calm, regularity.
_WEIGHTS = (Decimal(40), Decimal(30), Decimal(20), Decimal(10))


@dataclass(frozen=True)
class LineFacts:
    product: str
    name: str
    quantity: int
    unit_price: Decimal
    unit_cost: Decimal


@dataclass(frozen=True)
class InvoiceFacts:
    """One invoice, with (day, amount) of each part paid."""

    number: str
    issued_on: date
    due_on: date
    total: Decimal
    credited: Decimal
    refunded: Decimal
    disputed: bool
    lines: tuple[LineFacts, ...] = ()
    payments: tuple[tuple[date, Decimal], ...] = ()

    @property
    def to_pay(self) -> Decimal:
        return max(self.total - self.credited, ZERO)

    @property
    def paid(self) -> Decimal:
        return sum((amount for _, amount in self.payments), ZERO)

    @property
    def paid_in_full_on(self) -> date | None:
        """The day the last part came in, or None while something is due or nothing was to be paid."""
        if not self.payments or self.paid < self.to_pay:
            return None
        return max(day for day, _ in self.payments)


@dataclass
class ProductFigures:
    product: str
    name: str
    quantity: int = 0
    revenue: Decimal = ZERO
    cost: Decimal = ZERO

    @property
    def margin(self) -> Decimal:
        return self.revenue - self.cost

    @property
    def margin_rate(self) -> Decimal:
        return per_cent(self.margin, self.revenue)


@dataclass(frozen=True)
class Confidence:
    """The index and its four parts, each from 0 to 1."""

    index: int
    punctuality: Decimal
    settlement: Decimal
    calm: Decimal
    regularity: Decimal


@dataclass(frozen=True)
class Analysis:
    invoice_count: int
    total_spend: Decimal
    average_spend: Decimal
    max_spend: Decimal
    max_spend_invoice: str
    paid_count: int
    average_payment_delay: Decimal | None
    average_days_late: Decimal | None
    outstanding: Decimal
    credited: Decimal
    refunded: Decimal
    disputed_count: int
    products: Sequence[ProductFigures]
    confidence: Confidence


def analyse(invoices: Sequence[InvoiceFacts], start: date, end: date, today: date) -> Analysis:
    """Return the figures of `invoices` (at least one), all of them issued from `start` to `end`."""
    total = sum((invoice.total for invoice in invoices), ZERO)
    largest = max(invoices, key=lambda invoice: (invoice.total, invoice.number))
    delays = [(day - item.issued_on).days for item in invoices if (day := item.paid_in_full_on)]
    late = [max((day - item.due_on).days, 0) for item in invoices if (day := item.paid_in_full_on)]
    return Analysis(
        invoice_count=len(invoices),
        total_spend=total,
        average_spend=rounded(total / len(invoices), "0.01"),
        max_spend=largest.total,
        max_spend_invoice=largest.number,
        paid_count=len(delays),
        average_payment_delay=_mean(delays),
        average_days_late=_mean(late),
        outstanding=sum((max(item.to_pay - item.paid, ZERO) for item in invoices), ZERO),
        credited=sum((item.credited for item in invoices), ZERO),
        refunded=sum((item.refunded for item in invoices), ZERO),
        disputed_count=sum(item.disputed for item in invoices),
        products=product_figures(line for invoice in invoices for line in invoice.lines),
        confidence=confidence(invoices, start, min(end, today), today),
    )


def product_figures(lines: Iterable[LineFacts]) -> list[ProductFigures]:
    """Return one entry per product, most ordered first; equal quantities by revenue, then by code."""
    figures: dict[str, ProductFigures] = {}
    for line in lines:
        entry = figures.setdefault(line.product, ProductFigures(line.product, line.name))
        entry.quantity += line.quantity
        entry.revenue += line.quantity * line.unit_price
        entry.cost += line.quantity * line.unit_cost
    return sorted(figures.values(), key=lambda item: (-item.quantity, -item.revenue, item.product))


def confidence(invoices: Sequence[InvoiceFacts], start: date, end: date, today: date) -> Confidence:
    """Return the confidence index.

    Over the invoices that were due by `today` with something to pay: *punctuality* is the share paid in
    full by the due date, *settlement* the paid part of the amount to pay; both are one half when nothing
    was due. *Calm* is the share of invoices neither disputed nor refunded. *Regularity* is the share of
    the period's calendar months, up to today, with at least one invoice.
    """
    due = [invoice for invoice in invoices if invoice.due_on <= today and invoice.to_pay > 0]
    in_time = sum(1 for item in due if (day := item.paid_in_full_on) and day <= item.due_on)
    settled = sum((min(item.paid, item.to_pay) for item in due), ZERO)
    quiet = sum(1 for item in invoices if not item.disputed and not item.refunded)
    busy = {(item.issued_on.year, item.issued_on.month) for item in invoices}
    parts = (
        rate(Decimal(in_time), Decimal(len(due)), empty=_HALF),
        rate(settled, sum((item.to_pay for item in due), ZERO), empty=_HALF),
        rate(Decimal(quiet), Decimal(len(invoices))),
        rate(Decimal(len(busy)), Decimal(months_between(start, end))),
    )
    index = sum((weight * part for weight, part in zip(_WEIGHTS, parts, strict=True)), Decimal(0))
    return Confidence(int(rounded(index, "1")), *parts)


def months_between(start: date, end: date) -> int:
    """Return how many calendar months the days from `start` to `end` touch."""
    return (end.year - start.year) * 12 + end.month - start.month + 1


def rate(part: Decimal, whole: Decimal, empty: Decimal = Decimal(0)) -> Decimal:
    """Return part / whole from 0 to 1 with four decimals, `empty` when there is no whole."""
    return rounded(part / whole if whole else empty, "0.0001")


def per_cent(part: Decimal, whole: Decimal) -> Decimal:
    """Return part / whole in per cent with two decimals, zero when there is no whole."""
    return rounded(part * 100 / whole if whole else ZERO, "0.01")


def rounded(value: Decimal, step: str) -> Decimal:
    return value.quantize(Decimal(step), rounding=ROUND_HALF_UP)


def _mean(values: Sequence[int]) -> Decimal | None:
    return rounded(Decimal(sum(values)) / len(values), "0.1") if values else None
