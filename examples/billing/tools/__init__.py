"""The billing tools, one module per subject. Importing this package declares them all."""

from examples.billing import references
from examples.billing.tools import allocation, analysis, customers, invoices, outreach, payments, refunds

__all__ = ["allocation", "analysis", "customers", "invoices", "outreach", "payments", "references", "refunds"]
