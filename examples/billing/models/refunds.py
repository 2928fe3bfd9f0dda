"""Money that goes back: our record, and the demo provider's own ledger."""

from decimal import Decimal

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from examples.billing.models.base import Record, money_field
from examples.billing.models.invoices import Invoice


class Refund(Record):
    """A refund ordered from the payment provider.

    The row is written before the provider is asked, so that two refunds never exceed what was paid: a
    pending one counts until it is known to have failed.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("ordered, outcome not known")
        DONE = "done", _("done")
        FAILED = "failed", _("not done")

    invoice = models.ForeignKey(Invoice, on_delete=models.PROTECT, related_name="refunds")
    amount = money_field()
    currency = models.CharField(max_length=3)
    reason = models.CharField(max_length=500)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    idempotency_key = models.CharField(max_length=100, unique=True)
    provider_reference = models.CharField(max_length=60, blank=True)
    ordered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    ordered_at = models.DateTimeField()

    class Meta:
        default_permissions = ("view",)
        ordering = ["-ordered_at"]
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=Decimal(0)), name="billing_refund_amount"),
            models.CheckConstraint(
                condition=~Q(state="done") | ~Q(provider_reference=""),
                name="billing_refund_done_has_reference",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount} {self.currency} > {self.invoice_id}"


class ProviderEntry(Record):
    """The demo payment provider's ledger: what the provider did, kept on the provider's side.

    One entry for one idempotency key, whatever is asked how often.
    """

    idempotency_key = models.CharField(max_length=100, unique=True)
    reference = models.CharField(max_length=60, unique=True)
    invoice_number = models.CharField(max_length=20)
    amount = money_field()
    currency = models.CharField(max_length=3)
    booked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        default_permissions = ("view",)
        ordering = ["-booked_at"]
        verbose_name_plural = "provider entries"

    def __str__(self) -> str:
        return self.reference
