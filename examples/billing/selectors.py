"""Reads shared by tools and references. Every one is for one workspace."""

import re

from django.utils.translation import gettext as _

from accounts.models import Workspace
from activities.tools import ToolArgumentError, ToolContext
from examples.billing.amounts import (
    ValuedInvoice,
    ValuedPayment,
    invoices_with_amounts,
    payments_with_amounts,
)
from examples.billing.models import Customer, Invoice, Payment, Product

CUSTOMER_CODE = r"C-\d{1,6}"
PRODUCT_CODE = r"P-\d{1,6}"
INVOICE_NUMBER = r"INV-\d{4}-\d{1,6}"
PAYMENT_NUMBER = r"PAY-\d{4}-\d{1,6}"

_DIGITS = {"C": 4, "P": 3, "INV": 5, "PAY": 5}


def canonical(value: str) -> str:
    """Return an identifier as it is stored: "inv-2025-123" becomes "INV-2025-00123"."""
    match = re.fullmatch(r"(C|P|INV|PAY)-((?:\d{4}-)?)(\d{1,6})", value.strip().upper())
    if match is None:
        return value.strip().upper()
    prefix, year, serial = match.groups()
    return f"{prefix}-{year}{int(serial):0{_DIGITS[prefix]}d}"


def customer_find(workspace: Workspace, code: str) -> Customer | None:
    return Customer.objects.filter(workspace=workspace, code=canonical(code)).first()


def product_find(workspace: Workspace, code: str) -> Product | None:
    return Product.objects.filter(workspace=workspace, code=canonical(code)).first()


def invoice_find(workspace: Workspace, number: str) -> Invoice | None:
    return (
        Invoice.objects.filter(workspace=workspace, number=canonical(number))
        .select_related("customer")
        .first()
    )


def payment_find(workspace: Workspace, number: str) -> Payment | None:
    return (
        Payment.objects.filter(workspace=workspace, number=canonical(number))
        .select_related("customer")
        .first()
    )


def customer_get(ctx: ToolContext, code: str, param: str = "customer") -> Customer:
    """Return the customer, or raise ToolArgumentError naming `param`."""
    customer = customer_find(ctx.workspace, code)
    if customer is None:
        raise ToolArgumentError(
            [param], _("There is no customer with this code. Search for the customer first.")
        )
    return customer


def invoice_get(ctx: ToolContext, number: str, param: str = "invoice") -> ValuedInvoice:
    """Return the invoice with its amounts of today, or raise ToolArgumentError naming `param`."""
    invoices = Invoice.objects.filter(workspace=ctx.workspace, number=canonical(number))
    invoice = invoices_with_amounts(invoices.select_related("customer"), ctx.today).first()
    if invoice is None:
        raise ToolArgumentError([param], _("There is no invoice with this number. List the invoices first."))
    return invoice


def payment_get(ctx: ToolContext, number: str, param: str = "payment") -> ValuedPayment:
    """Return the payment with its amounts, or raise ToolArgumentError naming `param`."""
    payments = Payment.objects.filter(workspace=ctx.workspace, number=canonical(number))
    payment = payments_with_amounts(payments.select_related("customer")).first()
    if payment is None:
        raise ToolArgumentError([param], _("There is no payment with this number. List the payments first."))
    return payment
