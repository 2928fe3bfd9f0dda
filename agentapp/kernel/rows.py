"""Writing rows on the hot path: what the ORM writes, with its statements made once instead of at each use.

A run writes the same few tables some fifty times. Building a statement costs the ORM more than sending it;
here it is built once for each model and set of columns. Values go through the fields' own conversion.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from django.db import connection, models

if TYPE_CHECKING:
    Field = models.Field[Any, Any]


def insert(rows: Sequence[models.Model]) -> None:
    """Insert new rows of one model, in one statement. Raises IntegrityError as saving them does."""
    if not rows:
        return
    model = type(rows[0])
    fields = _concrete(model)
    values = [_stored(field, field.pre_save(row, add=True)) for row in rows for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(_insert_statement(model, len(rows)), values)
    for row in rows:
        row._state.adding, row._state.db = False, connection.alias


def change(row: models.Model, values: Mapping[str, Any], *, where: Mapping[str, Any] | None = None) -> bool:
    """Set `values` (by field) in the row where all of `where` still holds. Returns False where it does not.

    The instance is left as it is.
    """
    model, conditions = type(row), where or {}
    given = [*values.items(), ("pk", row.pk), *conditions.items()]
    with connection.cursor() as cursor:
        cursor.execute(
            _change_statement(model, tuple(values), tuple(conditions)),
            [_stored(_field(model, name), value) for name, value in given],
        )
        return bool(cursor.rowcount == 1)


def _stored(field: "Field", value: Any) -> Any:
    if isinstance(value, models.Model):
        value = value.pk
    return field.get_db_prep_save(value.value if isinstance(value, Enum) else value, connection)


@cache
def _concrete(model: type[models.Model]) -> tuple["Field", ...]:
    return tuple(model._meta.concrete_fields)


@cache
def _field(model: type[models.Model], name: str) -> "Field":
    found = model._meta.pk if name == "pk" else model._meta.get_field(name)
    assert isinstance(found, models.Field)  # noqa: S101 - only columns are written here
    return found


@cache
def _insert_statement(model: type[models.Model], count: int) -> str:
    columns = [_quoted(field.column) for field in _concrete(model)]
    one = f"({', '.join(['%s'] * len(columns))})"
    table = _quoted(model._meta.db_table)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([one] * count)}"  # noqa: S608 - our own names


@cache
def _change_statement(model: type[models.Model], names: tuple[str, ...], conditions: tuple[str, ...]) -> str:
    table = _quoted(model._meta.db_table)
    assignments = ", ".join(f"{_quoted(_field(model, name).column)} = %s" for name in names)
    checks = " AND ".join(f"{_quoted(_field(model, name).column)} = %s" for name in ("pk", *conditions))
    return f"UPDATE {table} SET {assignments} WHERE {checks}"  # noqa: S608 - our own names


def _quoted(name: str | None) -> str:
    return connection.ops.quote_name(name or "")
