"""The billing tools, one module per subject. Importing this package declares them all."""

from examples.billing import references
from examples.billing.tools import (
    allocation,
    analysis,
    credit_notes,
    customers,
    invoices,
    outreach,
    payments,
    refunds,
    settlement,
)

__all__ = [
    "allocation",
    "analysis",
    "credit_notes",
    "customers",
    "invoices",
    "outreach",
    "payments",
    "references",
    "refunds",
    "settlement",
]
