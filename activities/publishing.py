"""What must hold before a revision is published: all problems at once, each with place and remedy."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from activities import conditions, paths, templates
from activities.models import Activity, ActivityInput, ParamBinding, Revision, Step, ToolBinding
from activities.models.activity import FieldKind, OutputSource
from activities.models.authority import ParamSource
from activities.models.procedure import ToolChoice
from activities.tools import Control, Risk, ToolContract, registry


@dataclass(frozen=True)
class Problem:
    """Where it is, what is wrong, what to do."""

    place: str
    message: str


def problems(revision: Revision) -> list[Problem]:
    """Return every reason why `revision` cannot be published."""
    activities = list(
        revision.activities.prefetch_related(
            "phrases",
            "inputs__choices",
            "outputs",
            "tool_bindings__params",
            "steps__tools",
            "routing__mapping",
        )
    )
    keys = {activity.key for activity in activities}
    found = [problem for activity in activities for problem in _activity(activity, keys)]
    if not activities:
        found.append(Problem(str(revision), _("It has no activity. Add one.")))
    return found


def outdated_tools(revision: Revision) -> list[str]:
    """Return the tools of `revision` whose contract is gone or changed since: its runs would stop at them."""
    pins = ToolBinding.objects.filter(activity__revision=revision).values_list("tool_key", "contract_hash")
    return sorted(
        {key for key, pinned in pins if (found := registry.get(key)) is None or found.hash != pinned}
    )


def _activity(activity: Activity, keys: set[str]) -> Iterator[Problem]:
    yield from _card(activity)
    yield from _tools(activity)
    yield from _steps(activity)
    yield from _outputs(activity)
    yield from _routing(activity, keys)
    for language, source in activity.template.items():
        try:
            templates.check(source)
        except templates.BadTemplate as error:
            yield Problem(f"{activity.key} / template {language}", str(error))


def _card(activity: Activity) -> Iterator[Problem]:
    if not any(phrase.kind == "alias" for phrase in activity.phrases.all()):
        yield Problem(activity.key, _("Its card has no alias. Add the words your users use for it."))
    if not activity.template:
        yield Problem(activity.key, _("It has no response template."))
    if not activity.steps.all():
        yield Problem(activity.key, _("It has no step. Without one, nothing can be proven."))
    for field in activity.inputs.all():
        if field.kind == FieldKind.REFERENCE and registry.reference(field.reference) is None:
            yield Problem(
                f"{activity.key} / {field.name}", _("It refers to a kind of record that no app declares.")
            )


def _tools(activity: Activity) -> Iterator[Problem]:
    inputs = {field.name: field for field in activity.inputs.all()}
    for binding in activity.tool_bindings.all():
        place = f"{activity.key} / {binding.tool_key}"
        contract = registry.get(binding.tool_key)
        if contract is None:
            yield Problem(place, _("This tool does not exist. Remove it or install the app that has it."))
            continue
        if contract.hash != binding.contract_hash:
            yield Problem(
                place, _("The tool's contract changed since the draft was made. Review and add it again.")
            )
        if binding.raised_risk and Risk(binding.raised_risk).rank < contract.risk.rank:
            yield Problem(place, _("A risk can be raised, never lowered."))
        yield from _params(place, contract, binding, inputs)


def _params(
    place: str, contract: ToolContract, binding: ToolBinding, inputs: dict[str, ActivityInput]
) -> Iterator[Problem]:
    bound = {param.name: param for param in binding.params.all()}
    for unknown in sorted(set(bound) - {param.name for param in contract.params}):
        yield Problem(f"{place} / {unknown}", _("The tool has no such parameter."))
    for param in contract.params:
        choice = bound.get(param.name)
        where = f"{place} / {param.name}"
        if choice is None:
            if param.required:
                yield Problem(where, _("It is required and nobody decides it. Choose a source."))
        elif Control(choice.source) not in param.controlled_by:
            yield Problem(where, _("The tool's contract does not allow this source."))
        elif choice.source == ParamSource.INPUT:
            yield from _bound_input(where, choice, inputs)


def _bound_input(where: str, choice: ParamBinding, inputs: dict[str, ActivityInput]) -> Iterator[Problem]:
    name, _dot, part = choice.input_path.partition(".")
    field = inputs.get(name)
    if field is None:
        yield Problem(where, _("It takes its value from an input that does not exist."))
    elif part and (field.kind != FieldKind.PERIOD or part not in ("start", "end")):
        yield Problem(where, _("Only a period has a start and an end."))


def _steps(activity: Activity) -> Iterator[Problem]:
    fact_keys = {
        contract.fact_key
        for binding in activity.tool_bindings.all()
        if (contract := registry.get(binding.tool_key)) is not None
    }
    for step in activity.steps.all():
        place = f"{activity.key} / {step.key}"
        if step.tool_choice != ToolChoice.NONE and not step.tools.all():
            yield Problem(place, _("It must act and has no tool."))
        yield from _conditions(place, step, fact_keys)


def _conditions(place: str, step: Step, fact_keys: set[str]) -> Iterator[Problem]:
    for expression in filter(None, (step.passes_when, step.stops_when)):
        try:
            conditions.check(expression)
        except conditions.BadCondition as error:
            yield Problem(place, str(error))
            continue
        for key in conditions.facts_named(expression):
            if key not in fact_keys:
                yield Problem(place, _("Its condition reads “%(key)s”, a fact no tool gives.") % {"key": key})


def _outputs(activity: Activity) -> Iterator[Problem]:
    inputs: dict[str, Any] = {field.name: field for field in activity.inputs.all()}
    for output in activity.outputs.all():
        place = f"{activity.key} / {output.name}"
        if output.source == OutputSource.FACT and not paths.is_path(output.fact_path):
            yield Problem(place, _("Choose the fact it is taken from."))
        if output.source == OutputSource.INPUT and output.input_name not in inputs:
            yield Problem(place, _("Choose the input it is taken from."))
        if output.source == OutputSource.PROSE and not output.fallback:
            yield Problem(place, _("A prose field needs a fallback text, for when no model writes."))


def _routing(activity: Activity, keys: set[str]) -> Iterator[Problem]:
    for outcome in activity.routing.all():
        place = f"{activity.key} / {outcome.name}"
        if outcome.next_activity_key not in keys:
            yield Problem(place, _("It hands over to an activity that this revision does not have."))
        try:
            conditions.check(outcome.condition)
        except conditions.BadCondition as error:
            yield Problem(place, str(error))
