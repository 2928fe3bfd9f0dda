"""The verdict on a step: from facts and its conditions alone. What a model says has no vote."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from activities import conditions
from activities.models import Step
from runs.states import Verdict


@dataclass(frozen=True)
class Judgement:
    """A verdict and its reason: the condition, and what kept it from holding."""

    verdict: Verdict
    reason: str = ""


def judge(step: Step, scope: Mapping[str, Any], *, acted: bool) -> Judgement:
    """Judge `step` over `scope`. A step in which nothing was done yet can stop, never pass."""
    if step.stops_when:
        stopping = conditions.evaluate(step.stops_when, scope)
        if stopping.holds:
            return Judgement(Verdict.STOP, step.stops_when)
    passing = conditions.evaluate(step.passes_when, scope)
    if acted and passing.holds:
        return Judgement(Verdict.PASS, step.passes_when)
    return Judgement(Verdict.ADJUST, passing.problem or not_yet(step))


def not_yet(step: Step) -> str:
    """Return the reason of a step whose condition can be read and does not hold."""
    return f"not yet: {step.passes_when}"


def still_wanted(step: Step, scope: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fact keys that the passing condition reads and no fact holds yet."""
    facts = scope["facts"]
    return tuple(key for key in conditions.facts_named(step.passes_when) if key not in facts)
