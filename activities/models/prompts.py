"""Test prompts, kept with an agent across its revisions, and what came of running them."""

from decimal import Decimal

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from activities.models.agent import ActivityIdentity, Agent, Revision
from activities.models.fields import Identified


class ExpectedRoute(models.TextChoices):
    """Where a request is expected to lead."""

    ACTIVITY = "activity", _("an activity")
    UNCLEAR = "unclear", _("a question between activities")
    DECLINED = "declined", _("a refusal: nothing fits")


class ExpectedOutcome(models.TextChoices):
    """How a trial is expected to end. Confirmations are simulated, so a trial never waits for one."""

    DONE = "done", _("done, or it would be done once confirmed")
    NEEDS_INPUT = "needs_input", _("a question")
    NOTHING_TO_DO = "nothing_to_do", _("nothing to do")
    REFUSED = "refused", _("refused by a rule of the business")
    DECLINED = "declined", _("declined")
    ESCALATED = "escalated", _("escalated")
    FAILED = "failed", _("failed")
    GUARDRAIL = "stopped_by_guardrail", _("stopped by a limit")


class TestPrompt(Identified):
    """One request and what is expected of it. It belongs to an agent and to no revision.

    `activity` is where it is kept; `expected_activity` where it must lead, if `expected_route` says so.
    Without `as_user` it is asked as whoever the evaluation asks as.
    """

    __test__ = False

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="test_prompts")
    key = models.SlugField(max_length=64)
    position = models.PositiveIntegerField(default=0)
    activity = models.ForeignKey(
        ActivityIdentity,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="test_prompts",
        help_text=_("The activity it is kept with; empty for the agent as a whole."),
    )
    language = models.CharField(max_length=8)
    text = models.TextField(verbose_name=_("request"))
    as_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    expected_route = models.CharField(
        max_length=8, choices=ExpectedRoute.choices, default=ExpectedRoute.ACTIVITY
    )
    expected_activity = models.ForeignKey(
        ActivityIdentity, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    expected_outcome = models.CharField(
        max_length=24, choices=ExpectedOutcome.choices, default=ExpectedOutcome.DONE
    )
    expected_fields = models.JSONField(
        default=list, blank=True, help_text=_("The inputs that must be asked for, all of them.")
    )
    expected_inputs = models.JSONField(
        default=dict, blank=True, help_text=_("Input values that must have been read; others may be too.")
    )
    note = models.TextField(blank=True)

    class Meta:
        verbose_name = _("test prompt")
        verbose_name_plural = _("test prompts")
        ordering = ["position", "key"]
        constraints = [
            models.UniqueConstraint(fields=["agent", "key"], name="test_prompt_key_once_per_agent")
        ]

    def __str__(self) -> str:
        return self.key


class ExpectedCall(Identified):
    """A tool call that must be made, with at least these final arguments.

    With `error_code` it must be refused or fail with that code; without, it must run or be simulated.
    """

    prompt = models.ForeignKey(TestPrompt, on_delete=models.CASCADE, related_name="expected_calls")
    position = models.PositiveIntegerField(default=0)
    tool_key = models.CharField(max_length=100)
    arguments = models.JSONField(default=dict, blank=True)
    error_code = models.CharField(max_length=40, blank=True)

    class Meta:
        verbose_name = _("expected call")
        verbose_name_plural = _("expected calls")
        ordering = ["position"]

    def __str__(self) -> str:
        return self.tool_key


class Evaluation(Identified):
    """One run of all test prompts of an agent against one revision, as it was then.

    `version` is the revision's at the start: a draft that was changed since has no evaluation. With
    `chaining` set, intentions were declared, or not, whatever the activities say: an experiment.
    """

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="evaluations")
    version = models.PositiveIntegerField(default=1)
    chaining = models.BooleanField(null=True)
    model = models.CharField(max_length=100, blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    problem = models.TextField(blank=True, help_text=_("Why it could not be finished."))

    class Meta:
        verbose_name = _("evaluation")
        verbose_name_plural = _("evaluations")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.revision}, {self.started_at:%Y-%m-%d %H:%M}"


class EvaluationResult(Identified):
    """One prompt of one evaluation. The texts are copies: the prompt may be changed later.

    `run_id` names the trial, which may have been deleted since.
    """

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="results")
    prompt = models.ForeignKey(TestPrompt, null=True, on_delete=models.SET_NULL, related_name="results")
    position = models.PositiveIntegerField(default=0)
    key = models.SlugField(max_length=64)
    language = models.CharField(max_length=8)
    text = models.TextField()
    passed = models.BooleanField()
    reason = models.TextField(blank=True)
    activity_key = models.CharField(max_length=64, blank=True)
    outcome = models.CharField(max_length=24, blank=True)
    milliseconds = models.PositiveIntegerField(default=0)
    run_id = models.UUIDField(null=True)
    missed_tools = ArrayField(
        models.CharField(max_length=100),
        default=list,
        blank=True,
        help_text=_("Tools of expected calls that a step was open to and no search showed."),
    )

    class Meta:
        verbose_name = _("evaluation result")
        verbose_name_plural = _("evaluation results")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation", "key"], name="result_once_per_prompt_and_evaluation"
            )
        ]

    def __str__(self) -> str:
        return self.key


class EvaluationStep(Identified):
    """One part of a result: the route, the inputs, a step of the procedure, the calls, the outcome.

    `activity_key` says whose step it is; a part that was not reached has no row.
    """

    result = models.ForeignKey(EvaluationResult, on_delete=models.CASCADE, related_name="steps")
    position = models.PositiveIntegerField(default=0)
    activity_key = models.CharField(max_length=64, blank=True)
    key = models.CharField(max_length=64)
    passed = models.BooleanField()
    reason = models.TextField(blank=True)

    class Meta:
        verbose_name = _("evaluated step")
        verbose_name_plural = _("evaluated steps")
        ordering = ["position"]

    def __str__(self) -> str:
        return self.key


def percentage(passed: int, total: int) -> Decimal:
    """Return how many percent of `total` passed, to two places; 0 of nothing."""
    return (Decimal(100 * passed) / max(total, 1)).quantize(Decimal("0.01"))
