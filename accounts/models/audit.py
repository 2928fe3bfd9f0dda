"""What was done, in order, once, and not to be changed.

Rows of `audit_event` and `audit_seal` are only ever inserted: triggers of the first migration refuse
update, delete and truncate. Write them with `accounts.audit`.
"""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models.workspaces import Workspace


class ActorKind(models.TextChoices):
    """Who caused an event."""

    PERSON = "person", _("Person")
    SYSTEM = "system", _("System")
    MODEL = "model", _("Model")
    OPERATOR = "operator", _("Operator")


class AuditStream(models.Model):
    """The head of one chain. Its row is locked while an event is appended."""

    stream = models.UUIDField(primary_key=True, editable=False)
    seq = models.PositiveIntegerField()
    hash = models.CharField(max_length=64)
    #: The hash before `hash`: what the last event points back to.
    previous_hash = models.CharField(max_length=64, blank=True)

    class Meta:
        db_table = "audit_stream"
        verbose_name = _("audit stream")
        verbose_name_plural = _("audit streams")

    def __str__(self) -> str:
        return f"{self.stream} #{self.seq}"


class AuditEvent(models.Model):
    """One thing that happened, in the transaction in which it happened."""

    id = models.BigAutoField(primary_key=True)
    # A person or a workspace with a history is never deleted: PROTECT says so before the trigger does.
    workspace = models.ForeignKey(
        Workspace,
        verbose_name=_("workspace"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
    )
    #: A run's id, or the id of the object the event is about.
    stream = models.UUIDField(_("stream"))
    #: 1, 2, 3 … inside the stream, without a gap.
    seq = models.PositiveIntegerField(_("number"))
    type = models.CharField(_("type"), max_length=80)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("actor"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    actor_kind = models.CharField(_("kind of actor"), max_length=8, choices=ActorKind.choices)
    at = models.DateTimeField(_("at"))
    data = models.JSONField(_("data"), default=dict)
    #: The hash of the event before this one in the stream; empty for the first.
    previous_hash = models.CharField(max_length=64, blank=True)
    hash = models.CharField(max_length=64)

    class Meta:
        db_table = "audit_event"
        verbose_name = _("audit event")
        verbose_name_plural = _("audit events")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["stream", "seq"], name="audit_event_stream_seq"),
        ]
        indexes = [
            models.Index(fields=["workspace", "id"], name="audit_event_workspace_id"),
        ]

    def __str__(self) -> str:
        return f"{self.type} #{self.seq}"


class AuditSeal(models.Model):
    """Joins the chains: a digest over the heads of all streams touched since the seal before."""

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(_("at"))
    #: Event ids this seal covers, both ends included. Ids have gaps (rolled-back writes); that is normal.
    first_event = models.BigIntegerField(_("first event"))
    last_event = models.BigIntegerField(_("last event"))
    events = models.PositiveIntegerField(_("events"))
    streams = models.PositiveIntegerField(_("streams"))
    #: SHA-256 over "stream:seq:hash\n" of each stream's last event in the range, by stream.
    root = models.CharField(max_length=64)
    previous_hash = models.CharField(max_length=64, blank=True)
    hash = models.CharField(max_length=64, unique=True)

    class Meta:
        db_table = "audit_seal"
        verbose_name = _("audit seal")
        verbose_name_plural = _("audit seals")
        ordering = ["-id"]
        constraints = [
            # Two sealers cannot both continue the same chain.
            models.UniqueConstraint(fields=["previous_hash"], name="audit_seal_previous_once"),
        ]

    def __str__(self) -> str:
        return f"{self.first_event}-{self.last_event}"
