"""The JSON Schemas of an activity's inputs and outputs, derived from its rows; nobody types them."""

from typing import Any

from activities.models import Activity, ActivityInput, ActivityOutput
from activities.models.activity import FieldKind, OutputSource

_TYPES: dict[str, dict[str, Any]] = {
    FieldKind.TEXT: {"type": "string"},
    FieldKind.INTEGER: {"type": "integer"},
    FieldKind.DECIMAL: {"type": "string", "format": "decimal"},
    FieldKind.BOOLEAN: {"type": "boolean"},
    FieldKind.DATE: {"type": "string", "format": "date"},
    FieldKind.CHOICE: {"type": "string"},
    FieldKind.EMAIL: {"type": "string", "format": "email"},
    FieldKind.REFERENCE: {"type": "string"},
    FieldKind.PERIOD: {
        "type": "object",
        "properties": {name: {"type": "string", "format": "date"} for name in ("start", "end")},
        "required": ["start", "end"],
        "additionalProperties": False,
    },
}
Schema = dict[str, Any]


def input_schema(activity: Activity) -> Schema:
    """Return the schema of what the activity is given."""
    fields = list(activity.inputs.all())
    return _closed({field.name: _input(field) for field in fields}, [f.name for f in fields if f.required])


def output_schema(activity: Activity) -> Schema:
    """Return the schema of what the activity gives. A fact's type is its tool's affair."""
    fields = list(activity.outputs.all())
    return _closed({field.name: _output(field) for field in fields}, [field.name for field in fields])


def _closed(properties: dict[str, Schema], required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _input(field: ActivityInput) -> Schema:
    schema = dict(_TYPES[field.kind])
    limits: Schema = {
        "enum": field.allowed or None,
        "minimum": _number(field.minimum),
        "maximum": _number(field.maximum),
        "maxLength": field.max_length,
        "pattern": field.pattern or None,
        "x-record": field.reference or None,
        "x-protected": field.protected or None,
    }
    schema |= {name: value for name, value in limits.items() if value is not None}
    about = {"description": field.description} if field.description else {}
    return {"type": "array", "items": schema, **about} if field.is_list else {**schema, **about}


def _output(field: ActivityOutput) -> Schema:
    match field.source:
        case OutputSource.FACT:
            return {"x-from": field.fact_path}
        case OutputSource.INPUT:
            return {"x-from": f"inputs.{field.input_name}"}
        case OutputSource.FIXED:
            return {"const": field.fixed_value}
        case _:
            return {"type": "string", "maxLength": field.max_length, "description": field.description}


def _number(value: Any) -> Any:
    return None if value is None else format(value.normalize(), "f")
