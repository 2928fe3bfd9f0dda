"""How customers, products, invoices and payments are named by people.

A search may be handed any stretch of a sentence, so it answers only when every word of the text belongs
to the record's name, or when the text is its identifier.
"""

import re
from collections.abc import Iterable
from functools import reduce
from operator import and_

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from activities.tools import Reference, ReferenceType, ToolContext, reference
from agentapp.kernel.text import words
from examples.billing import selectors
from examples.billing.formatting import day, money
from examples.billing.models import Customer, Invoice, Payment, Product
from examples.billing.naming import LEGAL_FORMS, core_words, names_somebody

_MAX_WORDS = 10


def _name_query(text: str) -> Q | None:
    """Return the condition "every word of `text` is a word of the name", or None when it names nobody."""
    found = words(text)
    if not found or len(found) > _MAX_WORDS or not names_somebody(found):
        return None
    wanted = [word for word in found if word not in LEGAL_FORMS]
    return reduce(and_, (Q(name_key__contains=f" {word} ") for word in wanted))


def _is_whole_name(text: str, name: str) -> bool:
    """True when `text` is the name, with or without its legal form, in whatever order of words."""
    return sorted(core_words(text)) == sorted(core_words(name))


def _best_first(found: Iterable[Reference], limit: int) -> list[Reference]:
    return sorted(found, key=lambda item: (not item.exact, item.value))[:limit]


def customer_reference(customer: Customer, exact: bool = True) -> Reference:
    return Reference(customer.code, customer.name, f"{customer.city}, {customer.code}", exact)


def customer_by_code(ctx: ToolContext, value: str) -> Reference | None:
    customer = selectors.customer_find(ctx.workspace, value)
    return customer_reference(customer) if customer else None


def customer_search(ctx: ToolContext, text: str, limit: int) -> list[Reference]:
    if re.fullmatch(selectors.CUSTOMER_CODE, text.strip(), re.IGNORECASE):
        found = customer_by_code(ctx, text)
        return [found] if found else []
    query = _name_query(text)
    if query is None:
        return []
    matches = Customer.objects.filter(query, workspace=ctx.workspace)
    return _best_first((customer_reference(item, _is_whole_name(text, item.name)) for item in matches), limit)


def product_reference(product: Product, exact: bool = True) -> Reference:
    return Reference(product.code, product.name, product.code, exact)


def product_by_code(ctx: ToolContext, value: str) -> Reference | None:
    product = selectors.product_find(ctx.workspace, value)
    return product_reference(product) if product else None


def product_search(ctx: ToolContext, text: str, limit: int) -> list[Reference]:
    if re.fullmatch(selectors.PRODUCT_CODE, text.strip(), re.IGNORECASE):
        found = product_by_code(ctx, text)
        return [found] if found else []
    query = _name_query(text)
    if query is None:
        return []
    matches = Product.objects.filter(query, workspace=ctx.workspace)
    return _best_first((product_reference(item, _is_whole_name(text, item.name)) for item in matches), limit)


def invoice_by_number(ctx: ToolContext, value: str) -> Reference | None:
    invoice = selectors.invoice_find(ctx.workspace, value)
    return _invoice_reference(ctx, invoice) if invoice else None


def _invoice_reference(ctx: ToolContext, invoice: Invoice) -> Reference:
    parts = (
        invoice.customer.name,
        day(invoice.issued_on, ctx.language),
        money(invoice.total, invoice.currency, ctx.language),
    )
    return Reference(invoice.number, invoice.number, " · ".join(parts), exact=True)


def payment_by_number(ctx: ToolContext, value: str) -> Reference | None:
    payment = selectors.payment_find(ctx.workspace, value)
    return _payment_reference(ctx, payment) if payment else None


def _payment_reference(ctx: ToolContext, payment: Payment) -> Reference:
    parts = (
        payment.customer.name,
        day(payment.received_on, ctx.language),
        money(payment.amount, payment.currency, ctx.language),
    )
    return Reference(payment.number, payment.number, " · ".join(parts), exact=True)


def invoice_search(ctx: ToolContext, text: str, limit: int) -> list[Reference]:
    """Numbers only: "INV-2025-00123", also "inv 2025 123" or "2025-00123"."""
    number = _spoken_number(text, "INV")
    found = invoice_by_number(ctx, number) if number else None
    return [found] if found and limit > 0 else []


def payment_search(ctx: ToolContext, text: str, limit: int) -> list[Reference]:
    number = _spoken_number(text, "PAY")
    found = payment_by_number(ctx, number) if number else None
    return [found] if found and limit > 0 else []


def _spoken_number(text: str, prefix: str) -> str:
    """Return the identifier that `text` is a way of writing, or an empty string."""
    spoken = re.fullmatch(
        rf"(?:{prefix}[\s\-/]*(\d{{4}})[\s\-/]+(\d{{1,6}})|(\d{{4}})[\-/](\d{{5}}))",
        text.strip(),
        re.IGNORECASE,
    )
    if spoken is None:
        return ""
    year, serial = spoken[1] or spoken[3], spoken[2] or spoken[4]
    return f"{prefix}-{year}-{serial}"


CUSTOMER = reference(
    ReferenceType(
        key="billing.customer",
        label=_("customer"),
        permission="billing.view_customer",
        get=customer_by_code,
        search=customer_search,
        pattern=selectors.CUSTOMER_CODE,
    )
)
PRODUCT = reference(
    ReferenceType(
        key="billing.product",
        label=_("product"),
        permission="billing.view_product",
        get=product_by_code,
        search=product_search,
        pattern=selectors.PRODUCT_CODE,
    )
)
INVOICE = reference(
    ReferenceType(
        key="billing.invoice",
        label=_("invoice"),
        permission="billing.view_invoice",
        get=invoice_by_number,
        search=invoice_search,
        pattern=selectors.INVOICE_NUMBER,
    )
)
PAYMENT = reference(
    ReferenceType(
        key="billing.payment",
        label=_("payment"),
        permission="billing.view_payment",
        get=payment_by_number,
        search=payment_search,
        pattern=selectors.PAYMENT_NUMBER,
    )
)
