"""The procedure of an activity: its steps, and where it may hand over to."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from activities.models.activity import Activity
from activities.models.authority import ToolBinding
from activities.models.fields import Identified, TextsField, in_language


class ToolChoice(models.TextChoices):
    AUTO = "auto", _("may act")
    REQUIRED = "required", _("must act")
    NONE = "none", _("writes the prose")


class Step(Identified):
    """One Check. It is passed when `passes_when` holds over the facts, and only then."""

    activity = models.ForeignKey(Activity, on_delete=models.CASCADE, related_name="steps")
    position = models.PositiveIntegerField(default=0)
    key = models.SlugField(max_length=64)
    name = TextsField()
    goal = models.TextField()
    tools = models.ManyToManyField(ToolBinding, related_name="steps", blank=True)
    tool_choice = models.CharField(max_length=8, choices=ToolChoice.choices, default=ToolChoice.REQUIRED)
    passes_when = models.TextField(default="true")
    stops_when = models.TextField(blank=True)
    stop_message = TextsField()
    max_attempts = models.PositiveSmallIntegerField(default=3)
    escalate_to = models.ForeignKey(
        "auth.Group", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    other_person = models.BooleanField(
        null=True,
        blank=True,
        verbose_name=_("another person decides"),
        help_text=_(
            "Nobody decides on the escalation of their own request. Empty: so where the step names a group."
        ),
    )

    class Meta:
        verbose_name = _("step")
        verbose_name_plural = _("steps")
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["activity", "key"], name="step_key_once_per_activity")]

    def __str__(self) -> str:
        return in_language(self.name, "en") or self.key

    @property
    def needs_other_person(self) -> bool:
        """True when the person who asked may not decide on the step's escalation."""
        return self.escalate_to_id is not None if self.other_person is None else self.other_person


class RoutingOutcome(Identified):
    """A named outcome that hands over to another activity of the same revision."""

    activity = models.ForeignKey(Activity, on_delete=models.CASCADE, related_name="routing")
    position = models.PositiveIntegerField(default=0)
    name = models.SlugField(max_length=64)
    label = TextsField()
    condition = models.TextField()
    next_activity_key = models.SlugField(max_length=64)

    class Meta:
        verbose_name = _("routing outcome")
        verbose_name_plural = _("routing outcomes")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["activity", "name"], name="outcome_name_once_per_activity")
        ]

    def __str__(self) -> str:
        return self.name


class RoutingInput(Identified):
    """Which value of this run becomes which input of the next one: a path into facts, inputs or output."""

    outcome = models.ForeignKey(RoutingOutcome, on_delete=models.CASCADE, related_name="mapping")
    input_name = models.SlugField(max_length=64)
    path = models.CharField(max_length=200)

    class Meta:
        verbose_name = _("handed-over input")
        verbose_name_plural = _("handed-over inputs")
        constraints = [
            models.UniqueConstraint(fields=["outcome", "input_name"], name="handed_over_input_once")
        ]

    def __str__(self) -> str:
        return f"{self.input_name} ← {self.path}"
