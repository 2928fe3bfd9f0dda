"""What a designer should look at again although it may be meant so: nothing here keeps from publishing."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from activities import conditions
from activities.checks.problem import Problem
from activities.conditions import BadCondition
from activities.models import Revision, Step


def advice(revision: Revision) -> list[Problem]:
    """Return what is worth a second look, in the order of the procedure."""
    return list(_passed_by_anything(revision))


def _passed_by_anything(revision: Revision) -> Iterator[Problem]:
    """A step that opens a part of the catalogue and asks nothing of what was found there."""
    steps = Step.objects.filter(activity__revision=revision, openings__isnull=False).distinct()
    for step in steps.select_related("activity__identity").order_by("activity__position", "position"):
        if passes_anyway(step):
            yield Problem(f"{step.activity.key} / {step.key}", passed_by_anything())


def passed_by_anything() -> str:
    return _(
        "It is open to a part of the catalogue and passes whichever tool gave a fact, wanted or not. "
        "Name in its condition what must have been found."
    )


def passes_anyway(step: Step) -> bool:
    """True when the step's condition holds whatever the facts are."""
    try:
        return conditions.is_certain(step.passes_when)
    except BadCondition:
        return False
