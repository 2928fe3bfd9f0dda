"""Small hand-made records for the tests of billing, with amounts one can add up in one's head."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import count
from zoneinfo import ZoneInfo

from accounts.models import User, Workspace
from activities.tools import ToolContext
from examples.billing.models import (
    CreditNote,
    Customer,
    Invoice,
    InvoiceLine,
    Payment,
    PaymentAllocation,
    Product,
)

TODAY = date(2026, 6, 30)
_serial = count(1)


def workspace(slug: str = "acme") -> Workspace:
    return Workspace.objects.create(slug=slug, name=slug.title())


def user(email: str = "ann@example.com") -> User:
    return User.objects.create_user(email, None, full_name="Ann Example")


def context(
    workspace: Workspace, *, language: str = "en", key: str = "", user: User | None = None
) -> ToolContext:
    return ToolContext(
        user=user or User.objects.filter(email="ann@example.com").first() or _user(),
        workspace=workspace,
        language=language,
        time_zone=ZoneInfo("Europe/Paris"),
        now=datetime.combine(TODAY, datetime.min.time(), UTC) + timedelta(hours=9),
        idempotency_key=key,
    )


def _user() -> User:
    return user()


def customer(workspace: Workspace, name: str = "Jane Roe", code: str = "", **fields: object) -> Customer:
    values = {
        "email": "jane.roe@example.com",
        "city": "Leeds",
        "country": "GB",
        "language": "en",
        "currency": "EUR",
        "since": date(2020, 1, 1),
    }
    return Customer.objects.create(
        workspace=workspace, name=name, code=code or f"C-{next(_serial):04d}", **{**values, **fields}
    )


def product(workspace: Workspace, name: str = "Lamp", code: str = "") -> Product:
    return Product.objects.create(
        workspace=workspace,
        name=name,
        code=code or f"P-{next(_serial):03d}",
        price=Decimal(10),
        cost=Decimal(6),
    )


def invoice(
    customer: Customer,
    *,
    lines: Sequence[tuple[Product, int, str, str]] = (),
    total: str = "100.00",
    issued_on: date = date(2026, 5, 1),
    due_in: int = 30,
    number: str = "",
    **fields: object,
) -> Invoice:
    """Make an invoice of `lines` (product, quantity, unit price, unit cost), or of one line over `total`."""
    lines = lines or [(product(customer.workspace), 1, total, "60.00")]
    made = Invoice.objects.create(
        workspace=customer.workspace,
        customer=customer,
        number=number or f"INV-2026-{next(_serial):05d}",
        issued_on=issued_on,
        due_on=issued_on + timedelta(days=due_in),
        currency=customer.currency,
        total=sum(quantity * Decimal(price) for _, quantity, price, _ in lines),
        **fields,
    )
    for position, (item, quantity, price, cost) in enumerate(lines, start=1):
        InvoiceLine.objects.create(
            invoice=made,
            position=position,
            product=item,
            quantity=quantity,
            unit_price=Decimal(price),
            unit_cost=Decimal(cost),
        )
    return made


def payment(customer: Customer, amount: str, on: date = date(2026, 5, 20), **fields: object) -> Payment:
    return Payment.objects.create(
        **{
            "workspace": customer.workspace,
            "customer": customer,
            "number": f"PAY-2026-{next(_serial):05d}",
            "received_on": on,
            "amount": Decimal(amount),
            "currency": customer.currency,
            **fields,
        }
    )


def pay(invoice: Invoice, amount: str, on: date = date(2026, 5, 20), **fields: object) -> Payment:
    """Make a payment that pays `invoice`."""
    made = payment(invoice.customer, amount, on, **fields)
    PaymentAllocation.objects.create(payment=made, invoice=invoice, amount=made.amount)
    return made


def credit(invoice: Invoice, amount: str, state: str = "issued") -> CreditNote:
    return CreditNote.objects.create(
        workspace=invoice.workspace,
        number=f"CN-2025-{next(_serial):04d}",
        invoice=invoice,
        amount=Decimal(amount),
        reason="agreed",
        state=state,
        created_on=invoice.issued_on,
        issued_on=invoice.issued_on if state == "issued" else None,
    )
