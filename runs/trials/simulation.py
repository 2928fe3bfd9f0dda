"""What a tool would have returned: made up by code from what is known, never by running the tool.

Each field of the result is taken, in this order, from the final argument of the same name, from a fact of
this run that has a field of that name, from the preview, from the field's own default; what is left gets a
placeholder of its type. Where each came from is kept and shown: a placeholder proves nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from annotated_types import Ge, Gt, MinLen
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from activities.tools import Preview, ToolContext, ToolResult
from activities.tools.strict import unwrap_optional
from runs.gate import Admitted

ARGUMENT, FACT, PREVIEW, DEFAULT, PLACEHOLDER = "argument", "fact", "preview", "default", "placeholder"
#: How a person reads them.
SOURCES = {
    ARGUMENT: _("the arguments"),
    FACT: _("a fact of this run"),
    PREVIEW: _("the dialog"),
    DEFAULT: _("the tool's default"),
    PLACEHOLDER: _("made up"),
}
#: A text nobody can take for a real value.
SIMULATED_TEXT = "simulated"


class CannotSimulate(ValueError):
    """No result of the declared shape could be made up."""


@dataclass(frozen=True)
class Simulated:
    """A made-up result, and for each of its fields where its value is from."""

    result: ToolResult
    sources: Mapping[str, str]


@dataclass
class _Known:
    """What values can be taken from, the best first."""

    arguments: Mapping[str, Any]
    facts: Sequence[Mapping[str, Any]]
    preview: Preview | None
    today: datetime
    sources: dict[str, str] = field(default_factory=dict)

    def named(self, name: str) -> Iterator[tuple[str, Any]]:
        if self.arguments.get(name) is not None:
            yield ARGUMENT, self.arguments[name]
        for fact in self.facts:
            if fact.get(name) is not None:
                yield FACT, fact[name]
        shown = getattr(self.preview, name, None) if name in ("recipient", "summary", "amount") else None
        if shown:
            yield PREVIEW, shown


def simulated_result(
    admitted: Admitted, facts: Sequence[Mapping[str, Any]], context: ToolContext
) -> Simulated:
    """Make up the result of an admitted call; `facts` are the run's, the newest first.

    Raises CannotSimulate.
    """
    arguments = {item.name: item.value for item in admitted.arguments}
    known = _Known(arguments, facts, admitted.preview, context.now)
    model = admitted.contract.result_model
    values = {name: _value(name, info, known) for name, info in model.model_fields.items()}
    try:
        return Simulated(model.model_validate(values), known.sources)
    except ValidationError as error:
        raise CannotSimulate(f"The result of {admitted.contract.key} cannot be made up: {error}") from error


def _value(name: str, info: FieldInfo, known: _Known) -> Any:
    adapter: TypeAdapter[Any] = TypeAdapter(info.rebuild_annotation())
    for source, candidate in known.named(name):
        try:
            value = adapter.validate_python(candidate)
        except ValidationError:
            continue
        known.sources[name] = source
        return value
    if not info.is_required():
        known.sources[name] = DEFAULT
        return info.get_default(call_default_factory=True)
    known.sources[name] = PLACEHOLDER
    return _placeholder(info.annotation, info.metadata, known.today)


def _placeholder(annotation: Any, marks: Sequence[Any], now: datetime) -> Any:
    """Return a value of the type that nobody can take for a real one, but that conditions can be met with."""
    kind, optional = unwrap_optional(annotation)
    if optional:
        return None
    origin = get_origin(kind)
    if origin is Literal:
        return get_args(kind)[0]
    if origin in (list, tuple, set, dict) or kind in (list, tuple, set, dict):
        return origin() if origin else kind()
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        fields = kind.model_fields.items()
        return {name: _nested(info, now) for name, info in fields}
    return _scalar(kind, marks, now)


def _nested(info: FieldInfo, now: datetime) -> Any:
    if not info.is_required():
        return info.get_default(call_default_factory=True)
    return _placeholder(info.annotation, info.metadata, now)


def _scalar(kind: Any, marks: Sequence[Any], now: datetime) -> Any:
    if not isinstance(kind, type):
        return SIMULATED_TEXT
    if issubclass(kind, Enum):
        return next(iter(kind))
    if kind is bool:
        return True
    if issubclass(kind, int | float | Decimal):
        return kind(_least(marks))
    whens: dict[Any, Any] = {date: now.date(), datetime: now, time: now.time(), UUID: UUID(int=0)}
    if kind in whens:
        return whens[kind]
    length = next((mark.min_length for mark in marks if isinstance(mark, MinLen)), 0)
    return SIMULATED_TEXT.ljust(length, "-")


def _least(marks: Sequence[Any]) -> Any:
    """Return one, or the least number the limits allow."""
    limits: list[Any] = [1]
    for mark in marks:
        if isinstance(mark, Ge):
            limits.append(mark.ge)
        if isinstance(mark, Gt):
            limits.append(mark.gt + 1)  # type: ignore[operator]
    return max(limits)
