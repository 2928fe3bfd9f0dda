"""The situations of :mod:`examples.billing.known`, and payments that need a person."""

from datetime import date, timedelta
from decimal import Decimal

from examples.billing import known
from examples.billing.generator.ledger import Ledger
from examples.billing.generator.receipts import open_exception, pay, receive, refund
from examples.billing.generator.sales import make_exact_invoice
from examples.billing.models import Invoice, PaymentException

_PAID_ERA = date(2025, 1, 27)
_OPEN_ERA = date(2025, 11, 3)

#: What was ordered on each known invoice; amounts follow from the products and never change.
_ORDERED = {
    **dict(
        zip(
            known.REFUNDABLE_INVOICES,
            ({"P-002": 1}, {"P-003": 2}, {"P-009": 1, "P-010": 2}, {"P-014": 4}),
            strict=True,
        )
    ),
    known.PARTLY_REFUNDED_INVOICE: {"P-001": 1},
    known.REFUNDED_INVOICE: {"P-006": 1},
    known.DISPUTED_INVOICE: {"P-015": 2},
    **dict(zip(known.OVERDUE_INVOICES, ({"P-007": 2}, {"P-005": 3}, {"P-011": 6}), strict=True)),
    known.MATCHING_INVOICE: {"P-017": 1, "P-021": 4},
    **{number: {"P-018": 3} for number in known.AMBIGUOUS_INVOICES},
}


def make_situations(ledger: Ledger) -> None:
    """Add the known invoices and payments. Called after the ordinary invoices are paid."""
    _paid_invoices(ledger)
    _open_invoices(ledger)
    _loose_payments(ledger)


def _paid_invoices(ledger: Ledger) -> None:
    for number in known.REFUNDABLE_INVOICES:
        _paid(ledger, number)
    partly = _paid(ledger, known.PARTLY_REFUNDED_INVOICE)
    refund(ledger, partly, Decimal("10.00"), partly.due_on)
    wholly = _paid(ledger, known.REFUNDED_INVOICE)
    refund(ledger, wholly, wholly.total, wholly.due_on)
    disputed = _paid(ledger, known.DISPUTED_INVOICE)
    disputed.disputed_on = disputed.due_on


def _paid(ledger: Ledger, number: str) -> Invoice:
    invoice = _invoice(ledger, number, _PAID_ERA, at_least_ago=120)
    pay(ledger, invoice, invoice.total, invoice.issued_on + timedelta(days=12), remittance=number)
    return invoice


def _open_invoices(ledger: Ledger) -> None:
    for number in known.OVERDUE_INVOICES:
        _invoice(ledger, number, _OPEN_ERA, at_least_ago=100)


def _loose_payments(ledger: Ledger) -> None:
    """One payment that fits one invoice, one that fits two, one under dispute, and a few without a trace."""
    open_invoice = _invoice(ledger, known.MATCHING_INVOICE, _OPEN_ERA, at_least_ago=100)
    matching = receive(
        ledger,
        open_invoice,
        open_invoice.total,
        open_invoice.due_on,
        remittance=f"Paiement facture {known.MATCHING_INVOICE}",
        number=known.MATCHING_PAYMENT,
    )
    open_exception(ledger, matching, PaymentException.Kind.UNALLOCATED)
    _ambiguous_payment(ledger)
    _disputed_payment(ledger)
    for invoice in ledger.random.sample(ledger.invoices[:4000], 12):
        stray = receive(ledger, invoice, invoice.total + Decimal("7.77"), invoice.due_on, remittance="?")
        stray.received_on = min(stray.received_on, ledger.today)
        open_exception(ledger, stray, PaymentException.Kind.UNALLOCATED)


def _ambiguous_payment(ledger: Ledger) -> None:
    """Two open invoices of the same amount and day, and a payment that says nothing."""
    first, _second = (
        _invoice(ledger, number, _OPEN_ERA, at_least_ago=100) for number in known.AMBIGUOUS_INVOICES
    )
    payment = receive(ledger, first, first.total, first.due_on, number=known.AMBIGUOUS_PAYMENT)
    open_exception(ledger, payment, PaymentException.Kind.UNALLOCATED)


def _disputed_payment(ledger: Ledger) -> None:
    invoice = next(item for item in ledger.invoices if item.number == known.DISPUTED_INVOICE)
    payment = receive(
        ledger, invoice, Decimal("125.00"), invoice.due_on, remittance="", number=known.DISPUTED_PAYMENT
    )
    payment.disputed_on = payment.received_on + timedelta(days=6)
    open_exception(ledger, payment, PaymentException.Kind.DISPUTED)


def _invoice(ledger: Ledger, number: str, era: date, at_least_ago: int) -> Invoice:
    customer = ledger.customer(known.INVOICED_CUSTOMER)
    day = ledger.day(era, at_least_ago)
    return make_exact_invoice(ledger, customer, day, number, _ORDERED[number])
