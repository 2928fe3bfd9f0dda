"""What a designer can point at: the paths of a tool's facts with their types, and sample values for them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, get_args, get_origin

from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

from activities.models import Activity, ActivityInput, ActivityOutput
from activities.models.activity import FieldKind, OutputSource
from activities.tools import ToolContract
from activities.tools.strict import unwrap_optional

_NAMES: dict[type, Any] = {
    bool: _("yes or no"),
    int: _("whole number"),
    Decimal: _("decimal number"),
    date: _("date"),
    datetime: _("date and time"),
    str: _("text"),
}
_SAMPLES: dict[type, Any] = {
    bool: True,
    int: 3,
    Decimal: "1234.50",
    date: "2025-03-31",
    datetime: "2025-03-31T14:30:00+00:00",
}
_SAMPLE_INPUTS: dict[str, Any] = {
    FieldKind.INTEGER: 3,
    FieldKind.DECIMAL: "1234.50",
    FieldKind.BOOLEAN: True,
    FieldKind.DATE: "2025-03-31",
    FieldKind.PERIOD: {"start": "2025-01-01", "end": "2025-12-31"},
    FieldKind.EMAIL: "somebody@example.com",
}


@dataclass(frozen=True)
class Place:
    """A value that can be read: its path, the name of its type, and what it means.

    `parts` are the fields of a list's items, for whoever writes a loop over it.
    """

    path: str
    type: Any
    description: str = ""
    parts: tuple[str, ...] = ()
    decimal: bool = False


def fact_places(contract: ToolContract) -> list[Place]:
    """Return every value that this tool's fact holds, in the order of its contract."""
    return list(_places(contract.result_model, f"facts.{contract.fact_key}"))


def input_places(field: ActivityInput) -> list[Place]:
    """Return how an input is read in conditions and templates."""
    path = f"inputs.{field.name}"
    if field.kind == FieldKind.PERIOD:
        return [Place(f"{path}.{part}", _("date"), field.description) for part in ("start", "end")]
    return [Place(path, field.get_kind_display(), field.description, decimal=field.kind == FieldKind.DECIMAL)]


def sample_fact(contract: ToolContract) -> dict[str, Any]:
    """Return invented values for every field of this tool's fact."""
    return _sample_of(contract.result_model)


def sample_scope(activity: Activity, contracts: list[ToolContract]) -> dict[str, Any]:
    """Return invented facts, inputs and outputs of `activity`, for a preview."""
    scope = {
        "facts": {contract.fact_key: sample_fact(contract) for contract in contracts},
        "inputs": {field.name: _sample_input(field) for field in activity.inputs.all()},
    }
    output = {field.name: _sample_output(field, scope) for field in activity.outputs.all()}
    return {**scope, "output": output}


def read_sample(path: str, scope: Any) -> Any:
    """Return the value at `path` of a scope, None where there is none."""
    for part in path.split("."):
        if not isinstance(scope, dict) or part not in scope:
            return None
        scope = scope[part]
    return scope


def _places(model: type[BaseModel], prefix: str) -> Iterator[Place]:
    for name, info in model.model_fields.items():
        kind, is_list = _kind(info.annotation)
        path, about = f"{prefix}.{name}", info.description or ""
        nested = isinstance(kind, type) and issubclass(kind, BaseModel)
        if nested and not is_list:
            yield from _places(kind, path)
        elif is_list:
            yield Place(path, _("list"), about, tuple(kind.model_fields) if nested else ())
        else:
            yield Place(path, _name(kind), about, decimal=kind is Decimal)


def _kind(annotation: Any) -> tuple[Any, bool]:
    """Return the type of a value, or of a list's items, and whether it is a list."""
    inner, _optional = unwrap_optional(annotation)
    if get_origin(inner) is Annotated:
        return _kind(get_args(inner)[0])
    if get_origin(inner) in (list, tuple):
        return _kind(get_args(inner)[0])[0], True
    return inner, False


def _name(kind: Any) -> Any:
    if get_origin(kind) is Literal:
        return " | ".join(map(str, get_args(kind)))
    return _NAMES.get(kind, _NAMES[str])


def _sample_of(model: type[BaseModel]) -> dict[str, Any]:
    return {name: _sample(name, info.annotation) for name, info in model.model_fields.items()}


def _sample(name: str, annotation: Any) -> Any:
    kind, is_list = _kind(annotation)
    if is_list:
        return [_sample(name, kind), _sample(name, kind)]
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return _sample_of(kind)
    if get_origin(kind) is Literal:
        return get_args(kind)[0]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind)).value
    if kind in _SAMPLES:
        return _SAMPLES[kind]
    return "EUR" if "currency" in name else name.replace("_", " ").capitalize()


def _sample_input(field: ActivityInput) -> Any:
    choices = field.allowed
    value = (
        choices[0] if choices else _SAMPLE_INPUTS.get(field.kind, field.name.replace("_", " ").capitalize())
    )
    return [value, value] if field.is_list else value


def _sample_output(field: ActivityOutput, scope: dict[str, Any]) -> Any:
    match field.source:
        case OutputSource.FACT:
            return read_sample(field.fact_path, scope)
        case OutputSource.INPUT:
            return read_sample(f"inputs.{field.input_name}", scope)
        case OutputSource.FIXED:
            return field.fixed_value
        case _:
            return "…"
