"""How people name records, and what must not be taken for a name."""

import re

import pytest

from activities.tools import ToolContext, registry
from examples.billing import known
from examples.billing.references import (
    customer_by_code,
    customer_search,
    invoice_by_number,
    invoice_search,
    payment_by_number,
    payment_search,
    product_search,
)
from tests.billing import build
from tests.billing.conftest import History


def values(found: list[object]) -> list[tuple[str, bool]]:
    return [(item.value, item.exact) for item in found]


@pytest.mark.parametrize(
    "text",
    [
        "Atelier de l'Œuvre d'Été SARL",
        "atelier de l'oeuvre d'ete",
        "ATELIER DE L’ŒUVRE D’ÉTÉ",
        "Atelier de l'O\u0153uvre d'E\u0301te\u0301",
        "l'Œuvre d'Été Atelier de",
        "C-0077",
        "c-77",
    ],
)
def test_the_whole_name_is_exact_however_it_is_written(history: History, text: str) -> None:
    found = customer_search(history.ctx, text.replace("O\u0153", "\u0153"), 10)
    assert values(found) == [(known.INVOICED_CUSTOMER, True)]


def test_a_part_in_whole_words_matches_but_is_not_exact(history: History) -> None:
    assert values(customer_search(history.ctx, "Œuvre", 10)) == [(known.INVOICED_CUSTOMER, False)]
    assert values(customer_search(history.ctx, "Doe", 10)) == [(known.RICH_CUSTOMER, False)]
    assert values(customer_search(history.ctx, "john doe", 10)) == [(known.RICH_CUSTOMER, True)]


def test_namesakes_are_two_exact_matches_told_apart_by_their_detail(history: History) -> None:
    found = customer_search(history.ctx, "marie lefevre", 10)
    assert values(found) == [(code, True) for code in known.NAMESAKES]
    assert ["Lyon" in found[0].detail, "Nantes" in found[1].detail] == [True, True]
    assert all(item.label == known.NAMESAKES_NAME and item.value in item.detail for item in found)


def test_a_shared_surname_gives_several_inexact_matches(history: History) -> None:
    found = customer_search(history.ctx, "Lefèvre", 20)
    assert len(found) > 2
    assert not any(item.exact for item in found)
    assert len(customer_search(history.ctx, "Lefèvre", 2)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "de", "l'", "d", "of the", "SARL", "Ltd", "de l'", "n", "?", "😀", "%", "_", "'; --", "Oeuv",
        "Do", "John Doe over", "John Doe over the past year", "my relationship with John Doe", "past year",
        "relationship", "ma relation client", "année passée",
        "invoice", "facture", "refund", "C-", "C-99999", "42",
        "0042", "Joh Doe", "john doe john smith", "a " * 500,
    ],
)  # fmt: skip
def test_what_names_nobody_finds_nobody(history: History, text: str) -> None:
    assert customer_search(history.ctx, text, 10) == []


def test_every_customer_is_found_by_name_and_by_code(history: History) -> None:
    for customer in history.ledger.customers:
        named = [
            item for item in customer_search(history.ctx, customer.name, 50) if item.value == customer.code
        ]
        assert named, customer.name
        assert named[0].exact
        assert customer_by_code(history.ctx, customer.code.lower()) is not None


def test_products_are_found_by_name(history: History) -> None:
    found = product_search(history.ctx, "machine a cafe", 5)
    assert [(item.label, item.exact) for item in found] == [("Machine à café", True)]
    assert product_search(history.ctx, "P-3", 5)[0].value == "P-003"


@pytest.mark.parametrize(
    "text", ["INV-2025-00123", "inv-2025-00123", "INV-2025-123", "inv 2025 123", "2025-00123"]
)
def test_invoices_are_found_by_number_only(history: History, text: str) -> None:
    assert values(invoice_search(history.ctx, text, 5)) == [("INV-2025-00123", True)]


@pytest.mark.parametrize(
    "text", ["2025", "123", "INV", "INV-2025", "2025-123", "01/2025", "INV-2025-99999", "PAY-2025-00900"]
)
def test_what_is_no_invoice_number_finds_no_invoice(history: History, text: str) -> None:
    assert invoice_search(history.ctx, text, 5) == []


def test_payments_are_found_by_number(history: History) -> None:
    assert values(payment_search(history.ctx, "pay 2025 900", 5)) == [(known.MATCHING_PAYMENT, True)]
    assert payment_search(history.ctx, "2025", 5) == []


def test_nothing_of_another_workspace_is_seen(history: History) -> None:
    elsewhere = build.context(build.workspace("elsewhere"))
    assert customer_by_code(elsewhere, known.RICH_CUSTOMER) is None
    assert invoice_by_number(elsewhere, known.REFUNDABLE_INVOICE) is None
    assert payment_by_number(elsewhere, known.MATCHING_PAYMENT) is None
    for search, text in (
        (customer_search, known.RICH_CUSTOMER_NAME),
        (customer_search, known.RICH_CUSTOMER),
        (invoice_search, known.REFUNDABLE_INVOICE),
        (payment_search, known.MATCHING_PAYMENT),
        (product_search, "Desk lamp"),
    ):
        assert search(history.ctx, text, 5), text
        assert search(elsewhere, text, 5) == [], text


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("billing.customer", "analyse c-0042 please", "c-0042"),
        ("billing.invoice", "Refund invoice INV-2025-00123, it broke.", "INV-2025-00123"),
        ("billing.payment", "le paiement pay-2025-00900 est ouvert", "pay-2025-00900"),
        ("billing.product", "how many P-003 were sold?", "P-003"),
    ],
)
def test_patterns_find_identifiers_in_running_text(kind: str, text: str, found: str) -> None:
    reference = registry.reference(kind)
    assert reference is not None
    assert [match[0] for match in re.finditer(reference.pattern, text, re.IGNORECASE)] == [found]


def test_a_name_with_wildcards_is_only_a_name(ctx: ToolContext) -> None:
    build.customer(ctx.workspace, "100% Wool_Works", code="C-0001")
    build.customer(ctx.workspace, "1000 Woolworks", code="C-0002")
    assert [item.value for item in customer_search(ctx, "100% wool", 5)] == ["C-0001"]
