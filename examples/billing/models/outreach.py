"""What we said to customers, and what we mean to do next."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from examples.billing.models.base import Record
from examples.billing.models.invoices import Invoice
from examples.billing.models.parties import Customer


class Reminder(Record):
    """A payment reminder by mail. Written before it is sent: a row still "sending" may have left."""

    class State(models.TextChoices):
        SENDING = "sending", _("being sent, outcome not known")
        SENT = "sent", _("sent")
        FAILED = "failed", _("not sent")

    invoice = models.ForeignKey(Invoice, on_delete=models.PROTECT, related_name="reminders")
    recipient = models.EmailField()
    subject = models.CharField(max_length=200)
    body = models.TextField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.SENDING)
    idempotency_key = models.CharField(max_length=100, unique=True)
    message_id = models.CharField(max_length=200, unique=True)
    sent_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    sent_at = models.DateTimeField()

    class Meta:
        default_permissions = ("view",)
        permissions = [("send_reminder", "Can send a payment reminder")]
        ordering = ["-sent_at"]

    def __str__(self) -> str:
        return self.message_id


class FollowUp(Record):
    """A note to come back to a customer on a day."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="follow_ups")
    due_on = models.DateField()
    note = models.CharField(max_length=500)
    done_on = models.DateField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        default_permissions = ("view",)
        permissions = [("schedule_followup", "Can schedule a follow-up with a customer")]
        ordering = ["due_on"]

    def __str__(self) -> str:
        return f"{self.due_on}: {self.note}"
