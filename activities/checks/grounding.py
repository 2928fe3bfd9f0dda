"""An identifier that the agent chooses must be able to come from somewhere."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from activities.checks.problem import Look, Problem
from activities.models import Step
from activities.models.activity import FieldKind
from activities.models.authority import ParamSource
from activities.tools import ToolContract, registry


def groundable(look: Look) -> Iterator[Problem]:
    """A fact, an input or an identifier in the user's words can ground what the agent chooses."""
    for contract, binding, choice in look.params():
        param = next((each for each in contract.params if each.name == choice.name), None)
        if param is None or not param.reference or choice.source != ParamSource.AGENT:
            continue
        using = [step for step in look.steps if binding in step.tools.all()]
        if any(not _can_ground(look, step, contract, param.reference) for step in using):
            yield Problem(
                look.place(contract.key, param.name),
                _(
                    "The agent chooses a record that nothing can ground: neither an input nor a tool of this "
                    "step or before gives one. Take it from an input, or add a tool that finds it."
                ),
            )


def _can_ground(look: Look, step: Step, itself: ToolContract, kind: str) -> bool:
    declared = registry.reference(kind)
    if declared is not None and declared.pattern:
        return True
    if any(row.kind == FieldKind.REFERENCE and row.reference == kind for row in look.inputs.values()):
        return True
    before = (*look.tools_until(step), *look.opened_until(step))
    return any(kind in tool.result_refs.values() for tool in before if tool.key != itself.key)
