"""Calls to models and tools, the facts they gave, and the decisions on them."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from activities.models.fields import Identified
from activities.tools import Effect, Risk
from runs.models.run import Origin, Run, RunStep
from runs.states import CallState, ConfirmationState


class ModelCall(Identified):
    """One call to a model: why, how large, what it used, how it ended."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="model_call_rows")
    step = models.ForeignKey(RunStep, null=True, on_delete=models.SET_NULL, related_name="model_calls")
    purpose = models.CharField(max_length=8)
    request_digest = models.CharField(max_length=64)
    context_bytes = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    error_code = models.CharField(max_length=40, blank=True)
    error_message = models.TextField(blank=True)
    model = models.CharField(max_length=100, blank=True)
    prompt_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    milliseconds = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("model call")
        verbose_name_plural = _("model calls")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.purpose} {self.pk}"

    @property
    def ended(self) -> bool:
        """True once it was answered or failed; false while it is under way, or was when its worker went."""
        return bool(self.finish_reason or self.error_code)


class ToolCall(Identified):
    """One proposed action with its final arguments and their digest.

    `proposed_arguments` is what the model wrote, as it wrote it; the final ones are rows. `result` holds
    the raw result of a call that succeeded, capped; models only ever see its projection.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="calls")
    step = models.ForeignKey(RunStep, on_delete=models.CASCADE, related_name="calls")
    model_call = models.ForeignKey(ModelCall, null=True, on_delete=models.SET_NULL, related_name="calls")
    #: Who decided on an escalation and does it themselves, with their own rights; empty: the run's agent.
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="own_calls"
    )
    position = models.PositiveIntegerField()
    tool_key = models.CharField(max_length=100)
    contract_hash = models.CharField(max_length=64, blank=True)
    risk = models.CharField(max_length=6, choices=[(risk.value, risk.value) for risk in Risk], blank=True)
    effect = models.CharField(max_length=8, choices=[(item.value, item.value) for item in Effect], blank=True)
    state = models.CharField(max_length=10, choices=CallState.choices, default=CallState.PROPOSED)
    proposed_arguments = models.TextField(blank=True)
    digest = models.CharField(max_length=64, blank=True)
    idempotency_key = models.CharField(max_length=64, blank=True)
    error_code = models.CharField(max_length=40, blank=True)
    error_message = models.TextField(blank=True)
    result = models.JSONField(null=True)
    simulation = models.JSONField(
        null=True,
        help_text=_(
            "Of a trial's call: the dialog, whether a person would be asked, where the result is from."
        ),
    )
    milliseconds = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("tool call")
        verbose_name_plural = _("tool calls")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="tool_call_once_per_position")
        ]

    def __str__(self) -> str:
        return f"{self.tool_key} ({self.state})"


class ToolArgument(Identified):
    """One final argument: who was entitled to decide it, and where it really came from."""

    call = models.ForeignKey(ToolCall, on_delete=models.CASCADE, related_name="arguments")
    name = models.SlugField(max_length=64)
    value = models.JSONField(null=True)
    label = models.CharField(max_length=300, blank=True)
    provenance = models.CharField(max_length=8)
    origin = models.CharField(max_length=12, choices=Origin.choices)
    detail = models.CharField(max_length=300, blank=True)

    class Meta:
        verbose_name = _("argument")
        verbose_name_plural = _("arguments")
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["call", "name"], name="argument_once_per_call")]

    def __str__(self) -> str:
        return self.name


class Fact(Identified):
    """A tool result that was really produced and fits the contract. The only evidence there is.

    In a trial, what would have an effect is not executed; its result is made up by code and `simulated`.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="facts")
    step = models.ForeignKey(RunStep, on_delete=models.CASCADE, related_name="facts")
    call = models.OneToOneField(ToolCall, on_delete=models.CASCADE, related_name="fact")
    key = models.SlugField(max_length=100)
    data = models.JSONField()
    simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("fact")
        verbose_name_plural = _("facts")
        ordering = ["id"]

    def __str__(self) -> str:
        return self.key


class Confirmation(Identified):
    """One pending decision on one tool call, bound to its digest; single-use; a late one is a refusal."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="confirmations")
    call = models.ForeignKey(ToolCall, on_delete=models.CASCADE, related_name="confirmations")
    state = models.CharField(
        max_length=10, choices=ConfirmationState.choices, default=ConfirmationState.PENDING
    )
    digest = models.CharField(max_length=64)
    preview = models.JSONField(
        help_text=_("What the dialog shows: summary, recipient, amount, lines, warning.")
    )
    expires_at = models.DateTimeField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("confirmation")
        verbose_name_plural = _("confirmations")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["call"],
                condition=models.Q(state=ConfirmationState.PENDING),
                name="one_pending_confirmation_per_call",
            )
        ]
        indexes = [models.Index(fields=["state", "expires_at"])]

    def __str__(self) -> str:
        return f"{self.call_id} ({self.state})"
