"""Billing records. Amounts are net of tax, in the customer's one currency."""

from examples.billing.models.invoices import CreditNote, Invoice, InvoiceLine, InvoiceStatus
from examples.billing.models.outreach import FollowUp, Reminder
from examples.billing.models.parties import Currency, Customer, Product
from examples.billing.models.payments import Payment, PaymentAllocation, PaymentException
from examples.billing.models.refunds import ProviderEntry, Refund

__all__ = [
    "CreditNote",
    "Currency",
    "Customer",
    "FollowUp",
    "Invoice",
    "InvoiceLine",
    "InvoiceStatus",
    "Payment",
    "PaymentAllocation",
    "PaymentException",
    "Product",
    "ProviderEntry",
    "Refund",
    "Reminder",
]
