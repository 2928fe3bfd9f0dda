"""A step's honourable exit."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from activities.models.fields import Identified
from runs.models.run import Run, RunStep
from runs.states import DecisionKind, EscalationState


class EscalationReason(models.TextChoices):
    ATTEMPTS = "attempts", _("out of attempts")
    AGENT = "agent", _("asked for by the model")
    PREMATURE_END = "premature_end", _("premature end")
    IMAGINED_RESULT = "imagined_result", _("imagined result")
    SCOPE = "scope", _("outside the step")
    UNKNOWN_OUTCOME = "unknown_outcome", _("outcome unknown")


class Escalation(Identified):
    """Why a step cannot go on by itself: intention, facts, gap. The step stays open."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="escalations")
    step = models.ForeignKey(RunStep, on_delete=models.CASCADE, related_name="escalations")
    state = models.CharField(max_length=8, choices=EscalationState.choices, default=EscalationState.OPEN)
    reason = models.CharField(max_length=16, choices=EscalationReason.choices)
    intention = models.TextField(blank=True)
    gap = models.TextField(help_text=_("Written by code, from facts."))
    summary = models.TextField(blank=True, help_text=_("Written by the model, if any."))
    group = models.ForeignKey("auth.Group", null=True, on_delete=models.SET_NULL, related_name="+")
    #: The person it was passed on to: beside the group, they may decide.
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="escalations"
    )
    #: Who said that they are on it. It gives no right; for a while it keeps others from deciding.
    taken_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    #: Attempts the step had used; a resumed step starts anew.
    attempts = models.PositiveSmallIntegerField(default=0)
    taken_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    remind_at = models.DateTimeField(null=True)
    reminded_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    closing_reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("escalation")
        verbose_name_plural = _("escalations")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["step"],
                condition=models.Q(state=EscalationState.OPEN),
                name="one_open_escalation_per_step",
            )
        ]
        indexes = [
            models.Index(
                fields=["remind_at"],
                condition=models.Q(state=EscalationState.OPEN, reminded_at=None),
                name="escalation_to_remind_of",
            ),
            models.Index(
                fields=["due_at"], condition=models.Q(state=EscalationState.OPEN), name="escalation_open"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id}: {self.reason}"


class EscalationDecision(Identified):
    """One thing somebody did with an escalation. `values` are the inputs they supplied, by name."""

    escalation = models.ForeignKey(Escalation, on_delete=models.CASCADE, related_name="decisions")
    kind = models.CharField(max_length=8, choices=DecisionKind.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField(blank=True, help_text=_("The instruction, or the reason."))
    values = models.JSONField(default=dict)
    call = models.ForeignKey("runs.ToolCall", null=True, on_delete=models.CASCADE, related_name="+")
    to_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    to_group = models.ForeignKey("auth.Group", null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("decision on an escalation")
        verbose_name_plural = _("decisions on escalations")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.escalation_id}: {self.kind}"
