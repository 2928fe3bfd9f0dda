"""From a designer's rows to what a model is shown: cards, fields, functions."""

from collections.abc import Mapping, Sequence
from typing import Any

from accounts.models import Workspace
from activities.discovery.learned import learned_phrases
from activities.models import Activity, ActivityInput, CardKind, ParamBinding, ToolBinding
from activities.models.activity import FieldKind, PhraseKind
from activities.models.authority import ParamSource
from activities.models.fields import in_language
from activities.openings import may_write
from activities.tools import Effect, ToolContract, registry
from activities.tools.contract import ParamContract
from activities.tools.strict import nullable
from runs.llm.base import CardSpec, Choice, FieldSpec, StepTool


def cards_of(activities: Sequence[Activity], language: str, workspace: Workspace) -> list[CardSpec]:
    """Return the cards of activities of one workspace, with the words learned there. One query."""
    learned = learned_phrases(workspace, CardKind.ACTIVITY)
    return [card_of(activity, language, learned.get(card_key(activity), ())) for activity in activities]


def card_of(activity: Activity, language: str, learned: Sequence[str] = ()) -> CardSpec:
    """Return the activity's card. Aliases and examples of every language serve the search.

    Of the words learned since it was published, the newest come first: a model is shown the first aliases.
    """
    phrases = list(activity.phrases.all())
    return CardSpec(
        key=card_key(activity),
        name=in_language(activity.name, language),
        summary=in_language(activity.summary, language),
        aliases=(*learned, *(p.text for p in phrases if p.kind == PhraseKind.ALIAS)),
        examples=tuple(p.text for p in phrases if p.kind == PhraseKind.EXAMPLE),
        when_not_to_use=activity.when_not_to_use,
        writes=may_write(activity),
    )


def card_key(activity: Activity) -> str:
    """Return the key by which a model chooses the activity: unique over the agents of a workspace."""
    return f"{activity.revision.agent.key}.{activity.key}"


def input_spec(field: ActivityInput, language: str) -> FieldSpec:
    """Return the input as a field to fill."""
    kind = registry.reference(field.reference) if field.reference else None
    return FieldSpec(
        name=field.name,
        type=FieldKind(field.kind),
        label=in_language(field.label, language),
        description=field.description,
        required=field.required,
        is_list=field.is_list,
        choices=tuple(_choice(choice) for choice in field.choices.all()),
        minimum="" if field.minimum is None else str(field.minimum),
        maximum="" if field.maximum is None else str(field.maximum),
        max_length=field.max_length,
        pattern=field.pattern,
        reference=field.reference,
        reference_pattern=kind.pattern if kind else "",
        cues=tuple(word for group in field.cues.values() for word in group),
    )


def _choice(choice: Any) -> Choice:
    spoken = [word for group in choice.words.values() for word in group]
    return Choice(choice.value, (*choice.label.values(), *spoken))


def agent_params(contract: ToolContract, binding: ToolBinding) -> list[tuple[ParamContract, ParamBinding]]:
    """Return the parameters left to the agent, as contract and as narrowed by the designer."""
    bound = {param.name: param for param in binding.params.all()}
    return [
        (param, bound[param.name])
        for param in contract.params
        if param.name in bound and bound[param.name].source == ParamSource.AGENT
    ]


def param_schema(param: ParamContract, narrowed: ParamBinding) -> dict[str, Any]:
    """Return the strict schema of one agent-controlled parameter, inside the designer's limits."""
    schema: dict[str, Any] = dict(param.schema)
    if param.description:
        schema["description"] = param.description
    allowed: list[Any] = list(narrowed.allowed_values)
    if allowed and param.is_list:
        schema["items"] = {**schema["items"], "enum": allowed}
    elif allowed:
        schema["enum"] = allowed if param.required else [*allowed, None]
    return schema if param.required else nullable(schema)


def function_schema(contract: ToolContract, binding: ToolBinding) -> dict[str, Any]:
    """Return the parameters object a model sees: the agent's, and no others."""
    properties = {
        param.name: param_schema(param, narrowed) for param, narrowed in agent_params(contract, binding)
    }
    return closed_object(properties)


def closed_object(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return a strict object schema with these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def step_tool(contract: ToolContract, binding: ToolBinding) -> StepTool:
    """Return the tool as a step offers it."""
    card = CardSpec(
        key=contract.key,
        name=str(contract.title),
        summary=contract.summary,
        aliases=tuple(alias for group in contract.aliases.values() for alias in group),
        examples=tuple(example for group in contract.examples.values() for example in group),
        when_not_to_use=contract.when_not_to_use,
        writes=contract.effect is not Effect.NONE,
    )
    fields = tuple(_param_field(param, narrowed) for param, narrowed in agent_params(contract, binding))
    return StepTool(contract.wire_name, card, fields)


def _param_field(param: ParamContract, narrowed: ParamBinding) -> FieldSpec:
    schema = param.schema
    one = schema["items"] if param.is_list else schema
    kind = registry.reference(param.reference) if param.reference else None
    choices = narrowed.allowed_values or [value for value in one.get("enum", ()) if value is not None]
    return FieldSpec(
        name=param.name,
        type=_field_kind(param, bool(choices)),
        label=" ".join(param.name.replace("_", " ").split()),
        description=param.description,
        required=param.required,
        is_list=param.is_list,
        choices=tuple(Choice(str(value)) for value in choices),
        minimum="" if narrowed.minimum is None else str(narrowed.minimum),
        maximum="" if narrowed.maximum is None else str(narrowed.maximum),
        pattern=narrowed.pattern,
        reference=param.reference,
        reference_pattern=kind.pattern if kind else "",
    )


def _field_kind(param: ParamContract, enumerated: bool) -> FieldKind:
    if param.reference:
        return FieldKind.REFERENCE
    return FieldKind.CHOICE if enumerated else FieldKind(param.value_type)


def input_schema(spec: FieldSpec) -> dict[str, Any]:
    """Return the strict, nullable schema by which a model fills one input."""
    described = {"description": _describe(spec)}
    one = _input_type(spec)
    if spec.is_list:
        return {"type": ["array", "null"], "items": one, **described}
    return {**nullable(one), **described}


def _describe(spec: FieldSpec) -> str:
    hint = {
        FieldKind.REFERENCE: "The user's own words that name it, copied exactly; null if they name none.",
        FieldKind.PERIOD: "Absolute dates, both included; null if the user gave no period.",
        FieldKind.DECIMAL: "A plain decimal such as 1234.50; null if the user gave none.",
        FieldKind.DATE: "ISO 8601; null if the user gave none.",
    }.get(spec.type, "Only from the user's words; null if they do not say.")
    return " ".join(part for part in (f"{spec.label}." if spec.label else "", spec.description, hint) if part)


def _input_type(spec: FieldSpec) -> dict[str, Any]:
    match spec.type:
        case FieldKind.INTEGER | FieldKind.BOOLEAN:
            return {"type": spec.type.value}
        case FieldKind.CHOICE:
            return {"type": "string", "enum": [choice.value for choice in spec.choices]}
        case FieldKind.PERIOD:
            return closed_object({"start": {"type": "string"}, "end": {"type": "string"}})
    return {"type": "string"}
