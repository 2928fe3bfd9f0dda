"""Answer templates in Liquid, with limits: what a designer writes cannot run for long or grow large.

Every text put in is escaped for Markdown first, so that a customer called `[x](javascript:...)` is a name
and nothing else. Numbers, dates and money go through the filters, in the reader's language.
"""

import re
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache, partial
from typing import Any

from babel.dates import format_date, format_datetime
from babel.numbers import format_currency, format_decimal, format_percent
from django.utils import timezone
from liquid import Environment, StrictUndefined
from liquid.exceptions import LiquidError
from liquid.template import BoundTemplate

_SPECIAL = re.compile(r"([\\`*_{}\[\]()>#|!])")
#: What a backslash does not escape in Markdown.
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;"})
_LINE_START = re.compile(r"^(\d*)([-+.])")
_PLAIN = re.compile(r"[-+]?\d(?:[\d.,:T+-]*[\dZ])?")
_LOCALES = {"en": "en_GB", "fr": "fr_FR"}


class BadTemplate(ValueError):
    """The template cannot be parsed or filled; `str()` says why."""


class _Limited(Environment):
    loop_iteration_limit = 20_000
    output_stream_limit = 200_000
    local_namespace_limit = 200_000
    context_depth_limit = 20


@lru_cache(maxsize=2)
def _environment(language: str) -> Environment:
    environment = _Limited(undefined=StrictUndefined)
    locale = _LOCALES.get(language, _LOCALES["en"])
    for name in ("include", "render"):
        environment.tags.pop(name, None)
    environment.filters.update(
        {
            "money": partial(_money, locale),
            "number": partial(_number, locale),
            "percent": partial(_percent, locale),
            "date": partial(_date, locale),
            "days": partial(_days, locale),
        }
    )
    return environment


def _decimal(value: Any) -> Decimal:
    try:
        return Decimal(str(value))
    except InvalidOperation as error:
        raise BadTemplate(f"{value!r} is not a number.") from error


def _money(locale: str, value: Any, currency: str = "EUR") -> str:
    return format_currency(_decimal(value), str(currency), locale=locale)


def _number(locale: str, value: Any, places: int | None = None) -> str:
    number = _decimal(value)
    if places is not None:
        number = number.quantize(Decimal(1).scaleb(-int(places)))
    return format_decimal(number, locale=locale, decimal_quantization=False)


def _percent(locale: str, value: Any, places: int = 1) -> str:
    """Format a value in percent: 12.5 is "12.5%"."""
    number = (_decimal(value) / 100).quantize(Decimal(1).scaleb(-2 - int(places)))
    return format_percent(number, locale=locale, decimal_quantization=False)


def _date(locale: str, value: Any) -> str:
    text = str(value)
    try:
        if "T" in text:
            moment = timezone.localtime(datetime.fromisoformat(text))
            return _first_of(locale, format_datetime(moment, "d MMMM y, HH:mm", locale=locale))
        return _first_of(locale, format_date(date.fromisoformat(text), "d MMMM y", locale=locale))
    except ValueError as error:
        raise BadTemplate(f"{value!r} is not a date.") from error


def _first_of(locale: str, shown: str) -> str:
    """French writes the first of a month as an ordinal: "1er janvier"."""
    return shown.replace("1 ", "1er ", 1) if locale.startswith("fr") and shown.startswith("1 ") else shown


def _days(locale: str, value: Any) -> str:
    number = _decimal(value)
    french = locale.startswith("fr")
    one = abs(number) < 2 if french else abs(number) == 1
    unit = ("jour" if one else "jours") if french else ("day" if one else "days")
    return f"{_number(locale, number)} {unit}"


@lru_cache(maxsize=512)
def _parsed(source: str, language: str) -> BoundTemplate:
    try:
        return _environment(language).from_string(source)
    except LiquidError as error:
        raise BadTemplate(str(error)) from error


def check(source: str) -> None:
    """Raise BadTemplate when `source` cannot be parsed."""
    _parsed(source, "en")


def paths_read(source: str) -> list[tuple[Any, ...]]:
    """Return the places the template reads, in every branch; what it names itself is left out.

    A part is a name, a number, or something computed. Raises BadTemplate.
    """
    return [tuple(each.segments) for found in _analysed(source).globals.values() for each in found]


def unknown_filters(source: str) -> list[str]:
    """Return the filters that do not exist, in any branch. Raises BadTemplate."""
    return sorted(set(_analysed(source).filters) - set(_environment("en").filters))


@lru_cache(maxsize=512)
def _analysed(source: str) -> Any:
    try:
        return _parsed(source, "en").analyze()
    except LiquidError as error:
        raise BadTemplate(str(error)) from error


def escape_markdown(text: str) -> str:
    """Return `text` such that Markdown shows exactly these characters, on one line."""
    flat = _SPECIAL.sub(r"\\\1", " ".join(text.split())).translate(_ENTITIES)
    safe = _LINE_START.sub(r"\1\\\2", flat)
    return f"&#61;{safe[1:]}" if safe.startswith("=") else safe


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else escape_markdown(value)
    if isinstance(value, Mapping):
        return {key: _escaped(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(item) for item in value]
    return value


def render(source: str, scope: Mapping[str, Any], language: str) -> str:
    """Fill a template with `scope`, escaped. Raises BadTemplate for an unknown field or a limit reached."""
    try:
        return _parsed(source, language).render(**_escaped(scope))
    except (LiquidError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise BadTemplate(str(error)) from error


def render_plain(source: str, scope: Mapping[str, Any], language: str) -> str:
    """Fill a template that becomes a value, not a page: nothing is escaped. Raises BadTemplate."""
    try:
        return _parsed(source, language).render(**scope)
    except (LiquidError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise BadTemplate(str(error)) from error
