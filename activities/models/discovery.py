"""What was searched, what was found, what was shown: the log from which missed tools are learned."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Workspace
from activities.models.fields import Identified


class DiscoveryStage(models.TextChoices):
    ROUTE = "route", _("activity")
    TOOLS = "tools", _("tools")


class ToolsShown(models.TextChoices):
    """What a search for tools came to: its `decision`."""

    ALL = "all", _("few: all of them")  #: Nothing was searched.
    GROUP = "group", _("the group that fits")
    FOUND = "found", _("what a search found")
    WEAK = "weak", _("what comes nearest")
    NONE = "none", _("nothing fits")


#: Decisions of a search that led to nothing for certain.
NOT_FOUND = ("none", "weak", "unclear")


class _OfPeople(models.Manager["DiscoveryLog"]):
    """What people asked for: nothing of trials."""

    def get_queryset(self) -> models.QuerySet["DiscoveryLog"]:
        return super().get_queryset().filter(trial=False)


class DiscoveryLog(Identified):
    """One search over cards. The query is projected: protected values are tokens in it.

    Of the tools of an open step it is also the run's own record: what was shown in it may be called, with the
    contract it was shown with. `objects` leaves trials out, as every log does; `whole` has them.
    """

    objects = _OfPeople()
    whole = models.Manager["DiscoveryLog"]()

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    run_id = models.UUIDField(null=True, db_index=True)
    trial = models.BooleanField(default=False)
    agents = ArrayField(
        models.CharField(max_length=64), default=list, help_text=_("The agents whose activities took part.")
    )
    step_id = models.UUIDField(null=True, help_text=_("The run's step, of a search for tools."))
    model_call_id = models.UUIDField(
        null=True, help_text=_("The round in which the model asked for it; empty: made by code.")
    )
    stage = models.CharField(max_length=6, choices=DiscoveryStage.choices)
    query = models.TextField()
    language = models.CharField(max_length=8)
    permitted = models.PositiveIntegerField(help_text=_("Cards left after the permission filter."))
    shown = models.PositiveIntegerField(help_text=_("Cards sent to the model."))
    rewritten_query = models.TextField(blank=True)
    degraded = models.TextField(blank=True, help_text=_("What the search had to do without."))
    decision = models.CharField(max_length=40, blank=True)
    chosen_key = models.CharField(max_length=200, blank=True)
    milliseconds = models.PositiveIntegerField(default=0)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("discovery log entry")
        verbose_name_plural = _("discovery log")
        base_manager_name = "whole"
        indexes = [
            models.Index(fields=["workspace", "-at"]),
            models.Index(
                fields=["workspace", "-id"],
                condition=models.Q(decision__in=NOT_FOUND),
                name="discovery_not_found",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage}: {self.query[:60]}"


class DiscoveryCandidate(Identified):
    """One card in a search: its place and its scores, and what became of it."""

    log = models.ForeignKey(DiscoveryLog, on_delete=models.CASCADE, related_name="candidates")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=200)
    contract_hash = models.CharField(max_length=64, blank=True)
    lexical = models.FloatField(null=True)
    dense = models.FloatField(null=True)
    score = models.FloatField(null=True)
    shown = models.BooleanField(default=False)
    called = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("discovery candidate")
        verbose_name_plural = _("discovery candidates")
        ordering = ["position"]
        indexes = [
            models.Index(fields=["key", "log"], condition=models.Q(shown=True), name="discovery_shown")
        ]

    def __str__(self) -> str:
        return self.key
