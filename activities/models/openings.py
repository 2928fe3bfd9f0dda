"""What a step is opened to: a part of the catalogue, beside the tools it names one by one."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from activities.models.fields import Identified
from activities.models.procedure import Step


class OpeningKind(models.TextChoices):
    """By what a part of the catalogue is named."""

    TAG = "tag", _("tag")  #: Every tool that carries it.
    GROUP = "group", _("tool group")  #: The tools of one of the workspace's groups.
    SERVER = "server", _("MCP server")  #: Every reviewed tool of it.


class StepOpening(Identified):
    """One part of the catalogue that a step may use, and what applies to every tool it opens.

    What is published is the opening; which tools it leads to is asked anew at every use.
    """

    step = models.ForeignKey(Step, on_delete=models.CASCADE, related_name="openings")
    position = models.PositiveIntegerField(default=0)
    kind = models.CharField(max_length=6, choices=OpeningKind.choices)
    value = models.CharField(max_length=100)
    raised_risk = models.CharField(
        max_length=6, blank=True, choices=[("medium", _("medium")), ("high", _("high"))]
    )
    always_confirm = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("opening")
        verbose_name_plural = _("openings")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["step", "kind", "value"], name="opening_once_per_step"),
            models.CheckConstraint(
                condition=models.Q(kind__in=OpeningKind.values), name="opening_kind_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """How a blueprint writes it: `tag:reading`."""
        return f"{self.kind}:{self.value}"
