"""A question to the person: a small typed form, answerable by form or by words."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from activities.models.activity import FieldKind
from activities.models.fields import Identified
from runs.models.run import Run, RunStep
from runs.states import QuestionState


class Question(Identified):
    """What is missing or ambiguous. `text` is one sentence in the person's language."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="questions")
    step = models.ForeignKey(RunStep, null=True, on_delete=models.SET_NULL, related_name="questions")
    state = models.CharField(max_length=8, choices=QuestionState.choices, default=QuestionState.OPEN)
    text = models.TextField()
    expires_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    answered_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("question")
        verbose_name_plural = _("questions")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["run"], condition=models.Q(state=QuestionState.OPEN), name="one_open_question_per_run"
            )
        ]
        indexes = [models.Index(fields=["state", "expires_at"])]

    def __str__(self) -> str:
        return self.text[:60]


class AskedBecause(models.TextChoices):
    MISSING = "missing", _("missing")
    AMBIGUOUS = "ambiguous", _("ambiguous")
    UNKNOWN = "unknown", _("not found")
    INVALID = "invalid", _("not valid")
    ACTIVITY = "activity", _("which request")


class QuestionField(Identified):
    """One value asked for. `error` says what was wrong with an earlier answer."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="fields")
    position = models.PositiveIntegerField(default=0)
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=FieldKind.choices)
    label = models.CharField(max_length=200)
    because = models.CharField(max_length=10, choices=AskedBecause.choices)
    words = models.CharField(max_length=300, blank=True)
    error = models.CharField(max_length=300, blank=True)
    answer = models.JSONField(null=True)

    class Meta:
        verbose_name = _("asked value")
        verbose_name_plural = _("asked values")
        ordering = ["position"]

    def __str__(self) -> str:
        return self.name


class QuestionCandidate(Identified):
    """One possible answer, among those this person may see."""

    field = models.ForeignKey(QuestionField, on_delete=models.CASCADE, related_name="candidates")
    position = models.PositiveIntegerField(default=0)
    value = models.CharField(max_length=200)
    label = models.CharField(max_length=200)
    detail = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = _("candidate")
        verbose_name_plural = _("candidates")
        ordering = ["position"]

    def __str__(self) -> str:
        return self.label
