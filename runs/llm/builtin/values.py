"""Values as the answer carries them."""

from decimal import Decimal

from runs.llm.base import FieldSpec, FieldType
from runs.llm.builtin.numbers import Number


def number_fits(field: FieldSpec, number: Number) -> bool:
    """A sum of money is no count, and a percentage only where one is asked for."""
    if number.value is None:
        return False
    if number.is_percent and not wants_percent(field):
        return False
    if field.type == FieldType.INTEGER:
        return not number.is_money and number.value == number.value.to_integral_value()
    return field.type == FieldType.DECIMAL


def number_json(field: FieldSpec, value: Decimal) -> int | str:
    """An integer, or a decimal as an exact string without an exponent."""
    return int(value) if field.type == FieldType.INTEGER else format(value, "f")


def wants_percent(field: FieldSpec) -> bool:
    """True when a field's own words speak of a share."""
    text = f"{field.name} {field.label} {field.description} {' '.join(field.cues)}".casefold()
    return any(mark in text for mark in ("%", "percent", "pourcent", "rate", "taux"))
