"""Days named in a text, resolved from today.

Rules worth knowing: `12/03/2025` is day first in French; in English it is ambiguous, and no value, unless
only one reading is a date. A day without a year is the nearest one to today. "Friday", "next Friday" and
"vendredi prochain" are the first Friday after today; "last Friday" the last before it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from activities.discovery.reading import Reading, Span, apart
from runs.llm.builtin import calendar as cal


@dataclass(frozen=True)
class Day:
    """A day found in the text. `value` is None where the words are ambiguous or name no day."""

    value: date | None
    span: Span
    has_year: bool = True


#: (match, today, order of numeric dates) -> day
_Resolve = Callable[[re.Match[str], date, str], date | None]
_Rule = tuple[re.Pattern[str], _Resolve]
_NUMERIC = re.compile(
    r"(?<![\w/-])(?P<first>\d{1,2})(?P<separator>[/.-])(?P<second>\d{1,2})(?P=separator)(?P<year>\d{4}|\d{2})(?![\w/-])"
)


def days(reading: Reading, today: date, language: str) -> list[Day]:
    """All days that are named outright or relative to today, in order, the longest reading of each place."""
    found: list[Day] = []
    order = _order(reading, language)
    for match, span, resolve in _matches(reading):
        if reading.is_free(span) and all(apart(span, day.span) for day in found):
            found.append(Day(_resolved(resolve, match, today, order), span, _has_year(match)))
    return sorted(found, key=lambda day: day.span)


def _order(reading: Reading, language: str) -> str:
    """What stands first in numeric dates, "day" or "month"; "" unknown. One telling date speaks for all."""
    if language == "fr":
        return "day"
    pairs = [(int(match["first"]), int(match["second"])) for match, _ in reading.finditer(_NUMERIC)]
    day_first = any(first > 12 >= second for first, second in pairs)
    month_first = any(second > 12 >= first for first, second in pairs)
    return "" if day_first == month_first else "day" if day_first else "month"


def _matches(reading: Reading) -> Iterator[tuple[re.Match[str], Span, _Resolve]]:
    for pattern, resolve in _RULES:
        for match, span in reading.finditer(pattern):
            yield match, span, resolve


def _resolved(resolve: _Resolve, match: re.Match[str], today: date, order: str) -> date | None:
    try:
        return resolve(match, today, order)
    except OverflowError:
        return None


def _has_year(match: re.Match[str]) -> bool:
    groups = match.groupdict()
    return "year" not in groups or groups["year"] is not None


def _iso(match: re.Match[str], today: date, order: str) -> date | None:
    return cal.make_date(int(match["year"]), int(match["month"]), int(match["day"]))


def _numeric(match: re.Match[str], today: date, order: str) -> date | None:
    first, second, year = int(match["first"]), int(match["second"]), cal.read_year(match["year"])
    day_first, month_first = cal.make_date(year, second, first), cal.make_date(year, first, second)
    if order == "day" or match["separator"] == ".":
        return day_first
    if order == "month":
        return month_first
    return day_first if day_first == month_first else None


def _named(match: re.Match[str], today: date, order: str) -> date | None:
    day = int(re.sub(r"\D", "", match["day"]))
    month = cal.MONTHS[match["month"].rstrip(".")]
    year = int(match["year"]) if match["year"] else cal.nearest_year(month, day, today)
    return cal.make_date(year, month, day)


_SIMPLE = {
    "today": 0, "aujourd'hui": 0, "aujourdhui": 0, "yesterday": -1, "hier": -1, "tomorrow": 1, "demain": 1,
    "the day before yesterday": -2, "day before yesterday": -2, "avant-hier": -2, "avant hier": -2,
    "the day after tomorrow": 2, "day after tomorrow": 2, "apres-demain": 2, "apres demain": 2,
}  # fmt: skip


def _simple(match: re.Match[str], today: date, order: str) -> date | None:
    return today + timedelta(days=_SIMPLE[match.group()])


def _ahead(match: re.Match[str], today: date, order: str) -> date | None:
    return cal.shift(today, cal.read_count(match["count"]), cal.unit_of(match["unit"]))


def _ago(match: re.Match[str], today: date, order: str) -> date | None:
    return cal.shift(today, -cal.read_count(match["count"]), cal.unit_of(match["unit"]))


def _weekday_after(match: re.Match[str], today: date, order: str) -> date | None:
    distance = (cal.WEEKDAYS[match["weekday"]] - today.weekday() - 1) % 7 + 1
    return today + timedelta(days=distance)


def _weekday_before(match: re.Match[str], today: date, order: str) -> date | None:
    distance = (today.weekday() - cal.WEEKDAYS[match["weekday"]] - 1) % 7 + 1
    return today - timedelta(days=distance)


def _end_of(match: re.Match[str], today: date, order: str) -> date | None:
    return cal.calendar_unit(today, cal.unit_of(match["unit"])).end


def _rule(pattern: str, resolve: _Resolve) -> _Rule:
    return re.compile(rf"(?<![\w/-]){pattern}"), resolve


_WEEKDAY_BEFORE_DATE = rf"(?:{cal.WEEKDAY}\s+)?(?:the\s|le\s)?"
_SIMPLE_WORDS = "|".join(sorted((re.escape(word) for word in _SIMPLE), key=len, reverse=True))

#: In order of precedence: what is more explicit comes first.
_RULES: tuple[_Rule, ...] = (
    _rule(r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?![\w/-])", _iso),
    (_NUMERIC, _numeric),
    _rule(
        rf"{_WEEKDAY_BEFORE_DATE}(?P<day>{cal.DAY_OF_MONTH})\s?(?:of\s)?(?P<month>{cal.MONTH})(?:,?\s?(?P<year>{cal.YEAR}))?(?!\w)",
        _named,
    ),
    _rule(
        rf"(?P<month>{cal.MONTH})\s(?:the\s)?(?P<day>{cal.DAY_OF_MONTH})(?![\w]|[/.-]\d)(?:,?\s(?P<year>{cal.YEAR}))?(?!\w)",
        _named,
    ),
    _rule(rf"(?:{_SIMPLE_WORDS})(?!\w)", _simple),
    _rule(rf"(?:in|dans|within)\s(?P<count>{cal.COUNT})\s{cal.UNIT}", _ahead),
    _rule(rf"(?P<count>{cal.COUNT})\s{cal.UNIT}\s(?:from now|from today)\b", _ahead),
    _rule(rf"(?P<count>{cal.COUNT})\s{cal.UNIT}\sago\b", _ago),
    _rule(rf"il y a\s(?P<count>{cal.COUNT})\s{cal.UNIT}", _ago),
    _rule(rf"(?:last|past)\s(?P<weekday>{cal.WEEKDAY})", _weekday_before),
    _rule(rf"(?:le\s)?(?P<weekday>{cal.WEEKDAY})\s(?:dernier|passe)\b", _weekday_before),
    _rule(
        rf"(?:(?:next|this|on|coming|ce|le)\s)?(?P<weekday>{cal.WEEKDAY})(?:\s(?:prochain|qui vient))?(?!\w)",
        _weekday_after,
    ),
    _rule(rf"(?:the\s)?end of (?:the|this)\s{cal.UNIT}", _end_of),
    _rule(rf"(?:(?:a\s)?la\s)?fin (?:du|de la|de l'|de cette\s|de ce\s)\s?{cal.UNIT}", _end_of),
)
