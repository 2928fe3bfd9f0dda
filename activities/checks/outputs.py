"""The outputs: each is filled from something that will be there."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from activities import conditions, paths
from activities.checks.problem import Look, Problem
from activities.conditions import BadCondition
from activities.models import ActivityOutput
from activities.models.activity import OutputSource


def filled(look: Look) -> Iterator[Problem]:
    """Every output has a source, and a prose field its step and its fallback."""
    for output in look.activity.outputs.all():
        for message in _unfilled(look, output):
            yield Problem(look.place(output.name), message)


def known(look: Look) -> Iterator[Problem]:
    """A fact's path leads to a field of a tool that some step uses."""
    for output in look.activity.outputs.all():
        if output.source == OutputSource.FACT and paths.is_path(output.fact_path):
            message = path_problem(look, output.fact_path)
            if message:
                yield Problem(look.place(output.name), message)


def path_problem(look: Look, path: str) -> str:
    """Return why a path into facts or inputs leads nowhere, an empty string when it does not."""
    root, _dot, rest = path.partition(".")
    if root not in ("facts", "inputs") or not rest:
        return _("Choose a fact or an input: “%(path)s” is none.") % {"path": path}
    try:
        # Equality with null fits whatever is there: only the path itself is asked about.
        found = conditions.misfits(f"{path} == null", look.scope)
    except BadCondition as error:
        return str(error)
    if found:
        return found[0] if root == "inputs" else _unknown_fact(look, path, found[0])
    return _unused_tool(look, path) if root == "facts" else ""


def _unfilled(look: Look, output: ActivityOutput) -> Iterator[str]:
    match output.source:
        case OutputSource.FACT if not paths.is_path(output.fact_path):
            yield _("Choose the fact it is taken from.")
        case OutputSource.INPUT if output.input_name not in look.inputs:
            yield _("Choose the input it is taken from.")
        case OutputSource.FIXED if output.fixed_value is None:
            yield _("It is never filled. Give it its fixed value, or another source.")
        case OutputSource.PROSE if not any(output.fallback.values()):
            yield _("A prose field needs a fallback text, for when no model writes.")


def _unknown_fact(look: Look, path: str, otherwise: str) -> str:
    key = path.split(".")[1].partition("[")[0]
    if key in look.facts:
        return otherwise
    return _("It is never filled: no tool gives “%(fact)s”. Choose another fact.") % {"fact": key}


def _unused_tool(look: Look, path: str) -> str:
    key = path.split(".")[1].partition("[")[0]
    if key in look.given:
        return ""
    return _("It is never filled: no step uses the tool that gives “%(fact)s”.") % {"fact": key}
