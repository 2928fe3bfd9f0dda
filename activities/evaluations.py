"""What evaluations say about a revision: how many of its test prompts pass, which, and at which step.

Rates are percentages from 0 to 100 with two places, as `Revision.required_pass_rate` is.
"""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Max, Q

from activities.models import Evaluation, EvaluationResult, EvaluationStep, Revision
from activities.models.prompts import percentage


@dataclass(frozen=True)
class StepRate:
    """How often one part was right, of the times it was reached."""

    activity_key: str
    key: str
    passed: int
    total: int

    @property
    def rate(self) -> Decimal:
        return percentage(self.passed, self.total)


def latest_evaluation(revision: Revision) -> Evaluation | None:
    """Return the newest finished evaluation of exactly what `revision` says now, None without one."""
    return (
        Evaluation.objects.filter(
            revision=revision, version=revision.version, finished_at__isnull=False, chaining=None
        )
        .order_by("-id")
        .first()
    )


def latest_pass_rate(revision: Revision) -> Decimal | None:
    """Return the percentage of test prompts that passed in the newest evaluation, None without one.

    An evaluation of an earlier version of a draft does not count.
    """
    found = latest_evaluation(revision)
    return pass_rate(found) if found is not None else None


def pass_rate(evaluation: Evaluation) -> Decimal:
    """Return the percentage of its prompts that passed."""
    counted = evaluation.results.aggregate(total=Count("id"), good=Count("id", filter=Q(passed=True)))
    return percentage(counted["good"], counted["total"])


def step_rates(evaluation: Evaluation) -> list[StepRate]:
    """Return the rate of every part: route and inputs first, then each activity's own steps, in order."""
    rows = (
        EvaluationStep.objects.filter(result__evaluation=evaluation)
        .values("activity_key", "key")
        .annotate(good=Count("id", filter=Q(passed=True)), total=Count("id"), place=Max("position"))
        .order_by("activity_key", "place", "key")
    )
    return [StepRate(row["activity_key"], row["key"], row["good"], row["total"]) for row in rows]


def previous_evaluation(evaluation: Evaluation) -> Evaluation | None:
    """Return what to compare with: the newest finished evaluation of the revision before this one.

    Of an experiment with `chaining`: the newest of the same revision that was none, or was the other one.
    """
    if evaluation.chaining is not None:
        others = Evaluation.objects.filter(revision=evaluation.revision_id, finished_at__isnull=False)
        unlike = others.filter(Q(chaining=None) | Q(chaining=not evaluation.chaining), pk__lt=evaluation.pk)
        return unlike.order_by("-id").select_related("revision").first()
    return (
        Evaluation.objects.filter(
            revision__agent=evaluation.revision.agent_id,
            revision__number__lt=evaluation.revision.number,
            finished_at__isnull=False,
            chaining=None,
        )
        .order_by("-revision__number", "-id")
        .select_related("revision")
        .first()
    )


def verdicts(evaluation: Evaluation) -> dict[str, bool]:
    """Return for each prompt's key whether it passed."""
    return dict(EvaluationResult.objects.filter(evaluation=evaluation).values_list("key", "passed"))


@dataclass(frozen=True)
class PromptRow:
    """One prompt's result; `before` is whether it passed in the evaluation compared with, None if unknown."""

    result: EvaluationResult
    before: bool | None


@dataclass(frozen=True)
class StepRow:
    """One part's rate, beside its rate in the evaluation compared with."""

    now: StepRate
    before: StepRate | None


@dataclass(frozen=True)
class Comparison:
    """An evaluation beside the newest one of the revision before it, if there is one."""

    evaluation: Evaluation
    rate: Decimal
    previous: Evaluation | None
    previous_rate: Decimal | None
    prompts: list[PromptRow]
    steps: list[StepRow]

    @property
    def passed(self) -> int:
        return sum(row.result.passed for row in self.prompts)

    @property
    def lost(self) -> list[PromptRow]:
        """The prompts that passed before and no longer do."""
        return [row for row in self.prompts if row.before and not row.result.passed]


def comparison(evaluation: Evaluation) -> Comparison:
    """Return `evaluation`, prompt by prompt and step by step, beside the previous revision's newest one."""
    previous = previous_evaluation(evaluation)
    before = verdicts(previous) if previous else {}
    rates = {(rate.activity_key, rate.key): rate for rate in step_rates(previous)} if previous else {}
    results = evaluation.results.prefetch_related("steps")
    return Comparison(
        evaluation,
        pass_rate(evaluation),
        previous,
        pass_rate(previous) if previous else None,
        [PromptRow(result, before.get(result.key)) for result in results],
        [StepRow(rate, rates.get((rate.activity_key, rate.key))) for rate in step_rates(evaluation)],
    )
