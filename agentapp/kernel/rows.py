"""Writing rows on the hot path: what the ORM writes, with its statements made once instead of at each use.

A run writes the same few tables some fifty times. Building a statement costs the ORM more than sending it;
here it is built once for each model and set of columns. Values go through the fields' own conversion.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import connection, models

from agentapp.kernel.gathering import Insert, Update, send

#: The fields that give the database values of this very type as they are.
_AS_IT_IS: Mapping[type[Any], type[Any]] = {
    models.CharField: str,
    models.TextField: str,
    models.UUIDField: UUID,
    models.ForeignKey: UUID,
    models.OneToOneField: UUID,
    models.BooleanField: bool,
    models.IntegerField: int,
    models.PositiveIntegerField: int,
}

if TYPE_CHECKING:
    Field = models.Field[Any, Any]


def insert(rows: Sequence[models.Model]) -> None:
    """Insert new rows of one model. Raises IntegrityError as saving them does."""
    if not rows:
        return
    model = type(rows[0])
    fields = _concrete(model)
    values = [_stored(field, field.pre_save(row, add=True)) for row in rows for field in fields]
    keys = frozenset(row.pk for row in rows)
    send(Insert(model._meta.db_table, _columns(model), values, keys))
    for row in rows:
        row._state.adding, row._state.db = False, connection.alias


def change(
    row: models.Model,
    values: Mapping[str, Any],
    *,
    where: Mapping[str, Any] | None = None,
    lost: Exception | None = None,
    asks: str = "",
    reply: Callable[[Any], None] | None = None,
) -> None:
    """Set `values` (by field) in the row where all of `where` still holds, and in the instance.

    Raises `lost` where it does not; `reply` is given the field `asks`, as it is then. Where writes are
    gathered, both come when they are sent.
    """
    model = type(row)
    send(
        Update(
            model._meta.db_table,
            _by_column(model, values),
            _by_column(model, {"pk": row.pk, **(where or {})}),
            row.pk,
            lost,
            asks and _column(_field(model, asks)),
            reply,
        )
    )
    for name, value in values.items():
        setattr(row, name, value)


def _by_column(model: type[models.Model], values: Mapping[str, Any]) -> dict[str, Any]:
    fields = {_field(model, name): value for name, value in values.items()}
    return {_column(field): _stored(field, value) for field, value in fields.items()}


def _stored(field: "Field", value: Any) -> Any:
    if value is None or type(value) is _AS_IT_IS.get(type(field)):
        return value
    if isinstance(value, models.Model):
        value = value.pk
    return field.get_db_prep_save(value.value if isinstance(value, Enum) else value, connection)


def _column(field: "Field") -> str:
    return field.column or ""


@cache
def _concrete(model: type[models.Model]) -> tuple["Field", ...]:
    return tuple(model._meta.concrete_fields)


@cache
def _columns(model: type[models.Model]) -> tuple[str, ...]:
    return tuple(map(_column, _concrete(model)))


@cache
def _field(model: type[models.Model], name: str) -> "Field":
    found = model._meta.pk if name == "pk" else model._meta.get_field(name)
    assert isinstance(found, models.Field)  # noqa: S101 - only columns are written here
    return found
