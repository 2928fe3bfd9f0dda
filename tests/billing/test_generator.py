"""The generator: the same for the same seed and day, and every promised situation in it."""

from collections import Counter
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.db.models import F, Sum

from accounts.models import Workspace
from agentapp.kernel.text import fold
from examples.billing import known
from examples.billing.amounts import invoices_with_amounts, payments_with_amounts
from examples.billing.generator import draft
from examples.billing.models import Customer, Invoice, Payment, PaymentAllocation, Refund
from tests.billing import build
from tests.billing.conftest import History

WHOLE_HISTORY = True


def content(seed: int, today: date = build.TODAY) -> list[object]:
    """Everything a generation says, without the identifiers that are new each time."""
    ledger = draft(Workspace(slug="x"), today=today, seed=seed, customers=200, invoices=400)
    return [
        [(c.code, c.name, c.email, c.city, c.currency, c.since, c.active) for c in ledger.customers],
        [(i.number, i.customer.code, i.issued_on, i.due_on, i.total, i.disputed_on) for i in ledger.invoices],
        [
            (x.invoice.number, x.position, x.product.code, x.quantity, x.unit_price, x.unit_cost)
            for x in ledger.lines
        ],
        [
            (p.number, p.customer.code, p.received_on, p.amount, p.method, p.remittance)
            for p in ledger.payments
        ],
        [(a.payment.number, a.invoice.number, a.amount) for a in ledger.allocations],
        [(n.number, n.invoice.number, n.amount, n.state, n.reason) for n in ledger.credit_notes],
        [(r.invoice.number, r.amount, r.reason) for r in ledger.refunds],
    ]


def test_same_seed_and_day_give_the_same_history() -> None:
    assert content(7) == content(7)


def test_another_seed_gives_another_history() -> None:
    assert content(7) != content(8)


@pytest.mark.parametrize("today", [date(2026, 4, 24), date(2028, 2, 29), date(2025, 3, 1), date(2031, 1, 1)])
def test_any_day_works_and_nothing_lies_ahead(today: date) -> None:
    ledger = draft(Workspace(slug="x"), today=today, seed=1, customers=200, invoices=300)
    assert max(invoice.issued_on for invoice in ledger.invoices) <= today
    assert max(payment.received_on for payment in ledger.payments) <= today
    assert {row.number for row in [*ledger.invoices, *ledger.payments]} >= known.RESERVED_NUMBERS


def test_numbers_are_unique_and_increase_with_the_day(history: History) -> None:
    ordinary = [item for item in history.ledger.invoices if item.number not in known.RESERVED_NUMBERS]
    by_number = sorted(ordinary, key=lambda item: item.number)
    assert len({item.number for item in history.ledger.invoices}) == len(history.ledger.invoices)
    assert [item.issued_on for item in by_number] == sorted(item.issued_on for item in by_number)


def test_size_and_span(history: History) -> None:
    invoices = Invoice.objects.filter(workspace=history.ctx.workspace)
    days = [invoice.issued_on for invoice in invoices]
    assert Customer.objects.filter(workspace=history.ctx.workspace).count() == 200
    assert 4_900 <= len(days) <= 5_200
    assert max(days) == build.TODAY
    assert timedelta(days=1_080) <= max(days) - min(days) <= timedelta(days=1_100)


def test_every_kind_of_payment_behaviour_is_there(history: History) -> None:
    found = invoices_with_amounts(Invoice.objects.filter(workspace=history.ctx.workspace), build.TODAY)
    states = Counter(invoice.status for invoice in found)
    assert all(states[state] >= 20 for state in ("paid", "overdue", "unpaid", "disputed", "cancelled"))
    assert found.filter(paid__gt=0, balance__gt=0).count() >= 20, "partial"
    late = PaymentAllocation.objects.filter(payment__received_on__gt=F("invoice__due_on"))
    assert late.filter(invoice__workspace=history.ctx.workspace).count() >= 500
    unallocated = payments_with_amounts(Payment.objects.filter(workspace=history.ctx.workspace))
    assert unallocated.filter(unallocated__gt=0).count() >= 10


def test_names_currencies_and_costs(history: History) -> None:
    customers = history.ledger.customers
    surnames = Counter(customer.name.split()[-1] for customer in customers)
    assert sum(customer.name != fold(customer.name).title() for customer in customers) >= 40, (
        "accents and forms"
    )
    assert sum(count >= 3 for count in surnames.values()) >= 3, "shared surnames"
    assert {"EUR", "GBP", "USD", "CHF", "CAD"} == {customer.currency for customer in customers}
    assert all(invoice.currency == invoice.customer.currency for invoice in history.ledger.invoices)
    assert all(Decimal(0) < product.cost < product.price for product in history.ledger.products)


def test_totals_are_the_sum_of_the_lines(history: History) -> None:
    invoices = Invoice.objects.filter(workspace=history.ctx.workspace)
    summed = invoices.annotate(lines_total=Sum(F("lines__quantity") * F("lines__unit_price")))
    assert not summed.exclude(lines_total=F("total")).exists()


def test_no_payment_is_allocated_beyond_its_amount_and_no_invoice_beyond_its_total(history: History) -> None:
    payments = payments_with_amounts(Payment.objects.filter(workspace=history.ctx.workspace))
    invoices = invoices_with_amounts(Invoice.objects.filter(workspace=history.ctx.workspace), build.TODAY)
    assert not payments.filter(unallocated__lt=0).exists()
    assert not invoices.filter(paid__gt=F("total") - F("credited")).exists()
    assert not invoices.filter(refunded__gt=F("paid")).exists()


def test_the_known_records_are_in_their_situations(history: History) -> None:
    found = invoices_with_amounts(Invoice.objects.filter(workspace=history.ctx.workspace), build.TODAY)
    by_number = {invoice.number: invoice for invoice in found.filter(number__in=known.RESERVED_NUMBERS)}
    for number, amount in zip(known.REFUNDABLE_INVOICES, known.REFUNDABLE_AMOUNTS, strict=True):
        assert by_number[number].status == "paid"
        assert by_number[number].refundable == by_number[number].total == Decimal(amount)
    assert (
        0
        < by_number[known.PARTLY_REFUNDED_INVOICE].refundable
        < by_number[known.PARTLY_REFUNDED_INVOICE].total
    )
    assert by_number[known.REFUNDED_INVOICE].refundable == 0
    assert by_number[known.DISPUTED_INVOICE].status == "disputed"
    for number, amount in zip(known.OVERDUE_INVOICES, known.OVERDUE_AMOUNTS, strict=True):
        assert (by_number[number].status, by_number[number].balance) == ("overdue", Decimal(amount))
    assert by_number[known.MATCHING_INVOICE].balance == Decimal(known.MATCHING_AMOUNT)


def test_the_known_customers_are_in_their_situations(history: History) -> None:
    invoices = Invoice.objects.filter(workspace=history.ctx.workspace)
    of = {code: invoices.filter(customer__code=code) for code in known.RESERVED_CODES}
    a_year_ago = build.TODAY - timedelta(days=396)
    assert of[known.RICH_CUSTOMER].filter(issued_on__gt=a_year_ago).count() >= 20
    assert of[known.DORMANT_CUSTOMER].exists()
    assert not of[known.DORMANT_CUSTOMER].filter(issued_on__gt=a_year_ago).exists()
    assert not of[known.NEW_CUSTOMER].exists()
    names = Counter(customer.name for customer in history.ledger.customers)
    assert (names[known.RICH_CUSTOMER_NAME], names[known.NAMESAKES_NAME]) == (1, 2)
    assert sum("Doe" in name for name in names) == 1
    assert all(
        Customer.objects.get(workspace=history.ctx.workspace, code=code).active
        for code in known.RESERVED_CODES
    )


def test_two_workspaces_have_histories_of_their_own(db: None) -> None:
    from examples.billing.generator import generate

    first, second = build.workspace("one"), build.workspace("two")
    for workspace in (first, second):
        generate(workspace, today=build.TODAY, invoices=200)
    assert (
        Refund.objects.filter(workspace=first).count() == Refund.objects.filter(workspace=second).count() > 0
    )


def test_storing_takes_few_statements(db: None, django_assert_max_num_queries: object) -> None:
    from examples.billing.generator import generate

    workspace = build.workspace("few")
    with django_assert_max_num_queries(60):
        generate(workspace, today=build.TODAY, invoices=5_000)
