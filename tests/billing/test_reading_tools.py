"""The tools that only read."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from activities.tools import ToolArgumentError, ToolContext
from examples.billing import known
from examples.billing.models import Invoice
from examples.billing.tools import customers, invoices, payments
from tests.billing import build
from tests.billing.conftest import History


def test_search_customers_says_which_are_whole_names(history: History) -> None:
    found = customers.search_customers(history.ctx, customers.SearchCustomersParams(query="Marie Lefèvre"))
    assert [(item.customer, item.city, item.whole_name) for item in found.customers] == [
        (known.NAMESAKES[0], "Lyon", True),
        (known.NAMESAKES[1], "Nantes", True),
    ]
    assert found.count == 2


def test_get_customer_reads_the_record(ctx: ToolContext) -> None:
    build.customer(ctx.workspace, "Jane Roe", "C-0001", email="jane@example.com", city="Cork")
    found = customers.get_customer(ctx, customers.GetCustomerParams(customer="c-1"))
    assert (found.name, found.email, found.city) == ("Jane Roe", "jane@example.com", "Cork")


def test_list_invoices_filters_and_adds_up(ctx: ToolContext) -> None:
    mine = build.customer(ctx.workspace, code="C-0001")
    theirs = build.customer(ctx.workspace, code="C-0002", currency="GBP")
    paid = build.invoice(mine, total="100.00", issued_on=date(2026, 1, 5))
    build.pay(paid, "100.00")
    part = build.invoice(mine, total="80.00", issued_on=date(2026, 2, 5))
    build.pay(part, "30.00")
    build.invoice(mine, total="40.00", issued_on=date(2026, 6, 20), number="INV-2026-90001")
    build.invoice(theirs, total="10.00", issued_on=date(2026, 3, 5), disputed_on=date(2026, 3, 9))
    build.invoice(mine, total="1.00", cancelled_on=date(2026, 5, 2))
    build.invoice(build.customer(build.workspace("other")), total="7.00")

    def listed(**params: object) -> list[str]:
        return [
            str(item.total)
            for item in invoices.list_invoices(ctx, invoices.ListInvoicesParams(**params)).invoices
        ]

    assert listed() == ["40.00", "10.00", "80.00", "100.00"]
    assert listed(customer="C-0001") == ["40.00", "80.00", "100.00"]
    assert listed(status="unpaid") == ["40.00", "80.00"]
    assert listed(status="overdue") == ["80.00"]
    assert listed(status="paid") == ["100.00"]
    assert listed(status="disputed") == ["10.00"]
    assert listed(period_start=date(2026, 2, 5), period_end=date(2026, 3, 5)) == ["10.00", "80.00"]
    everything = invoices.list_invoices(ctx, invoices.ListInvoicesParams())
    assert [(t.currency, t.count, t.total, t.balance) for t in everything.totals] == [
        ("EUR", 3, Decimal("220.00"), Decimal("90.00")),
        ("GBP", 1, Decimal("10.00"), Decimal("10.00")),
    ]


def test_list_invoices_counts_all_and_shows_the_newest(history: History) -> None:
    found = invoices.list_invoices(history.ctx, invoices.ListInvoicesParams())
    expected = Invoice.objects.filter(workspace=history.ctx.workspace, cancelled_on=None)
    assert (found.count, found.shown, len(found.invoices)) == (expected.count(), 100, 100)
    assert found.invoices[0].issued_on == max(item.issued_on for item in expected)
    assert sum(total.total for total in found.totals) == sum(item.total for item in expected)


def test_list_invoices_of_a_customer_without_any_is_an_empty_fact(history: History) -> None:
    a_year = {"period_start": build.TODAY - timedelta(days=365), "period_end": build.TODAY}
    for code in (known.DORMANT_CUSTOMER, known.NEW_CUSTOMER):
        found = invoices.list_invoices(history.ctx, invoices.ListInvoicesParams(customer=code, **a_year))
        assert (found.count, found.invoices, found.totals) == (0, [], [])


def test_get_invoice_says_what_is_due_and_what_could_go_back(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace)
    lamp = build.product(ctx.workspace, "Lamp", "P-001")
    invoice = build.invoice(
        customer, lines=[(lamp, 3, "33.34", "10.00")], issued_on=date(2026, 5, 1), due_in=30
    )
    build.credit(invoice, "20.02")
    build.pay(invoice, "50.00")
    found = invoices.get_invoice(ctx, invoices.GetInvoiceParams(invoice=invoice.number))
    assert (found.total, found.credited, found.paid) == (
        Decimal("100.02"),
        Decimal("20.02"),
        Decimal("50.00"),
    )
    assert (found.balance, found.refundable, found.status) == (Decimal("30.00"), Decimal("50.00"), "overdue")
    assert found.days_overdue == 30
    assert [(line.product, line.quantity, line.amount) for line in found.lines] == [
        ("P-001", 3, Decimal("100.02"))
    ]


@pytest.mark.parametrize(
    ("paid", "due_in", "status"),
    [("0", 90, "unpaid"), ("40.00", 90, "partial"), ("40.00", 1, "overdue"), ("100.00", 1, "paid")],
)
def test_the_state_of_an_invoice_follows_from_its_payments(
    ctx: ToolContext, paid: str, due_in: int, status: str
) -> None:
    invoice = build.invoice(build.customer(ctx.workspace), due_in=due_in)
    if paid != "0":
        build.pay(invoice, paid)
    assert invoices.get_invoice(ctx, invoices.GetInvoiceParams(invoice=invoice.number)).status == status


def test_find_payments_by_customer_period_and_what_is_left(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace, code="C-0001")
    build.pay(build.invoice(customer), "100.00", date(2026, 1, 10))
    loose = build.payment(customer, "55.00", date(2026, 2, 10))
    build.payment(build.customer(ctx.workspace), "66.00", date(2026, 3, 10))
    build.payment(build.customer(build.workspace("other")), "77.00")

    def found(**params: object) -> list[str]:
        result = payments.find_payments(ctx, payments.FindPaymentsParams(**params))
        assert result.count == len(result.payments)
        return [str(item.amount) for item in result.payments]

    assert found() == ["66.00", "55.00", "100.00"]
    assert found(customer="C-0001") == ["55.00", "100.00"]
    assert found(customer="C-0001", only_unallocated=True) == ["55.00"]
    assert found(period_start=date(2026, 2, 1), period_end=date(2026, 2, 28)) == ["55.00"]
    read = payments.get_payment(ctx, payments.GetPaymentParams(payment=loose.number))
    assert (read.unallocated, read.allocations, read.disputed) == (Decimal("55.00"), [], False)


def test_what_belongs_to_another_workspace_does_not_exist(ctx: ToolContext) -> None:
    stranger = build.customer(build.workspace("other"), code="C-0900")
    invoice, payment = build.invoice(stranger), build.payment(stranger, "5.00")
    for call, param in (
        (lambda: customers.get_customer(ctx, customers.GetCustomerParams(customer="C-0900")), "customer"),
        (lambda: invoices.list_invoices(ctx, invoices.ListInvoicesParams(customer="C-0900")), "customer"),
        (lambda: invoices.get_invoice(ctx, invoices.GetInvoiceParams(invoice=invoice.number)), "invoice"),
        (lambda: payments.find_payments(ctx, payments.FindPaymentsParams(customer="C-0900")), "customer"),
        (lambda: payments.get_payment(ctx, payments.GetPaymentParams(payment=payment.number)), "payment"),
    ):
        with pytest.raises(ToolArgumentError) as caught:
            call()
        assert caught.value.params == (param,)
