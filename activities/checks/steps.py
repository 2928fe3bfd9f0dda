"""The steps: each can act, can pass, and is reached."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from activities import conditions
from activities.checks.possible import may_hold, missing
from activities.checks.problem import Look, Problem
from activities.conditions import BadCondition
from activities.models import Step
from activities.models.procedure import ToolChoice


def can_act(look: Look) -> Iterator[Problem]:
    """A step that acts has a tool."""
    for step in look.steps:
        if step.tool_choice != ToolChoice.NONE and not step.tools.all() and not step.openings.all():
            sentence = _("It must act and has no tool. Allow it one, or open it to a part of the catalogue.")
            yield Problem(look.place(step.key), sentence)


def can_pass(look: Look) -> Iterator[Problem]:
    """The facts that a step needs to pass are given by its tools, or by those before it."""
    for step in look.steps:
        lacking = _lacking(look, step)
        if lacking:
            sentence = _(
                "It can never pass: it needs “%(fact)s”, and none of its tools gives it, nor any before. "
                "Allow the tool here, or change the condition."
            )
            yield Problem(look.place(step.key), sentence % {"fact": ", ".join(lacking)})


def reachable(look: Look) -> Iterator[Problem]:
    """Nothing before a step ends the run for certain."""
    for before, step in zip(look.steps, look.steps[1:], strict=False):
        if _never_passes(before) or _always_stops(before):
            sentence = _("It is never reached: “%(step)s” never passes. Change that step's conditions.")
            yield Problem(look.place(step.key), sentence % {"step": before.key})
            return


def _lacking(look: Look, step: Step) -> list[str]:
    """Return the facts for want of which the step never passes; what no tool gives is told elsewhere."""
    tree = _tree(step.passes_when)
    if tree is None:
        return []
    given = {contract.fact_key for contract in look.tools_until(step)}
    given |= {contract.fact_key for contract in look.opened_until(step) if contract.fact_key in look.read}
    if may_hold(tree, given):
        return []
    lacking = missing(tree, given)
    return lacking if all(key in look.facts for key in lacking) else []


def _never_passes(step: Step) -> bool:
    tree = _tree(step.passes_when)
    return tree is not None and not missing(tree, ()) and not may_hold(tree, ())


def _always_stops(step: Step) -> bool:
    tree = _tree(step.stops_when) if step.stops_when else None
    return tree is not None and conditions.is_certain(step.stops_when)


def _tree(expression: str) -> conditions.Node | None:
    try:
        return conditions.tree_of(expression)
    except BadCondition:
        return None
