"""A run: its pinned activity, its inputs, its steps, its output and what it used."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Workspace
from activities.models import Activity, Revision, Step
from activities.models.fields import Identified
from runs.models.conversation import Conversation
from runs.models.deletion import protect_but_for_trials
from runs.states import ACTIVE_RUN_STATES, Declaration, Outcome, RunState, StepState, Verdict


class Run(Identified):
    """One execution of one activity of one pinned revision for one user.

    `lease_until` and `fence` say which worker may write: a writer names the fence it was given, and a
    later holder has a higher one. `stop_requested` is looked at between any two acts.

    A trial runs as `user` on behalf of `trial_by` (else the operator), and has no effect outside. Its
    `revision` is set from the start. Every run of a trial's conversation is a trial, whoever makes it.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="runs")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="runs")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="runs")
    parent = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="children")
    plan = models.ForeignKey("runs.Plan", null=True, on_delete=models.SET_NULL, related_name="runs")
    part = models.PositiveSmallIntegerField(null=True, help_text=_("Which part of its plan it carries out."))
    words = models.TextField(
        blank=True, help_text=_("The part of the message it is about; empty: all of it.")
    )
    activity = models.ForeignKey(Activity, null=True, on_delete=protect_but_for_trials, related_name="runs")
    revision = models.ForeignKey(Revision, null=True, on_delete=protect_but_for_trials, related_name="runs")
    trial = models.BooleanField(default=False)
    trial_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+"
    )
    state = models.CharField(max_length=24, choices=RunState.choices, default=RunState.QUEUED)
    outcome = models.CharField(max_length=24, choices=Outcome.choices, blank=True)
    error_code = models.CharField(max_length=40, blank=True)
    language = models.CharField(max_length=8)
    time_zone = models.CharField(max_length=64)
    raw_consent = models.BooleanField(default=False)
    answer = models.TextField(blank=True)
    model = models.CharField(max_length=100, blank=True)
    model_calls = models.PositiveIntegerField(default=0)
    tool_calls = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    context_bytes = models.PositiveIntegerField(default=0)
    active_seconds = models.FloatField(default=0)
    chaining = models.BooleanField(
        null=True, help_text=_("Whether the agent declares its intentions; empty: as the activity says.")
    )
    stop_requested = models.BooleanField(default=False)
    lease_until = models.DateTimeField(null=True)
    fence = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["conversation"],
                condition=models.Q(state__in=ACTIVE_RUN_STATES),
                name="one_active_run_per_conversation",
            ),
            models.CheckConstraint(
                condition=models.Q(state=RunState.FINISHED, outcome__gt="")
                | (~models.Q(state=RunState.FINISHED) & models.Q(outcome="")),
                name="a_finished_run_has_an_outcome",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"]),
            models.Index(fields=["workspace", "-id"]),
            models.Index(fields=["user", "-id"]),
        ]

    def __str__(self) -> str:
        return f"{self.pk} ({self.state})"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """A new run in a trial's conversation, such as one that is handed over to, is a trial too."""
        if self._state.adding and self.conversation.trial:
            self.trial = True
            self.trial_by = self.trial_by or (self.parent.trial_by if self.parent else None)
        super().save(*args, **kwargs)


class Origin(models.TextChoices):
    """Where a value came from in this run."""

    WORDS = "words", _("your words")
    INPUT = "input", _("activity input")
    FIXED = "fixed", _("set by the designer")
    FACT = "fact", _("a fact of this run")
    LOOKED_UP = "looked_up", _("looked up by the tool")
    DEFAULT = "default", _("the tool's default")
    AGENT = "agent", _("chosen by the model")
    PERSON = "person", _("your answer")
    DECIDER = "decider", _("who decided on an escalation")
    HANDED_OVER = "handed_over", _("an earlier run")
    UNGROUNDED = "ungrounded", _("nowhere")


class RunInput(Identified):
    """One filled input. `words` are the user's words it was taken from."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="inputs")
    name = models.SlugField(max_length=64)
    value = models.JSONField(null=True)
    label = models.CharField(max_length=300, blank=True)
    origin = models.CharField(max_length=12, choices=Origin.choices)
    words = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("run input")
        verbose_name_plural = _("run inputs")
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "name"], name="run_input_once")]

    def __str__(self) -> str:
        return self.name


class RunStep(Identified):
    """One step of a run: its state, its verdict from facts, and what was declared.

    `intention` and `next_intention` are the agent's own words. They help it keep the thread; no verdict
    reads them. `announced` is what the declared intention was compared with.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="steps")
    step = models.ForeignKey(Step, on_delete=protect_but_for_trials, related_name="+")
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=StepState.choices, default=StepState.PENDING)
    verdict = models.CharField(max_length=10, choices=Verdict.choices, blank=True)
    verdict_reason = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    intention = models.TextField(blank=True)
    next_intention = models.TextField(blank=True)
    announced = models.TextField(blank=True)
    declaration = models.CharField(max_length=10, choices=Declaration.choices, blank=True)
    instruction = models.TextField(blank=True, help_text=_("What those who decided on it said."))
    #: The attempts before an escalation was resumed do not count any more.
    resumed_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("run step")
        verbose_name_plural = _("run steps")
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["run", "position"], name="run_step_once_per_position")]

    def __str__(self) -> str:
        return f"{self.position}: {self.state}"


class RunOutput(Identified):
    """One field of the structured output, with its source; prose says whether a model wrote it."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="outputs")
    name = models.SlugField(max_length=64)
    value = models.JSONField(null=True)
    source = models.CharField(max_length=8)
    detail = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = _("run output")
        verbose_name_plural = _("run outputs")
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "name"], name="run_output_once")]

    def __str__(self) -> str:
        return self.name
