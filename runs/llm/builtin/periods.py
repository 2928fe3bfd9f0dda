"""Periods said in a text: stretches alone, open ones ("since March") and ranges ("from … to …").

Without a year the latest that has begun is meant, or the nearest to today where the caller says so (what
is planned lies ahead as often as behind). "Until March" alone has no start: no value.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from activities.discovery.reading import Reading, Span, apart
from runs.llm.builtin import calendar as cal
from runs.llm.builtin.atoms import Atom, atoms
from runs.llm.builtin.calendar import Period

_PART_RANGE = re.compile(
    rf"(?<![\w/-])(?:from\s|between\s|du\s|entre le\s|le\s)?(?:the\s)?(?P<first>{cal.DAY_OF_MONTH})\s?"
    rf"(?:to|until|till|through|and|au|et|et le|-|–)\s?(?:the\s)?(?P<last>{cal.DAY_OF_MONTH})\s?(?:of\s)?"
    rf"(?P<month>{cal.MONTH})(?:,?\s(?P<year>{cal.YEAR}))?(?!\w)"
    rf"|(?<![\w/-])(?:from\s)?(?P<month2>{cal.MONTH})\s(?P<first2>{cal.DAY_OF_MONTH})\s?(?:to|until|through|-|–)\s?"
    rf"(?P<last2>{cal.DAY_OF_MONTH})(?:,?\s(?P<year2>{cal.YEAR}))?(?!\w)"
)
_SINCE = re.compile(
    r"\b(?:since|depuis|starting(?: in| from| on)?|as of|a (?:partir|compter) (?:de|du))"
    r"(?:\s(?:the|le|la|l'|debut))*\s?$"
)
_UNTIL = re.compile(
    r"\b(?:until|till|up to|before|by|jusqu'(?:au|en|a)|jusque|avant)(?:\s(?:the|le|la))*\s?$"
)
_FROM = re.compile(r"\b(?:from|between|since|de|du|entre|depuis|des)(?:\s(?:the|le|la|l'))*\s?$")
_TO = re.compile(
    r"^\s?(?:to|until|till|through|thru|up to|au|a|jusqu'(?:au|en|a)|-|–|—|->|→)(?:\s(?:the|le|la|l'))*\s?$"
)
_AND = re.compile(r"^\s?(?:and|et)(?:\s(?:the|le|la|l'))*\s?$")
_BETWEEN = re.compile(r"\b(?:between|entre)(?:\s(?:the|le|la|l'))*\s?$")
_LEAD = 28

#: (month, day, today) -> the year meant when none is said: `cal.latest_year` or `cal.nearest_year`.
YearRule = Callable[[int, int, date], int]


@dataclass(frozen=True)
class PeriodMention:
    """A period said in the text; None where its words contradict each other or leave an end open."""

    period: Period | None
    span: Span
    is_range: bool = False


def periods(
    reading: Reading, today: date, language: str, year_rule: YearRule = cal.latest_year
) -> list[PeriodMention]:
    """Every period of the free text, in order."""
    found = _part_ranges(reading, today, year_rule)
    rest = [
        atom for atom in atoms(reading, today, language) if all(apart(atom.span, one.span) for one in found)
    ]
    index = 0
    while index < len(rest):
        following = rest[index + 1] if index + 1 < len(rest) else None
        if following and _is_range(reading, rest[index], following):
            found.append(_range(reading, rest[index], following, today, year_rule))
            index += 2
        else:
            found.append(_alone(reading, rest[index], today, year_rule))
            index += 1
    return sorted(found, key=lambda mention: mention.span)


def _part_ranges(reading: Reading, today: date, year_rule: YearRule) -> list[PeriodMention]:
    """ "1 to 15 March 2025", "du 1er au 15 mars": one month for both days."""
    found = []
    for match, span in reading.finditer(_PART_RANGE):
        if reading.is_free(span):
            found.append(PeriodMention(_part_range(match, today, year_rule), span, is_range=True))
    return found


def _part_range(match: re.Match[str], today: date, year_rule: YearRule) -> Period | None:
    first, last = (int(re.sub(r"\D", "", match[name] or match[f"{name}2"])) for name in ("first", "last"))
    month = cal.MONTHS[(match["month"] or match["month2"]).rstrip(".")]
    written = match["year"] or match["year2"]
    year = int(written) if written else year_rule(month, first, today)
    return _between(cal.make_date(year, month, first), cal.make_date(year, month, last))


def _between(start: date | None, end: date | None) -> Period | None:
    return Period(start, end) if start and end and start <= end else None


def _lead(reading: Reading, span: Span) -> str:
    """The folded text just before `span`."""
    return reading.folded_between(max(0, span[0] - _LEAD), span[0])


def _is_range(reading: Reading, first: Atom, second: Atom) -> bool:
    if second.span[0] - first.span[1] > _LEAD:
        return False
    gap = reading.folded_between(first.span[1], second.span[0])
    return bool(_TO.match(gap)) or bool(_AND.match(gap) and _BETWEEN.search(_lead(reading, first.span)))


def _range(reading: Reading, first: Atom, second: Atom, today: date, year_rule: YearRule) -> PeriodMention:
    span = (_start_with(reading, first.span, _FROM), second.span[1])
    if not first.period or not second.period:
        return PeriodMention(None, span, is_range=True)
    return PeriodMention(
        _joined(first.period, second.period, (first.yearless, second.yearless), today, year_rule),
        span,
        is_range=True,
    )


def _joined(
    first: Period, second: Period, yearless: tuple[bool, bool], today: date, year_rule: YearRule
) -> Period | None:
    """Both ends; a missing year is taken from the other end, or by the rule when both lack it."""
    start, end = first.start, second.end
    if all(yearless):
        start = _in_year(start, year_rule(start.month, start.day, today))
    if yearless == (True, False):
        start = _in_year(start, end.year)
        start = start if start <= end else _in_year(start, end.year - 1)
    elif yearless[1]:
        end = _in_year(end, start.year)
        end = end if end >= start else _in_year(end, start.year + 1)
    return _between(start, end)


def _in_year(day: date, year: int) -> date:
    """The same day of another year; the last of February stays the last of February."""
    if day.month == 2 and (day + timedelta(days=1)).day == 1:
        return cal.month_period(year, 2).end
    return cal.make_date(year, day.month, day.day) or cal.month_period(year, day.month).end


def _alone(reading: Reading, atom: Atom, today: date, year_rule: YearRule) -> PeriodMention:
    lead = _lead(reading, atom.span)
    if _UNTIL.search(lead):
        return PeriodMention(None, (_start_with(reading, atom.span, _UNTIL), atom.span[1]))
    if _SINCE.search(lead) and atom.period:
        span = (_start_with(reading, atom.span, _SINCE), atom.span[1])
        return PeriodMention(_between(_begun(atom, atom.period, today), today), span, is_range=True)
    period = _by_rule(atom.period, today, year_rule) if atom.period and atom.yearless else atom.period
    return PeriodMention(period, atom.span)


def _begun(atom: Atom, period: Period, today: date) -> date:
    start = period.start
    return _in_year(start, cal.latest_year(start.month, start.day, today)) if atom.yearless else start


def _by_rule(period: Period, today: date, year_rule: YearRule) -> Period:
    year = year_rule(period.start.month, period.start.day, today)
    return Period(_in_year(period.start, year), _in_year(period.end, year))


def _start_with(reading: Reading, span: Span, pattern: re.Pattern[str]) -> int:
    """Where the words before `span` that belong to it begin."""
    lead = _lead(reading, span)
    match = pattern.search(lead)
    return span[0] - (len(lead) - match.start()) if match else span[0]
