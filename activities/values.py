"""Typed values: what a person or a model wrote, read strictly into the one stored form of its type.

Stored forms are JSON: text and e-mail str; integer int; decimal a plain string; boolean bool; date ISO;
period `{"start": iso, "end": iso}`, both included; choice its value; reference the record's key.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Protocol

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from activities import patterns
from activities.models.activity import FieldKind
from agentapp.kernel.text import clean_text, fold

MAX_TEXT = 2_000
_TRUE = {"true", "yes", "oui", "vrai", "1", "on", "y", "o"}
_FALSE = {"false", "no", "non", "faux", "0", "off", "n"}
_GROUPED = re.compile(r"^[-+]?\d{1,3}(?:[,.\s']\d{3})+(?:[.,]\d+)?$")
_NUMBER = re.compile(r"^[-+]?\d{1,30}(?:[.,]\d{1,10})?$")


class ValueInvalid(ValueError):
    """The value does not fit its type or limits; `str()` is a sentence for the person."""


class TypedField(Protocol):
    """What is needed of a field to read its value. Model rows and plain objects both have it."""

    name: str
    kind: str
    is_list: bool
    minimum: Decimal | None
    maximum: Decimal | None
    max_length: int | None
    pattern: str

    @property
    def allowed(self) -> Sequence[str]: ...


def read_value(field: TypedField, raw: Any) -> Any:
    """Return `raw` in the stored form of `field`. Raises ValueInvalid."""
    if not field.is_list:
        return _read_one(field, raw)
    items = (
        raw
        if isinstance(raw, list | tuple)
        else [part for part in re.split(r"[;\n]", str(raw)) if part.strip()]
    )
    if len(items) > 200:
        raise ValueInvalid(_("At most 200 values can be given."))
    return [_read_one(field, item) for item in items]


def _read_one(field: TypedField, raw: Any) -> Any:
    match field.kind:
        case FieldKind.INTEGER:
            return _read_integer(field, raw)
        case FieldKind.DECIMAL:
            return format(_limited(field, _decimal(raw)), "f")
        case FieldKind.BOOLEAN:
            return _read_boolean(raw)
        case FieldKind.DATE:
            return _date(raw).isoformat()
        case FieldKind.PERIOD:
            return _read_period(raw)
        case FieldKind.CHOICE:
            return _read_choice(field, raw)
        case FieldKind.EMAIL:
            return _read_email(raw)
        case _:
            return _read_text(field, raw)


def _read_text(field: TypedField, raw: Any) -> str:
    if isinstance(raw, bool | dict | list):
        raise ValueInvalid(_("A text is expected."))
    text = clean_text(str(raw)).strip()
    limit = field.max_length or MAX_TEXT
    if not text:
        raise ValueInvalid(_("A text is expected."))
    if len(text) > limit:
        raise ValueInvalid(_("At most %(limit)d characters are allowed.") % {"limit": limit})
    if field.pattern and not patterns.fits(field.pattern, text):
        raise ValueInvalid(_("This does not have the expected form."))
    return text


def _read_integer(field: TypedField, raw: Any) -> int:
    number = _limited(field, _decimal(raw))
    if number != number.to_integral_value():
        raise ValueInvalid(_("A whole number is expected."))
    return int(number)


def _decimal(raw: Any) -> Decimal:
    """Read a number exactly, in either notation."""
    if isinstance(raw, bool):
        raise ValueInvalid(_("A number is expected."))
    if isinstance(raw, int | Decimal):
        return Decimal(raw)
    text = re.sub(r"[\s\u00a0\u202f€$£]", "", str(raw)) if isinstance(raw, str | float) else ""
    if len(text) > 40:
        raise ValueInvalid(_("This number is too long."))
    if _GROUPED.match(text):
        last = max(text.rfind(","), text.rfind("."))
        whole, fraction = text[:last], text[last + 1 :]
        digits = re.sub(r"[,.']", "", whole)
        single = len(re.findall(r"[,.]", text)) == 1
        text = digits + fraction if single and len(fraction) == 3 and "," in text else f"{digits}.{fraction}"
    elif not _NUMBER.match(text):
        raise ValueInvalid(_("A number is expected."))
    try:
        return Decimal(text.replace(",", "."))
    except InvalidOperation as error:
        raise ValueInvalid(_("A number is expected.")) from error


def _limited(field: TypedField, number: Decimal) -> Decimal:
    if not number.is_finite():
        raise ValueInvalid(_("A number is expected."))
    if field.minimum is not None and number < field.minimum:
        raise ValueInvalid(
            _("At least %(limit)s is expected.") % {"limit": format(field.minimum.normalize(), "f")}
        )
    if field.maximum is not None and number > field.maximum:
        raise ValueInvalid(
            _("At most %(limit)s is allowed.") % {"limit": format(field.maximum.normalize(), "f")}
        )
    return number


def _read_boolean(raw: Any) -> bool:
    if isinstance(raw, bool):
        return raw
    word = fold(str(raw)).strip()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueInvalid(_("Yes or no is expected."))


def _date(raw: Any) -> date:
    if isinstance(raw, date):
        return raw
    try:
        return date.fromisoformat(str(raw).strip()[:10])
    except ValueError as error:
        raise ValueInvalid(_("A date is expected, such as 2025-03-31.")) from error


def _read_period(raw: Any) -> dict[str, str]:
    if not isinstance(raw, Mapping) or not {"start", "end"} <= set(raw):
        raise ValueInvalid(_("A period with a start and an end is expected."))
    start, end = _date(raw["start"]), _date(raw["end"])
    if end < start:
        raise ValueInvalid(_("The period ends before it starts."))
    return {"start": start.isoformat(), "end": end.isoformat()}


def _read_choice(field: TypedField, raw: Any) -> str:
    wanted = str(raw).strip()
    if wanted in field.allowed:
        return wanted
    raise ValueInvalid(_("This is not one of the choices."))


def _read_email(raw: Any) -> str:
    text = clean_text(str(raw)).strip()
    try:
        validate_email(text)
    except ValidationError as error:
        raise ValueInvalid(_("An e-mail address is expected.")) from error
    return text
