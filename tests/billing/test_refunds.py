"""Refunds: what is allowed, what is shown, and that money goes back once."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from threading import Barrier, Thread

import pytest
from django.db import connection

from activities.tools import (
    Preview,
    ToolArgumentError,
    ToolContext,
    ToolError,
    ToolOutcomeUnknown,
    ToolRefused,
    ToolUnavailable,
)
from examples.billing.models import Invoice, ProviderEntry, Refund
from examples.billing.provider import LedgerProvider, RefundOrder
from examples.billing.tools import refunds
from examples.billing.tools.refunds import RefundInvoiceParams, RefundInvoiceResult
from tests.billing import build


def refund(ctx: ToolContext, invoice: Invoice, amount: str | None = None) -> RefundInvoiceResult:
    """Refund as the engine does: prepare, guard, execute."""
    params = RefundInvoiceParams(invoice=invoice.number, reason="arrived broken", amount=amount)
    params = refunds.prepare_refund(ctx, params)
    refunds.guard_refund(ctx, params)
    return refunds.refund_invoice(ctx, params)


@pytest.fixture
def paid(ctx: ToolContext) -> Invoice:
    invoice = build.invoice(build.customer(ctx.workspace, "Jane Roe", "C-0001"), total="1234.50")
    build.pay(invoice, "1234.50")
    return invoice


def again(ctx: ToolContext, key: str) -> ToolContext:
    return replace(ctx, idempotency_key=key)


def test_it_gives_back_everything_that_was_paid(ctx: ToolContext, paid: Invoice) -> None:
    result = refund(ctx, paid)
    entry, row = ProviderEntry.objects.get(), Refund.objects.get()
    assert result.amount == entry.amount == row.amount == Decimal("1234.50")
    assert result.provider_reference == entry.reference == row.provider_reference
    assert (row.state, row.idempotency_key, row.ordered_by, row.reason) == (
        "done",
        "key-1",
        ctx.user,
        "arrived broken",
    )
    assert (entry.idempotency_key, entry.invoice_number, entry.currency) == ("key-1", paid.number, "EUR")


def test_a_part_leaves_the_rest_refundable(ctx: ToolContext, paid: Invoice) -> None:
    refund(ctx, paid, "1000.00")
    assert refund(again(ctx, "key-2"), paid).amount == Decimal("234.50")
    with pytest.raises(ToolRefused):
        refund(again(ctx, "key-3"), paid)
    assert sum(entry.amount for entry in ProviderEntry.objects.all()) == Decimal("1234.50")


def test_the_same_key_gives_the_same_result_and_pays_once(ctx: ToolContext, paid: Invoice) -> None:
    first = refund(ctx, paid)
    params = RefundInvoiceParams(invoice=paid.number, reason="arrived broken", amount=Decimal("1234.50"))
    refunds.guard_refund(ctx, params)
    assert refunds.refund_invoice(ctx, params) == first
    assert (ProviderEntry.objects.count(), Refund.objects.count()) == (1, 1)


def test_a_key_of_another_refund_pays_nothing(ctx: ToolContext, paid: Invoice) -> None:
    refund(ctx, paid, "10.00")
    other = build.invoice(build.customer(ctx.workspace))
    build.pay(other, "100.00")
    with pytest.raises(ToolRefused):
        refund(ctx, other)
    assert ProviderEntry.objects.get().invoice_number == paid.number


@pytest.mark.parametrize("amount", ["1234.51", "9999999.99"])
def test_never_more_than_was_paid(ctx: ToolContext, paid: Invoice, amount: str) -> None:
    with pytest.raises(ToolArgumentError) as caught:
        refund(ctx, paid, amount)
    assert caught.value.params == ("amount",)
    assert "1234" not in str(caught.value)
    assert not ProviderEntry.objects.exists()


def test_not_for_an_unpaid_disputed_cancelled_or_charged_back_invoice(ctx: ToolContext) -> None:
    customer = build.customer(ctx.workspace)
    disputed = build.invoice(customer, disputed_on=date(2026, 5, 30))
    cancelled = build.invoice(customer, cancelled_on=date(2026, 5, 30))
    charged_back = build.invoice(customer)
    for invoice in (disputed, cancelled):
        build.pay(invoice, "100.00")
    build.pay(charged_back, "100.00", disputed_on=date(2026, 5, 30))
    for invoice in (build.invoice(customer), disputed, cancelled, charged_back):
        with pytest.raises(ToolRefused):
            refund(ctx, invoice)
    assert not Refund.objects.exists()


def test_the_rules_hold_without_the_guard(ctx: ToolContext, paid: Invoice) -> None:
    params = RefundInvoiceParams(invoice=paid.number, reason="arrived broken", amount=Decimal("5000.00"))
    with pytest.raises(ToolArgumentError):
        refunds.refund_invoice(ctx, params)
    assert not ProviderEntry.objects.exists()


def test_not_without_a_key_and_not_across_workspaces(ctx: ToolContext, paid: Invoice) -> None:
    with pytest.raises(ToolRefused):
        refund(again(ctx, ""), paid)
    elsewhere = build.context(build.workspace("other"), key="key-9")
    with pytest.raises(ToolArgumentError) as caught:
        refund(elsewhere, paid)
    assert caught.value.params == ("invoice",)
    assert not ProviderEntry.objects.exists()


@pytest.mark.parametrize(
    ("provider", "error"), [("Unreachable", ToolUnavailable), ("Unwilling", ToolRefused)]
)
def test_a_refund_that_certainly_failed_frees_the_amount_and_may_be_tried_again(
    ctx: ToolContext, paid: Invoice, settings: object, provider: str, error: type[ToolError]
) -> None:
    settings.BILLING_PROVIDER = f"tests.billing.providers.{provider}"
    with pytest.raises(error):
        refund(ctx, paid)
    assert Refund.objects.get().state == "failed"
    del settings.BILLING_PROVIDER
    assert refund(ctx, paid).amount == Decimal("1234.50")
    assert (Refund.objects.get().state, ProviderEntry.objects.count()) == ("done", 1)


def test_an_unknown_outcome_keeps_the_amount_aside_and_a_repeat_finds_it_done(
    ctx: ToolContext, paid: Invoice, settings: object
) -> None:
    settings.BILLING_PROVIDER = "tests.billing.providers.Silent"
    with pytest.raises(ToolOutcomeUnknown):
        refund(ctx, paid)
    assert Refund.objects.get().state == "pending"
    with pytest.raises(ToolRefused):
        refund(again(ctx, "key-2"), paid)
    del settings.BILLING_PROVIDER
    params = RefundInvoiceParams(invoice=paid.number, reason="arrived broken", amount=Decimal("1234.50"))
    assert refunds.refund_invoice(ctx, params).provider_reference == ProviderEntry.objects.get().reference
    assert Refund.objects.get().state == "done"


def test_the_provider_refuses_another_order_under_a_used_key(ctx: ToolContext) -> None:
    order = RefundOrder("key-7", ctx.workspace, "INV-2026-00001", Decimal("10.00"), "EUR")
    reference = LedgerProvider().refund(order)
    assert LedgerProvider().refund(order) == reference
    with pytest.raises(ToolRefused):
        LedgerProvider().refund(replace(order, amount=Decimal("11.00")))
    assert ProviderEntry.objects.get().amount == Decimal("10.00")


@pytest.mark.parametrize(("language", "amount"), [("en", "€1,234.50"), ("fr", "1\u202f234,50\u00a0€")])
def test_the_preview_says_what_to_whom_and_how_much(
    ctx: ToolContext, paid: Invoice, language: str, amount: str
) -> None:
    ctx = replace(ctx, language=language)
    params = RefundInvoiceParams(invoice=paid.number, reason="arrived broken")
    shown: Preview = refunds.preview_refund(ctx, refunds.prepare_refund(ctx, params))
    assert (shown.amount, shown.recipient) == (amount, "Jane Roe (C-0001)")
    assert all(text in shown.summary for text in (amount, "Jane Roe", paid.number))
    assert "arrived broken" in [line.value for line in shown.lines]
    assert shown.warning
    assert ("remboursé" in shown.summary) == (language == "fr")
    assert refund(ctx, paid).amount == Decimal("1234.50")


def test_what_is_prepared_is_what_is_paid_though_more_came_in_since(ctx: ToolContext) -> None:
    invoice = build.invoice(build.customer(ctx.workspace))
    build.pay(invoice, "60.00")
    params = refunds.prepare_refund(ctx, RefundInvoiceParams(invoice=invoice.number, reason="arrived broken"))
    build.pay(invoice, "40.00")
    assert refunds.prepare_refund(ctx, params).amount == Decimal("60.00")
    assert refunds.refund_invoice(ctx, params).amount == Decimal("60.00")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("keys", [("a", "b", "c", "d"), ("a", "a", "a", "a")])
def test_refunds_at_the_same_moment_never_exceed_what_was_paid(keys: tuple[str, ...]) -> None:
    workspace = build.workspace("race")
    person = build.user("race@example.com")
    invoice = build.invoice(build.customer(workspace))
    build.pay(invoice, "100.00")
    params = RefundInvoiceParams(invoice=invoice.number, reason="arrived broken", amount=Decimal("60.00"))
    start = Barrier(len(keys))
    outcomes: list[object] = []

    def attempt(key: str) -> None:
        try:
            start.wait()
            outcomes.append(refunds.refund_invoice(build.context(workspace, key=key, user=person), params))
        except ToolError as error:
            outcomes.append(error)
        finally:
            connection.close()

    threads = [Thread(target=attempt, args=(key,)) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(entry.amount for entry in ProviderEntry.objects.all()) == Decimal("60.00")
    assert Refund.objects.count() == 1
    refused = [outcome for outcome in outcomes if isinstance(outcome, ToolArgumentError)]
    assert len(refused) == (3 if len(set(keys)) == 4 else 0)
