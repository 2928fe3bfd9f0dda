"""Money that came in, what it pays, and what about it needs a person."""

from decimal import Decimal

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from examples.billing.models.base import Identified, Record, money_field
from examples.billing.models.invoices import Invoice
from examples.billing.models.parties import Customer


class Payment(Record):
    """A payment received. `remittance` is what the payer wrote on it."""

    class Method(models.TextChoices):
        TRANSFER = "transfer", _("bank transfer")
        CARD = "card", _("card")
        CHEQUE = "cheque", _("cheque")

    number = models.CharField(max_length=20)
    customer = models.ForeignKey(Customer, on_delete=models.PROTECT, related_name="payments")
    received_on = models.DateField()
    amount = money_field()
    currency = models.CharField(max_length=3)
    method = models.CharField(max_length=10, choices=Method.choices, default=Method.TRANSFER)
    remittance = models.CharField(max_length=140, blank=True)
    disputed_on = models.DateField(null=True, blank=True)

    class Meta:
        default_permissions = ("view",)
        permissions = [("settle_payment", "Can allocate a payment to an invoice")]
        ordering = ["-received_on", "-number"]
        indexes = [models.Index(fields=["customer", "received_on"], name="billing_payment_history")]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "number"], name="billing_payment_number_unique"),
            models.CheckConstraint(condition=Q(amount__gt=Decimal(0)), name="billing_payment_amount"),
        ]

    def __str__(self) -> str:
        return self.number


class PaymentAllocation(Identified):
    """The part of a payment that pays one invoice."""

    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="allocations")
    invoice = models.ForeignKey(Invoice, on_delete=models.PROTECT, related_name="allocations")
    amount = money_field()

    class Meta:
        default_permissions = ()
        ordering = ["payment", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["payment", "invoice"], name="billing_allocation_pair_unique"),
            models.CheckConstraint(condition=Q(amount__gt=Decimal(0)), name="billing_allocation_amount"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} {self.payment_id} > {self.invoice_id}"


class PaymentException(Record):
    """Something about a payment that somebody must look at; closed when it is settled."""

    class Kind(models.TextChoices):
        UNALLOCATED = "unallocated", _("no invoice found for it")
        PARTIAL = "partial", _("less than the invoice")
        OVERPAID = "overpaid", _("more than the invoice")
        DISPUTED = "disputed", _("disputed by the payer")

    payment = models.ForeignKey(Payment, on_delete=models.CASCADE, related_name="exceptions")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    opened_on = models.DateField()
    closed_on = models.DateField(null=True, blank=True)

    class Meta:
        default_permissions = ("view",)
        ordering = ["-opened_on"]
        constraints = [
            models.UniqueConstraint(
                fields=["payment", "kind"],
                condition=Q(closed_on__isnull=True),
                name="billing_exception_open_unique",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.payment_id}: {self.kind}"
