"""The conditions of steps: readable, and fitting the types of what they read."""

from collections.abc import Iterator, Sequence

from activities import conditions
from activities.checks.problem import Look, Problem
from activities.conditions import BadCondition
from activities.models import Activity, StepOpening


def readable(look: Look) -> Iterator[Problem]:
    """Every condition can be read, and is short enough."""
    for place, expression in _all(look):
        try:
            conditions.check(expression)
        except BadCondition as error:
            yield Problem(place, str(error))


def fitting(look: Look) -> Iterator[Problem]:
    """Every path leads somewhere, and what is compared can be compared."""
    for place, expression in _all(look):
        for message in misfits(look, expression):
            yield Problem(place, message)


def condition_problems(
    activity: Activity, expression: str, openings: Sequence[StepOpening] = ()
) -> list[str]:
    """Return what is wrong with a condition of `activity` before it is saved; sentences with remedies.

    `openings` are those of its step, when they are not saved either.
    """
    try:
        return conditions.misfits(expression, Look(activity, expression, openings=openings).scope)
    except BadCondition as error:
        return [str(error)]


def misfits(look: Look, expression: str) -> list[str]:
    """Return the misfits of a readable condition; nothing for one that cannot be read."""
    try:
        return conditions.misfits(expression, look.scope)
    except BadCondition:
        return []


def _all(look: Look) -> Iterator[tuple[str, str]]:
    for step in look.steps:
        for expression in dict.fromkeys(filter(None, (step.passes_when, step.stops_when))):
            yield look.place(step.key), expression
