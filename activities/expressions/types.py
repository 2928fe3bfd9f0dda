"""The types of what a condition can read: facts by their contracts, inputs by their kinds.

Values are JSON there: a decimal number, a date and a choice are texts, and remember what they stand for.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel

from activities.models import ActivityInput
from activities.models.activity import FieldKind
from activities.tools.strict import unwrap_optional


@dataclass(frozen=True)
class Type:
    """A type. `kind` is any, bool, int, double, text, null, list, object, timestamp, duration or other.

    `stands_for` of a text is decimal, date or choice; `values` are a choice's.
    """

    kind: str
    stands_for: str = ""
    values: tuple[str, ...] = ()
    item: "Type | None" = None
    fields: Mapping[str, "Type"] = field(default_factory=dict, hash=False)

    @property
    def is_number(self) -> bool:
        return self.kind in ("int", "double")


ANY, BOOL, INT, DOUBLE, TEXT, NULL = (Type(kind) for kind in ("any", "bool", "int", "double", "text", "null"))
TIMESTAMP, DURATION, OTHER = Type("timestamp"), Type("duration"), Type("other")
DECIMAL, DATE = Type("text", "decimal"), Type("text", "date")
_SIMPLE = {
    bool: BOOL,
    int: INT,
    float: DOUBLE,
    Decimal: DECIMAL,
    date: DATE,
    datetime: DATE,
    str: TEXT,
}


def list_of(item: Type) -> Type:
    return Type("list", item=item)


def object_of(fields: Mapping[str, Type]) -> Type:
    return Type("object", fields=dict(fields))


@lru_cache(maxsize=512)
def type_of_model(model: type[BaseModel]) -> Type:
    """Return the type of a tool's fact."""
    return object_of({name: _of_annotation(info.annotation) for name, info in model.model_fields.items()})


def _of_annotation(annotation: Any) -> Type:
    inner, _optional = unwrap_optional(annotation)
    origin = get_origin(inner)
    if origin is Annotated:
        return _of_annotation(get_args(inner)[0])
    if origin in (list, tuple):
        return list_of(_of_annotation(get_args(inner)[0]))
    if origin is Literal:
        return Type("text", "choice", tuple(str(value) for value in get_args(inner)))
    if isinstance(inner, type) and issubclass(inner, BaseModel):
        return type_of_model(inner)
    if isinstance(inner, type) and issubclass(inner, Enum):
        return Type("text", "choice", tuple(str(each.value) for each in inner))
    return _SIMPLE.get(inner, ANY)


def type_of_input(row: ActivityInput) -> Type:
    """Return the type of an input's value."""
    one = _of_kind(row)
    return list_of(one) if row.is_list else one


def _of_kind(row: ActivityInput) -> Type:
    match row.kind:
        case FieldKind.INTEGER:
            return INT
        case FieldKind.DECIMAL:
            return DECIMAL
        case FieldKind.BOOLEAN:
            return BOOL
        case FieldKind.DATE:
            return DATE
        case FieldKind.PERIOD:
            return object_of({"start": DATE, "end": DATE})
        case FieldKind.CHOICE:
            return Type("text", "choice", tuple(choice.value for choice in row.choices.all()))
        case _:
            return TEXT


def scope_of(facts: Mapping[str, Type], inputs: Iterable[ActivityInput]) -> dict[str, Type]:
    """Return the names a condition can read."""
    return {
        "facts": object_of(facts),
        "inputs": object_of({row.name: type_of_input(row) for row in inputs}),
        "attempts": INT,
    }
