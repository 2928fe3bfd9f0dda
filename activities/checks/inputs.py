"""The inputs: declared soundly, and used."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from activities import patterns as safe_patterns
from activities.checks.problem import Look, Problem
from activities.models import ActivityInput
from activities.models.activity import FieldKind, OutputSource
from activities.models.authority import ParamSource
from activities.tools import registry

_READ = re.compile(r"\binputs(?:\.|\[['\"])([A-Za-z_][A-Za-z0-9_]*)")


def declared(look: Look) -> Iterator[Problem]:
    """A record is of a kind that is known, a choice has choices, a range is one."""
    for field in look.inputs.values():
        message = _declaration(field)
        if message:
            yield Problem(look.place(field.name), message)


def patterns(look: Look) -> Iterator[Problem]:
    """A pattern can be read and cannot run for long."""
    for field in look.inputs.values():
        message = safe_patterns.problem(field.pattern) if field.pattern else ""
        if message:
            yield Problem(look.place(field.name), message)


def used(look: Look) -> Iterator[Problem]:
    """What is asked of a person serves something.

    Where the agent chooses a parameter, it sees the inputs and may choose by them.
    """
    if any(param.source == ParamSource.AGENT for _contract, _binding, param in look.params()):
        return
    named = _named(look)
    for name in look.inputs:
        if name not in named:
            yield Problem(
                look.place(name), _("Nothing uses this input. Give it to a parameter, or remove it.")
            )


def _declaration(field: ActivityInput) -> str:
    if field.kind == FieldKind.REFERENCE and registry.reference(field.reference) is None:
        return _("It refers to a kind of record that no app declares. Choose one that is.")
    if field.kind == FieldKind.CHOICE and not field.allowed:
        return _("It is a choice without choices. Add some.")
    if field.minimum is not None and field.maximum is not None and field.minimum > field.maximum:
        return _("Its minimum is more than its maximum: nothing fits.")
    return ""


def _named(look: Look) -> set[str]:
    """Return the inputs that a parameter, a condition, an output, a text or a hand-over names."""
    activity = look.activity
    bound = {param.input_path.partition(".")[0] for _c, _b, param in look.params()}
    filled = {row.input_name for row in activity.outputs.all() if row.source == OutputSource.INPUT}
    texts = [*activity.template.values()]
    for step in look.steps:
        texts += [step.passes_when, step.stops_when, *step.stop_message.values()]
    for output in activity.outputs.all():
        texts += [output.fact_path, *output.fallback.values()]
    for outcome in activity.routing.all():
        texts += [outcome.condition, *(item.path for item in outcome.mapping.all())]
    return bound | filled | {name for text in texts for name in _READ.findall(text)}
