"""From rows to a blueprint: the whole of a revision as plain data, the same for the same rows.

Nothing of it is a row's key. Lists are in the order of their positions; what the database keeps in no
order (languages, parameters, objects) is sorted.
"""

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.db.models import Prefetch, QuerySet
from pydantic import ValidationError

from activities.blueprint import AgentBlueprint
from activities.models import (
    Activity,
    ActivityInput,
    ActivityOutput,
    InputChoice,
    ParamBinding,
    Revision,
    RoutingOutcome,
    Step,
    StepOpening,
    ToolBinding,
)
from activities.models.activity import PhraseKind
from agentapp.kernel.errors import InvalidInput

Document = dict[str, Any]
LIMITS = (
    "max_model_calls",
    "max_tool_calls",
    "max_duration_seconds",
    "max_output_tokens",
    "max_context_bytes",
)


def whole(activities: QuerySet[Activity]) -> QuerySet[Activity]:
    """Return `activities` with all they hold, in as many queries whatever their number."""
    steps = Step.objects.select_related("escalate_to__workspace_group")
    return activities.prefetch_related(
        "phrases",
        "inputs__choices",
        "outputs",
        "tool_bindings__params",
        Prefetch("steps", queryset=steps),
        "steps__tools",
        "steps__openings",
        "routing__mapping",
    )


def document(revision: Revision) -> Document:
    """Return all that `revision` says, as a blueprint's data. It may be unfinished, or say nonsense."""
    agent = revision.agent
    return {
        "key": agent.key,
        "name": _sorted(agent.name),
        "description": _sorted(agent.description),
        "required_pass_rate": _number(revision.required_pass_rate),
        "activities": [
            activity_document(each) for each in _in_order(whole(revision.activities.all()), "key")
        ],
    }


def blueprint_of(revision: Revision) -> AgentBlueprint:
    """Return `revision` as a blueprint. Raises InvalidInput when a row does not fit one; it says which."""
    try:
        return AgentBlueprint.model_validate(document(revision))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(f"{place}: {first['msg']}") from error


def activity_document(activity: Activity) -> Document:
    """Return all that one activity says."""
    return {
        "key": activity.key,
        "name": _sorted(activity.name),
        "summary": _sorted(activity.summary),
        "aliases": _phrases(activity, PhraseKind.ALIAS),
        "examples": _phrases(activity, PhraseKind.EXAMPLE),
        "when_not_to_use": activity.when_not_to_use,
        "instructions": activity.instructions,
        "inputs": [_input(row) for row in _in_order(activity.inputs.all(), "name")],
        "outputs": [_output(row) for row in _in_order(activity.outputs.all(), "name")],
        "tools": [_tool(row) for row in _in_order(activity.tool_bindings.all(), "tool_key")],
        "steps": [_step(row) for row in _in_order(activity.steps.all(), "key")],
        "routing": [_outcome(row) for row in _in_order(activity.routing.all(), "name")],
        "guardrails": {name: getattr(activity, name) for name in LIMITS},
        "template": _sorted(activity.template),
        "entry": activity.entry,
        "chaining": activity.chaining,
    }


def _phrases(activity: Activity, kind: PhraseKind) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for phrase in _in_order(activity.phrases.all(), "text"):
        if phrase.kind == kind:
            found[phrase.language].append(phrase.text)
    return _sorted(found)


def _input(row: ActivityInput) -> Document:
    return {
        "name": row.name,
        "type": row.kind,
        "label": _sorted(row.label),
        "description": row.description,
        "required": row.required,
        "is_list": row.is_list,
        "choices": [_choice(choice) for choice in _in_order(row.choices.all(), "value")],
        "minimum": _number(row.minimum),
        "maximum": _number(row.maximum),
        "max_length": row.max_length,
        "pattern": row.pattern,
        "reference": row.reference,
        "protected": row.protected,
        "cues": _sorted(row.cues),
    }


def _choice(row: InputChoice) -> Document:
    return {"value": row.value, "label": _sorted(row.label), "words": _sorted(row.words)}


def _output(row: ActivityOutput) -> Document:
    return {
        "name": row.name,
        "label": _sorted(row.label),
        "source": row.source,
        "fact": row.fact_path,
        "input": row.input_name,
        "fixed": _sorted(row.fixed_value),
        "description": row.description,
        "max_length": row.max_length,
        "fallback": _sorted(row.fallback),
    }


def _tool(row: ToolBinding) -> Document:
    params = sorted(row.params.all(), key=lambda param: param.name)
    return {
        "tool": row.tool_key,
        "params": {param.name: _param(param) for param in params},
        "raise_risk": row.raised_risk,
        "confirm": row.always_confirm,
        "disclose_raw": row.disclose_raw,
    }


def _param(row: ParamBinding) -> Document:
    return {
        "source": row.source,
        "input": row.input_path,
        "fixed": _sorted(row.fixed_value),
        "choices": list(row.allowed_values),
        "minimum": _number(row.minimum),
        "maximum": _number(row.maximum),
        "pattern": row.pattern,
    }


def _step(row: Step) -> Document:
    return {
        "key": row.key,
        "name": _sorted(row.name),
        "goal": row.goal,
        "tools": [binding.tool_key for binding in _in_order(row.tools.all(), "tool_key")],
        "opens": [_opening(each) for each in _in_order(row.openings.all(), "name")],
        "tool_choice": row.tool_choice,
        "passes_when": row.passes_when,
        "stops_when": row.stops_when,
        "stop_message": _sorted(row.stop_message),
        "max_attempts": row.max_attempts,
        "escalate_to": _group_name(row),
        "other_person": row.other_person,
    }


def _opening(row: StepOpening) -> Document:
    return {"to": row.name, "raise_risk": row.raised_risk, "confirm": row.always_confirm}


def _group_name(row: Step) -> str:
    """Return the name by which an import finds the group again: its role, else its label."""
    if row.escalate_to is None:
        return ""
    group = getattr(row.escalate_to, "workspace_group", None)
    return (group.role or group.label) if group else row.escalate_to.name


def _outcome(row: RoutingOutcome) -> Document:
    return {
        "name": row.name,
        "when": row.condition,
        "activity": row.next_activity_key,
        "label": _sorted(row.label),
        "inputs": {item.input_name: item.path for item in _by_name(row.mapping.all())},
    }


def _by_name(rows: Iterable[Any]) -> list[Any]:
    return sorted(rows, key=lambda row: row.input_name)


def _in_order(rows: Iterable[Any], name: str) -> list[Any]:
    """Sort by position; two rows at one position, by `name`."""
    return sorted(rows, key=lambda row: (row.position, getattr(row, name)))


def _number(value: Decimal | None) -> str | None:
    """Return a decimal without the zeros its column adds."""
    return None if value is None else format(Decimal(value).normalize(), "f")


def _sorted(value: Any) -> Any:
    """Return JSON with the keys of its objects in order: the database keeps none."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
