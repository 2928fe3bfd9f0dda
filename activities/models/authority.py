"""The tools an activity may use, and who decides each parameter."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from activities.models.activity import Activity
from activities.models.fields import Identified


class ToolBinding(Identified):
    """A tool allowed in an activity, pinned to the contract it was designed against.

    `raised_risk` may only be above the contract's; `always_confirm` asks below high as well.
    """

    #: True of a binding that an opening gave, which is in no table (`activities.openings`).
    opened = False

    activity = models.ForeignKey(Activity, on_delete=models.CASCADE, related_name="tool_bindings")
    position = models.PositiveIntegerField(default=0)
    tool_key = models.CharField(max_length=100)
    contract_hash = models.CharField(max_length=64)
    raised_risk = models.CharField(
        max_length=6, blank=True, choices=[("medium", _("medium")), ("high", _("high"))]
    )
    always_confirm = models.BooleanField(default=False)
    disclose_raw = models.BooleanField(
        default=False, help_text=_("The second of three yeses for protected values.")
    )

    class Meta:
        verbose_name = _("allowed tool")
        verbose_name_plural = _("allowed tools")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["activity", "tool_key"], name="tool_once_per_activity")
        ]

    def __str__(self) -> str:
        return self.tool_key


class ParamSource(models.TextChoices):
    INPUT = "input", _("activity input")
    FIXED = "fixed", _("fixed value")
    AGENT = "agent", _("agent's choice")


class ParamBinding(Identified):
    """Who decides one parameter. `input_path` is an input's name, or a part of it (`period.start`)."""

    binding = models.ForeignKey(ToolBinding, on_delete=models.CASCADE, related_name="params")
    name = models.SlugField(max_length=64)
    source = models.CharField(max_length=6, choices=ParamSource.choices)
    input_path = models.CharField(max_length=100, blank=True)
    fixed_value = models.JSONField(null=True, blank=True)
    allowed_values = models.JSONField(default=list, blank=True)
    minimum = models.DecimalField(max_digits=24, decimal_places=6, null=True, blank=True)
    maximum = models.DecimalField(max_digits=24, decimal_places=6, null=True, blank=True)
    pattern = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = _("parameter")
        verbose_name_plural = _("parameters")
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["binding", "name"], name="param_once_per_binding")]

    def __str__(self) -> str:
        return self.name
