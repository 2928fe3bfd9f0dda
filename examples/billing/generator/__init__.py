"""A company's billing history, made up: the same for the same seed and day, whatever machine it runs on."""

from datetime import date
from random import Random

from accounts.models import Workspace
from examples.billing.generator.ledger import Ledger
from examples.billing.generator.parties import make_customers, make_products
from examples.billing.generator.receipts import make_receipts
from examples.billing.generator.sales import make_old_sales, make_sales
from examples.billing.generator.situations import make_situations
from examples.billing.generator.storing import number_all, store

SEED = 20260424
CUSTOMERS = 200
INVOICES = 5000


def generate(
    workspace: Workspace,
    *,
    today: date,
    seed: int = SEED,
    customers: int = CUSTOMERS,
    invoices: int = INVOICES,
) -> Ledger:
    """Make and store three years of billing up to `today`. The workspace must hold no customer yet.

    `customers` is at least 120 (the known ones have fixed codes); `invoices` counts the ordinary ones.
    """
    ledger = draft(workspace, today=today, seed=seed, customers=customers, invoices=invoices)
    store(ledger)
    return ledger


def draft(workspace: Workspace, *, today: date, seed: int, customers: int, invoices: int) -> Ledger:
    """Make the rows without storing them."""
    ledger = Ledger(workspace, today, Random(seed))  # noqa: S311 - sample data, no secret
    make_products(ledger)
    make_customers(ledger, customers)
    make_sales(ledger, invoices)
    make_old_sales(ledger)
    make_receipts(ledger)
    make_situations(ledger)
    number_all(ledger)
    return ledger
