"""Invoices and their lines, over three years up to today."""

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal

from examples.billing import known
from examples.billing.generator.ledger import Ledger, cents
from examples.billing.models import Customer, Invoice, InvoiceLine, Product

YEARS = 3
_RATES = {
    "EUR": Decimal("1"),
    "GBP": Decimal("0.85"),
    "USD": Decimal("1.10"),
    "CHF": Decimal("0.95"),
    "CAD": Decimal("1.50"),
}
_TERMS = (14, 30, 30, 30, 45, 60)
_DISCOUNTS = (Decimal("1"), Decimal("1"), Decimal("1"), Decimal("0.95"), Decimal("0.90"))
#: These have exactly the invoices made for their situation.
_WITHOUT_ORDINARY_SALES = known.RESERVED_CODES - {known.RICH_CUSTOMER, *known.NAMESAKES}


def make_sales(ledger: Ledger, count: int) -> None:
    """Make `count` ordinary invoices; some customers buy much more often than others."""
    buyers = [customer for customer in ledger.customers if customer.code not in _WITHOUT_ORDINARY_SALES]
    weights = [_appetite(ledger, customer) for customer in buyers]
    span = YEARS * 365
    for customer in ledger.random.choices(buyers, weights, k=count):
        make_invoice(ledger, customer, ledger.today - timedelta(days=ledger.random.randrange(span)))


def make_old_sales(ledger: Ledger) -> None:
    """Give the dormant customer a past: the last invoice is more than thirteen months old."""
    customer = ledger.customer(known.DORMANT_CUSTOMER)
    for days in range(410, YEARS * 365, 55):
        make_invoice(ledger, customer, ledger.today - timedelta(days=days))


def make_invoice(ledger: Ledger, customer: Customer, issued_on: date) -> Invoice:
    """Make one invoice with one to five lines."""
    invoice = _header(ledger, customer, issued_on, ledger.random.choice(_TERMS))
    products = ledger.random.sample(ledger.products, ledger.random.choice((1, 2, 2, 3, 3, 4, 5)))
    lines = [_line(ledger, invoice, position, product) for position, product in enumerate(products, start=1)]
    return _add(ledger, invoice, lines)


def make_exact_invoice(
    ledger: Ledger, customer: Customer, issued_on: date, number: str, ordered: Mapping[str, int]
) -> Invoice:
    """Make an invoice in euros of these quantities by product code, at the products' own prices."""
    invoice = _header(ledger, customer, issued_on, terms=30, number=number)
    products = {product.code: product for product in ledger.products}
    lines = [
        InvoiceLine(
            invoice=invoice,
            position=position,
            product=products[code],
            quantity=quantity,
            unit_price=products[code].price,
            unit_cost=products[code].cost,
        )
        for position, (code, quantity) in enumerate(ordered.items(), start=1)
    ]
    return _add(ledger, invoice, lines)


def _header(ledger: Ledger, customer: Customer, issued_on: date, terms: int, number: str = "") -> Invoice:
    return Invoice(
        workspace=ledger.workspace,
        customer=customer,
        number=number,
        issued_on=issued_on,
        due_on=issued_on + timedelta(days=terms),
        currency=customer.currency,
    )


def _add(ledger: Ledger, invoice: Invoice, lines: list[InvoiceLine]) -> Invoice:
    invoice.total = sum((line.quantity * line.unit_price for line in lines), Decimal("0.00"))
    ledger.invoices.append(invoice)
    ledger.lines.extend(lines)
    return invoice


def _line(ledger: Ledger, invoice: Invoice, position: int, product: Product) -> InvoiceLine:
    """Prices were two per cent lower each year before; costs follow them and vary a little more."""
    years_ago = Decimal((ledger.today - invoice.issued_on).days // 365)
    factor = _RATES[invoice.currency] * (Decimal("1") - Decimal("0.02") * years_ago)
    drift = Decimal(ledger.random.randrange(92, 109)) / Decimal(100)
    return InvoiceLine(
        invoice=invoice,
        position=position,
        product=product,
        quantity=ledger.random.choice((1, 1, 2, 2, 3, 4, 5, 8, 10, 12)),
        unit_price=cents(product.price * factor * ledger.random.choice(_DISCOUNTS)),
        unit_cost=cents(product.cost * factor * drift),
    )


def _appetite(ledger: Ledger, customer: Customer) -> float:
    if customer.code == known.RICH_CUSTOMER:
        return 12.0
    return min(ledger.random.paretovariate(1.6), 9.0) * (0.3 if not customer.active else 1.0)
