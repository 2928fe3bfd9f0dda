"""Invoices, their lines, and the credit notes that reduce them."""

from decimal import Decimal

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from examples.billing.models.base import Identified, Record, money_field
from examples.billing.models.parties import Customer, Product


class InvoiceStatus(models.TextChoices):
    """Where an invoice stands today; computed, never stored."""

    PAID = "paid", _("paid")
    PARTLY_PAID = "partial", _("partly paid")
    UNPAID = "unpaid", _("not yet due")
    OVERDUE = "overdue", _("overdue")
    DISPUTED = "disputed", _("disputed")
    CANCELLED = "cancelled", _("cancelled")


class Invoice(Record):
    """An issued invoice. `total` is the sum of its lines; what was paid is the sum of its allocations."""

    number = models.CharField(max_length=20)
    customer = models.ForeignKey(Customer, on_delete=models.PROTECT, related_name="invoices")
    issued_on = models.DateField()
    due_on = models.DateField()
    currency = models.CharField(max_length=3)
    total = money_field()
    disputed_on = models.DateField(null=True, blank=True)
    cancelled_on = models.DateField(null=True, blank=True)

    class Meta:
        default_permissions = ("view",)
        permissions = [("refund_invoice", "Can refund an invoice")]
        ordering = ["-issued_on", "-number"]
        indexes = [
            models.Index(fields=["customer", "issued_on"], name="billing_invoice_history"),
            models.Index(fields=["workspace", "issued_on"], name="billing_invoice_period"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "number"], name="billing_invoice_number_unique"),
            models.CheckConstraint(
                condition=Q(due_on__gte=F("issued_on")), name="billing_invoice_due_after_issue"
            ),
            models.CheckConstraint(condition=Q(total__gte=Decimal(0)), name="billing_invoice_total"),
        ]

    def __str__(self) -> str:
        return self.number


class InvoiceLine(Identified):
    """One position, with the price and the cost at the time, in the invoice's currency."""

    invoice = models.ForeignKey(Invoice, on_delete=models.CASCADE, related_name="lines")
    position = models.PositiveSmallIntegerField()
    product = models.ForeignKey(Product, on_delete=models.PROTECT, related_name="+")
    quantity = models.PositiveIntegerField()
    unit_price = money_field()
    unit_cost = money_field()

    class Meta:
        default_permissions = ()
        ordering = ["invoice", "position"]
        constraints = [
            models.UniqueConstraint(fields=["invoice", "position"], name="billing_line_position_unique"),
            models.CheckConstraint(
                condition=Q(quantity__gt=0, unit_price__gte=Decimal(0), unit_cost__gte=Decimal(0)),
                name="billing_line_amounts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.quantity} x {self.product_id}"


class CreditNote(Record):
    """A reduction of an invoice. A draft changes nothing until somebody issues it."""

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        ISSUED = "issued", _("issued")

    number = models.CharField(max_length=20)
    invoice = models.ForeignKey(Invoice, on_delete=models.PROTECT, related_name="credit_notes")
    amount = money_field()
    reason = models.CharField(max_length=500)
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    created_on = models.DateField()
    issued_on = models.DateField(null=True, blank=True)

    class Meta:
        default_permissions = ("view",)
        permissions = [("draft_creditnote", "Can draft a credit note")]
        ordering = ["-created_on", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "number"], name="billing_creditnote_number_unique"),
            models.CheckConstraint(condition=Q(amount__gt=Decimal(0)), name="billing_creditnote_amount"),
            models.CheckConstraint(
                condition=Q(state="draft", issued_on__isnull=True)
                | Q(state="issued", issued_on__isnull=False),
                name="billing_creditnote_issue_date",
            ),
        ]

    def __str__(self) -> str:
        return self.number
