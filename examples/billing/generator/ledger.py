"""The rows being made, before they are numbered and stored."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from random import Random

from accounts.models import Workspace
from examples.billing.models import (
    CreditNote,
    Customer,
    Invoice,
    InvoiceLine,
    Payment,
    PaymentAllocation,
    PaymentException,
    Product,
    ProviderEntry,
    Refund,
    Reminder,
)

CENT = Decimal("0.01")


def cents(amount: Decimal) -> Decimal:
    """Round to two decimals, half up."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


@dataclass
class Ledger:
    """Everything one generation makes, for one workspace and one day."""

    workspace: Workspace
    today: date
    random: Random
    customers: list[Customer] = field(default_factory=list)
    products: list[Product] = field(default_factory=list)
    invoices: list[Invoice] = field(default_factory=list)
    lines: list[InvoiceLine] = field(default_factory=list)
    credit_notes: list[CreditNote] = field(default_factory=list)
    payments: list[Payment] = field(default_factory=list)
    allocations: list[PaymentAllocation] = field(default_factory=list)
    exceptions: list[PaymentException] = field(default_factory=list)
    refunds: list[Refund] = field(default_factory=list)
    provider_entries: list[ProviderEntry] = field(default_factory=list)
    reminders: list[Reminder] = field(default_factory=list)

    def customer(self, code: str) -> Customer:
        """Return the customer made under this code."""
        return next(customer for customer in self.customers if customer.code == code)

    def day(self, fixed: date, at_least_ago: int = 1) -> date:
        """Return `fixed`, or a day that long ago when `fixed` is not past yet."""
        return min(fixed, self.today - timedelta(days=at_least_ago))
