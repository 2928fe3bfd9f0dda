"""An activity: its card, its typed contract and its limits, as rows of one revision."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from activities.models.agent import ActivityIdentity, Revision
from activities.models.fields import Identified, TextsField, in_language


class FieldKind(models.TextChoices):
    """The types of an input. The values are those of the model side's field types."""

    TEXT = "text", _("text")
    INTEGER = "integer", _("whole number")
    DECIMAL = "decimal", _("decimal number")
    BOOLEAN = "boolean", _("yes or no")
    DATE = "date", _("date")
    PERIOD = "period", _("period")
    CHOICE = "choice", _("choice")
    EMAIL = "email", _("e-mail address")
    REFERENCE = "reference", _("record")


class Activity(Identified):
    """The operational frontier of an agent. Empty limits mean the product's defaults."""

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="activities")
    identity = models.ForeignKey(ActivityIdentity, on_delete=models.PROTECT, related_name="activities")
    key = models.SlugField(max_length=64)
    position = models.PositiveIntegerField(default=0)
    name = TextsField()
    summary = TextsField()
    when_not_to_use = models.TextField(blank=True)
    instructions = models.TextField(blank=True)
    template = TextsField()
    entry = models.BooleanField(
        default=True, help_text=_("A person may ask for it; else it is only handed over to.")
    )
    chaining = models.BooleanField(
        default=False,
        help_text=_("With each step's first action the agent declares what it does now and what comes next."),
    )
    max_model_calls = models.PositiveIntegerField(null=True, blank=True)
    max_tool_calls = models.PositiveIntegerField(null=True, blank=True)
    max_duration_seconds = models.PositiveIntegerField(null=True, blank=True)
    max_output_tokens = models.PositiveIntegerField(null=True, blank=True)
    max_context_bytes = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        verbose_name = _("activity")
        verbose_name_plural = _("activities")
        ordering = ["position", "key"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "key"], name="activity_key_once_per_revision")
        ]

    def __str__(self) -> str:
        return in_language(self.name, "en") or self.key


class PhraseKind(models.TextChoices):
    ALIAS = "alias", _("alias")
    EXAMPLE = "example", _("example request")


class ActivityPhrase(Identified):
    """The users' own words for an activity. Examples serve the index only and reach no model."""

    activity = models.ForeignKey(Activity, on_delete=models.CASCADE, related_name="phrases")
    kind = models.CharField(max_length=8, choices=PhraseKind.choices)
    language = models.CharField(max_length=8)
    text = models.CharField(max_length=300)
    position = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = _("phrase")
        verbose_name_plural = _("phrases")
        ordering = ["kind", "language", "position"]

    def __str__(self) -> str:
        return self.text


class ActivityInput(Identified):
    """One typed input."""

    activity = models.ForeignKey(Activity, on_delete=models.CASCADE, related_name="inputs")
    position = models.PositiveIntegerField(default=0)
    name = models.SlugField(max_length=64)
    kind = models.CharField(max_length=10, choices=FieldKind.choices)
    label = TextsField()
    description = models.TextField(blank=True)
    required = models.BooleanField(default=True)
    is_list = models.BooleanField(default=False)
    minimum = models.DecimalField(max_digits=24, decimal_places=6, null=True, blank=True)
    maximum = models.DecimalField(max_digits=24, decimal_places=6, null=True, blank=True)
    max_length = models.PositiveIntegerField(null=True, blank=True)
    pattern = models.CharField(max_length=200, blank=True)
    reference = models.CharField(max_length=100, blank=True)
    protected = models.CharField(max_length=40, blank=True)
    cues = models.JSONField(
        default=dict, blank=True, help_text=_("Words that announce the value, per language.")
    )

    class Meta:
        verbose_name = _("input")
        verbose_name_plural = _("inputs")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["activity", "name"], name="input_name_once_per_activity")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def allowed(self) -> list[str]:
        """The values of a choice."""
        return [choice.value for choice in self.choices.all()]


class InputChoice(Identified):
    """One value of an enumeration; `words` are what people call it, per language."""

    input = models.ForeignKey(ActivityInput, on_delete=models.CASCADE, related_name="choices")
    position = models.PositiveIntegerField(default=0)
    value = models.CharField(max_length=100)
    label = TextsField()
    words = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = _("choice")
        verbose_name_plural = _("choices")
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["input", "value"], name="choice_value_once_per_input")]

    def __str__(self) -> str:
        return self.value


class OutputSource(models.TextChoices):
    FACT = "fact", _("a fact")
    INPUT = "input", _("an input")
    FIXED = "fixed", _("a fixed value")
    PROSE = "prose", _("prose")


class ActivityOutput(Identified):
    """One field of the structured output and where its value comes from."""

    activity = models.ForeignKey(Activity, on_delete=models.CASCADE, related_name="outputs")
    position = models.PositiveIntegerField(default=0)
    name = models.SlugField(max_length=64)
    label = TextsField()
    source = models.CharField(max_length=8, choices=OutputSource.choices)
    fact_path = models.CharField(max_length=200, blank=True)
    input_name = models.CharField(max_length=64, blank=True)
    fixed_value = models.JSONField(null=True, blank=True)
    description = models.TextField(blank=True)
    max_length = models.PositiveIntegerField(default=400)
    fallback = TextsField()

    class Meta:
        verbose_name = _("output")
        verbose_name_plural = _("outputs")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["activity", "name"], name="output_name_once_per_activity")
        ]

    def __str__(self) -> str:
        return self.name
