"""What was searched, what was found, what was shown: the log from which missed tools are learned."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Workspace
from activities.models.fields import Identified


class DiscoveryStage(models.TextChoices):
    ROUTE = "route", _("activity")
    TOOLS = "tools", _("tools")


class DiscoveryLog(Identified):
    """One search over cards. The query is projected: protected values are tokens in it."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    run_id = models.UUIDField(null=True, db_index=True)
    stage = models.CharField(max_length=6, choices=DiscoveryStage.choices)
    query = models.TextField()
    language = models.CharField(max_length=8)
    permitted = models.PositiveIntegerField(help_text=_("Cards left after the permission filter."))
    shown = models.PositiveIntegerField(help_text=_("Cards sent to the model."))
    rewritten_query = models.TextField(blank=True)
    decision = models.CharField(max_length=40, blank=True)
    chosen_key = models.CharField(max_length=100, blank=True)
    milliseconds = models.PositiveIntegerField(default=0)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("discovery log entry")
        verbose_name_plural = _("discovery log")
        indexes = [models.Index(fields=["workspace", "-at"])]

    def __str__(self) -> str:
        return f"{self.stage}: {self.query[:60]}"


class DiscoveryCandidate(Identified):
    """One card in a search: its place and its scores, and what became of it."""

    log = models.ForeignKey(DiscoveryLog, on_delete=models.CASCADE, related_name="candidates")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=100)
    lexical = models.FloatField(null=True)
    dense = models.FloatField(null=True)
    score = models.FloatField(null=True)
    shown = models.BooleanField(default=False)
    called = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("discovery candidate")
        verbose_name_plural = _("discovery candidates")
        ordering = ["position"]

    def __str__(self) -> str:
        return self.key
