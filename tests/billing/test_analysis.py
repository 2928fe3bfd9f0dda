"""The analysis against figures worked out by hand, and against the database's own arithmetic."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from activities.tools import ToolArgumentError, ToolContext, ToolRefused
from examples.billing import known
from examples.billing.models import Invoice, Refund
from examples.billing.tools.analysis import CollectAnalysisParams, CollectAnalysisResult, collect_analysis
from tests.billing import build
from tests.billing.conftest import History

YEAR = (build.TODAY - timedelta(days=365), build.TODAY)


def run(
    ctx: ToolContext, code: str, start: date, end: date, invoices: list[str] | None = None
) -> CollectAnalysisResult:
    params = CollectAnalysisParams(customer=code, period_start=start, period_end=end, invoices=invoices or [])
    return collect_analysis(ctx, params)


def test_figures_worked_out_by_hand(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace, code="C-0001")
    lamp, desk = build.product(ctx.workspace, "Lamp", "P-001"), build.product(ctx.workspace, "Desk", "P-002")
    # 4 x 25 = 100, paid after 10 days, 20 days early.
    first = build.invoice(customer, lines=[(lamp, 4, "25.00", "10.00")], issued_on=date(2026, 1, 10))
    build.pay(first, "100.00", date(2026, 1, 20))
    # 1 x 200 + 2 x 25 = 250, less a credit note of 50; paid in two parts, the last 5 days late.
    second = build.invoice(
        customer,
        lines=[(desk, 1, "200.00", "150.00"), (lamp, 2, "25.00", "12.50")],
        issued_on=date(2026, 2, 1),
    )
    build.credit(second, "50.00")
    build.credit(second, "9.00", state="draft")
    build.pay(second, "120.00", date(2026, 2, 20))
    build.pay(second, "80.00", date(2026, 3, 8))
    # 1 x 40.01, due, nothing paid, disputed.
    build.invoice(
        customer,
        lines=[(lamp, 1, "40.01", "10.00")],
        issued_on=date(2026, 4, 1),
        disputed_on=date(2026, 4, 3),
    )
    # Cancelled, outside the period, and somebody else's: none of them counts.
    build.invoice(customer, total="999.00", issued_on=date(2026, 3, 1), cancelled_on=date(2026, 3, 2))
    build.invoice(customer, total="999.00", issued_on=date(2025, 12, 31))
    build.invoice(build.customer(ctx.workspace), total="999.00", issued_on=date(2026, 3, 1))

    result = run(ctx, "C-0001", date(2026, 1, 1), date(2026, 5, 31))

    assert (result.invoice_count, result.total_spend) == (3, Decimal("390.01"))
    assert (result.average_spend, result.max_spend) == (Decimal("130.00"), Decimal("250.00"))
    assert result.max_spend_invoice == second.number
    assert result.paid_count == 2
    assert result.average_payment_delay == Decimal("22.5")  # (10 + 35) / 2
    assert result.average_days_late == Decimal("2.5")  # (0 + 5) / 2
    assert (result.outstanding, result.credited, result.refunded) == (Decimal("40.01"), Decimal(50), 0)
    assert result.disputed_count == 1
    assert [(item.product, item.quantity) for item in result.products] == [("P-001", 7), ("P-002", 1)]
    lamps = result.products[0]
    assert (lamps.revenue, lamps.cost, lamps.margin) == (
        Decimal("190.01"),
        Decimal("75.00"),
        Decimal("115.01"),
    )
    assert lamps.margin_rate == Decimal("60.53")
    assert (result.total_margin, result.margin_rate) == (Decimal("165.01"), Decimal("42.31"))
    # One of three due invoices in time; 300 of 340.01 settled; two of three calm; 3 of 5 months.
    parts = (result.punctuality, result.settlement, result.calm, result.regularity)
    assert parts == (Decimal("33.33"), Decimal("88.23"), Decimal("66.67"), Decimal("60.00"))
    assert result.confidence_index == 59  # 13.33 + 26.47 + 13.33 + 6.00 = 59.13


def test_nothing_due_yet_is_neither_good_nor_bad(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace, code="C-0001")
    build.invoice(customer, issued_on=build.TODAY, due_in=30)
    result = run(ctx, "C-0001", build.TODAY, build.TODAY)
    assert (result.punctuality, result.settlement) == (Decimal(50), Decimal(50))
    assert result.average_payment_delay is None
    assert result.confidence_index == 65


def test_a_refund_that_failed_does_not_count(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace, code="C-0001")
    invoice = build.invoice(customer)
    build.pay(invoice, "100.00")
    for state, reference in (("failed", ""), ("done", "RF-1")):
        Refund.objects.create(
            workspace=ctx.workspace,
            invoice=invoice,
            amount=Decimal(30),
            currency="EUR",
            reason="broken",
            state=state,
            provider_reference=reference,
            idempotency_key=state,
            ordered_at=ctx.now,
        )
    assert run(ctx, "C-0001", *YEAR).refunded == Decimal(30)


def test_only_the_named_invoices(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace, code="C-0001")
    wanted = build.invoice(customer, total="10.00")
    build.invoice(customer, total="20.00")
    assert run(ctx, "C-0001", *YEAR, [wanted.number.lower()]).total_spend == Decimal("10.00")


@pytest.mark.parametrize("where", ["another customer", "outside the period", "another workspace", "nowhere"])
def test_it_refuses_an_invoice_that_does_not_belong_and_names_no_other(ctx: ToolContext, where: str) -> None:
    customer = build.customer(ctx.workspace, code="C-0001")
    own = build.invoice(customer)
    stranger = build.customer(build.workspace("other"))
    wrong = {
        "another customer": lambda: build.invoice(build.customer(ctx.workspace)).number,
        "outside the period": lambda: build.invoice(customer, issued_on=date(2020, 1, 1)).number,
        "another workspace": lambda: build.invoice(stranger).number,
        "nowhere": lambda: "INV-2026-99999",
    }[where]()
    with pytest.raises(ToolArgumentError) as caught:
        run(ctx, "C-0001", *YEAR, [own.number, wrong])
    assert caught.value.params == ("invoices",)
    assert "INV-" not in str(caught.value)


def test_it_refuses_an_unknown_customer_a_turned_period_and_an_empty_one(ctx: ToolContext) -> None:
    build.customer(ctx.workspace, code="C-0001")
    build.customer(build.workspace("other"), code="C-0777")
    for code in ("C-0002", "C-0777"):
        with pytest.raises(ToolArgumentError) as caught:
            run(ctx, code, *YEAR)
        assert caught.value.params == ("customer",)
    with pytest.raises(ToolArgumentError):
        run(ctx, "C-0001", YEAR[1], YEAR[0])
    with pytest.raises(ToolRefused):
        run(ctx, "C-0001", *YEAR)


SPEND = """
    SELECT count(*), sum(total), round(avg(total), 2), max(total), count(disputed_on)
    FROM billing_invoice WHERE customer_id = %(customer)s AND cancelled_on IS NULL
      AND issued_on BETWEEN %(start)s AND %(end)s
"""
MONEY = """
    WITH one AS (
        SELECT i.id, i.issued_on, i.due_on, i.disputed_on,
               i.total - coalesce((SELECT sum(n.amount) FROM billing_creditnote n
                                   WHERE n.invoice_id = i.id AND n.state = 'issued'), 0) AS need,
               coalesce((SELECT sum(n.amount) FROM billing_creditnote n
                         WHERE n.invoice_id = i.id AND n.state = 'issued'), 0) AS credited,
               coalesce((SELECT sum(r.amount) FROM billing_refund r
                         WHERE r.invoice_id = i.id AND r.state <> 'failed'), 0) AS refunded,
               coalesce((SELECT sum(a.amount) FROM billing_paymentallocation a
                         WHERE a.invoice_id = i.id), 0) AS got,
               (SELECT max(p.received_on) FROM billing_paymentallocation a
                JOIN billing_payment p ON p.id = a.payment_id WHERE a.invoice_id = i.id) AS last_on
        FROM billing_invoice i WHERE i.customer_id = %(customer)s AND i.cancelled_on IS NULL
          AND i.issued_on BETWEEN %(start)s AND %(end)s
    ), full_paid AS (SELECT *, last_on IS NOT NULL AND got >= need AS done FROM one)
    SELECT count(*) FILTER (WHERE done),
           round(avg(last_on - issued_on) FILTER (WHERE done), 1),
           round(avg(greatest(last_on - due_on, 0)) FILTER (WHERE done), 1),
           sum(greatest(need - got, 0)), sum(credited), sum(refunded),
           count(*) FILTER (WHERE due_on <= %(today)s AND need > 0),
           count(*) FILTER (WHERE due_on <= %(today)s AND need > 0 AND done AND last_on <= due_on),
           sum(need) FILTER (WHERE due_on <= %(today)s AND need > 0),
           sum(least(got, need)) FILTER (WHERE due_on <= %(today)s AND need > 0),
           count(*) FILTER (WHERE disputed_on IS NULL AND refunded = 0),
           count(DISTINCT date_trunc('month', issued_on))
    FROM full_paid
"""
PRODUCTS = """
    SELECT p.code, sum(l.quantity), sum(l.quantity * l.unit_price), sum(l.quantity * l.unit_cost)
    FROM billing_invoiceline l JOIN billing_invoice i ON i.id = l.invoice_id
    JOIN billing_product p ON p.id = l.product_id
    WHERE i.customer_id = %(customer)s AND i.cancelled_on IS NULL
      AND i.issued_on BETWEEN %(start)s AND %(end)s
    GROUP BY p.code ORDER BY sum(l.quantity) DESC, sum(l.quantity * l.unit_price) DESC, p.code
"""


def ask(sql: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def share(part: Any, whole: Any) -> Decimal:
    """In per cent, from four decimals; one half when there is no whole."""
    return (
        Decimal(50)
        if not whole
        else (Decimal(part) / Decimal(whole)).quantize(Decimal("1.0000"), "ROUND_HALF_UP") * 100
    )


PERIODS = [
    YEAR,
    (date(2025, 1, 1), date(2025, 12, 31)),
    (date(2026, 4, 1), date(2026, 6, 30)),
    (date(2026, 6, 1), date(2026, 12, 31)),
]


@pytest.mark.parametrize(("start", "end"), PERIODS)
@pytest.mark.parametrize(
    "code", [known.RICH_CUSTOMER, *known.NAMESAKES, "C-0003", "C-0010", "C-0055", "C-0160"]
)
def test_every_figure_equals_the_databases_own_arithmetic(
    history: History, code: str, start: date, end: date
) -> None:
    customer = next(item for item in history.ledger.customers if item.code == code)
    values = {"customer": customer.pk, "start": start, "end": end, "today": build.TODAY}
    count, total, average, largest, disputed = ask(SPEND, values)[0]
    if count == 0:
        with pytest.raises(ToolRefused):
            run(history.ctx, code, start, end)
        return
    result = run(history.ctx, code, start, end)
    paid, delay, late, open_, credited, refunded, due, in_time, owed, settled, calm, months = ask(
        MONEY, values
    )[0]

    assert (result.invoice_count, result.total_spend, result.average_spend) == (count, total, average)
    assert (result.max_spend, result.disputed_count, result.paid_count) == (largest, disputed, paid)
    assert (result.average_payment_delay, result.average_days_late) == (delay, late)
    assert (result.outstanding, result.credited, result.refunded) == (open_, credited, refunded)
    assert Invoice.objects.get(number=result.max_spend_invoice, customer=customer).total == largest

    products = ask(PRODUCTS, values)
    assert [(p.product, p.quantity, p.revenue, p.cost) for p in result.products] == products
    assert [(p.margin, p.margin_rate) for p in result.products] == [
        (revenue - cost, ((revenue - cost) * 100 / revenue).quantize(Decimal("0.01"), "ROUND_HALF_UP"))
        for _, _, revenue, cost in products
    ]
    assert result.top_products == result.products[:5]
    assert result.total_margin == sum(revenue - cost for _, _, revenue, cost in products)

    last = min(end, build.TODAY)
    span = (last.year * 12 + last.month) - (start.year * 12 + start.month) + 1
    parts = [share(in_time, due), share(settled, owed), share(calm, count), share(months, span)]
    assert [result.punctuality, result.settlement, result.calm, result.regularity] == parts
    index = (40 * parts[0] + 30 * parts[1] + 20 * parts[2] + 10 * parts[3]) / 100
    assert result.confidence_index == int(index.quantize(Decimal(1), "ROUND_HALF_UP"))
    assert 0 <= result.confidence_index <= 100


def test_the_rich_customer_has_something_to_show(history: History) -> None:
    result = run(history.ctx, known.RICH_CUSTOMER, *YEAR)
    assert result.invoice_count >= 10
    assert result.average_payment_delay is not None
    assert len(result.top_products) == 5


def test_its_statements_do_not_grow_with_the_invoices(
    history: History, django_assert_max_num_queries: object
) -> None:
    with django_assert_max_num_queries(5):
        run(history.ctx, known.RICH_CUSTOMER, date(2023, 1, 1), build.TODAY)
