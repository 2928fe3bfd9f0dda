"""What the desk shows of contracts: an activity's tools, what can be read in its conditions and templates."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from activities.blueprint import OutputPart
from activities.catalogue import Opened, led_to
from activities.checks.templates import template_problems
from activities.importing import output_row
from activities.models import Activity, Step, ToolBinding
from activities.scope import Place, fact_places, input_places
from activities.tools import ToolContract, registry


def contracts_of(bindings: Iterable[ToolBinding]) -> list[ToolContract]:
    """Return the contracts of these tools that an installed app has."""
    return [contract for each in bindings if (contract := registry.get(each.tool_key)) is not None]


def places(activity: Activity) -> dict[str, list[Place]]:
    """Return what each of the activity's tools gives, by the tool's title."""
    found = {str(each.title): fact_places(each) for each in contracts_of(activity.tool_bindings.all())}
    for step in activity.steps.all():
        if step.openings.all():
            found = {**opened_places(led_to(step, activity.revision.agent.workspace)), **found}
    return found


def places_at(step: Step | None, activity: Activity) -> dict[str, list[Place]]:
    """Return what can be read when a step is judged: facts of its tools and of those before, inputs."""
    steps = list(activity.steps.all())
    reached = steps if step is None else [each for each in steps if each.position <= step.position]
    allowed = {binding.pk for each in reached for binding in each.tools.all()}
    here = [binding for binding in activity.tool_bindings.all() if binding.pk in allowed or step is None]
    found = {str(each.title): fact_places(each) for each in contracts_of(here)}
    return {**found, **_others(activity)}


def opened_places(opened: Opened | None) -> dict[str, list[Place]]:
    """Return what can be read of the tools that a step is open to; of many, nothing: nobody reads it."""
    tools = [contract for each in opened.led for contract in each.usable] if opened else []
    if len(tools) > settings.DISCOVERY_GROUP_UP_TO:
        return {}
    return {str(each.title): fact_places(each) for each in tools}


def all_places(activity: Activity) -> dict[str, list[Place]]:
    """Return everything that can be read at the end of the procedure."""
    return {**places(activity), **_others(activity)}


def template_places(activity: Activity) -> dict[str, list[Place]]:
    """Return what a template can show: the output first, then everything else."""
    output = [Place(f"output.{row.name}", row.get_source_display()) for row in activity.outputs.all()]
    return {str(_("Output")): output, **all_places(activity)}


def _others(activity: Activity) -> dict[str, list[Place]]:
    inputs = [place for field in activity.inputs.all() for place in input_places(field)]
    return {str(_("Inputs")): inputs, str(_("The step")): [Place("attempts", _("whole number"))]}


def with_outputs(activity: Activity, parts: Sequence[OutputPart]) -> Activity:
    """Return `activity` as if these were its outputs, which need not be saved."""
    rows = [output_row(activity, part, position) for position, part in enumerate(parts)]
    copied = copy(activity)
    kept = getattr(activity, "_prefetched_objects_cache", {})
    copied._prefetched_objects_cache = {**kept, "outputs": rows}  # type: ignore[attr-defined]
    return copied


def answer_problems(
    activity: Activity, parts: Sequence[OutputPart], sources: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield (language, what is wrong) for templates that cannot be filled with these outputs."""
    supposed = with_outputs(activity, parts)
    for language, source in sources.items():
        for problem in template_problems(supposed, source, language):
            yield language, problem
