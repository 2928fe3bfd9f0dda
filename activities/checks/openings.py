"""What a step is opened to: it leads somewhere, and to something that can be used."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from activities.checks.problem import Look, Problem
from activities.models import StepOpening
from activities.models.procedure import ToolChoice
from activities.openings import risk_through, unusable
from activities.tools import ToolContract


def lead_somewhere(look: Look) -> Iterator[Problem]:
    """Every opening leads to a tool that the step can use. Which tools these are may change later."""
    for step in look.steps:
        if step.tool_choice == ToolChoice.NONE:
            continue
        for opening in step.openings.all():
            message = _leads_nowhere(opening, look.opened_by(opening))
            if message:
                yield Problem(look.place(step.key, opening.name), message)


def _leads_nowhere(opening: StepOpening, contracts: list[ToolContract]) -> str:
    words = {"part": opening.name}
    if not contracts:
        sentence = _("No tool of this workspace is in “%(part)s”. Choose another, or put one there.")
        return sentence % words
    reasons = [unusable(each, risk_through(each, [opening])) for each in contracts]
    if not all(reasons):
        return ""
    sentence = _("None of the tools in “%(part)s” can be used through it. %(why)s")
    return sentence % {**words, "why": reasons[0]}


def not_while_writing(look: Look) -> Iterator[Problem]:
    """The step in which the prose is written acts on nothing."""
    for step in look.steps:
        if step.tool_choice == ToolChoice.NONE and step.openings.all():
            place = look.place(step.key)
            yield Problem(place, _("It writes the prose and uses no tool. Take its openings away."))
