"""The stretches of time that one expression names: "Q2 2025", "mars", "last month", "les 90 derniers jours".

A calendar unit ("this quarter", "last year", "le mois dernier") is the whole unit. What trails behind
today ("the past year", "last 90 days", "sur l'année passée", "sur un an") ends today: twelve months up to
and including today. A month or quarter without a year is the latest that has begun.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from runs.llm.builtin import calendar as cal
from runs.llm.builtin.calendar import Period
from runs.llm.builtin.dates import days
from runs.llm.builtin.reading import Reading, Span


@dataclass(frozen=True)
class Atom:
    """One stretch. `yearless` ones may take the year of their partner in a range. None: not resolvable."""

    period: Period | None
    span: Span
    yearless: bool = False
    to_date: bool = False  #: already ends today; "since" before it adds nothing


_Resolve = Callable[[re.Match[str], date], Period | None]


def atoms(reading: Reading, today: date, language: str) -> list[Atom]:
    """Every stretch named in the free text, in order; where two overlap, the more explicit one."""
    found: list[Atom] = []
    for atom in (*_from_rules(reading, today, _BEFORE_DAYS), *_from_days(reading, today, language),
                 *_from_rules(reading, today, _AFTER_DAYS)):  # fmt: skip
        if reading.is_free(atom.span) and all(_apart(atom.span, other.span) for other in found):
            found.append(atom)
    return sorted(found, key=lambda atom: atom.span)


def _apart(left: Span, right: Span) -> bool:
    return left[1] <= right[0] or right[1] <= left[0]


def _from_days(reading: Reading, today: date, language: str) -> Iterator[Atom]:
    for day in days(reading, today, language):
        yield Atom(Period(day.value, day.value) if day.value else None, day.span, not day.has_year)


def _from_rules(reading: Reading, today: date, rules: "tuple[_Rule, ...]") -> Iterator[Atom]:
    for pattern, resolve, to_date in rules:
        for match, span in reading.finditer(pattern):
            yield Atom(_resolved(resolve, match, today), span, _is_yearless(match), to_date)


def _resolved(resolve: _Resolve, match: re.Match[str], today: date) -> Period | None:
    try:
        return resolve(match, today)
    except OverflowError:
        return None


def _is_yearless(match: re.Match[str]) -> bool:
    groups = match.groupdict()
    return "year" in groups and groups["year"] is None and not groups.get("relative")


def _trailing(match: re.Match[str], today: date) -> Period | None:
    count = cal.read_count(match.groupdict().get("count") or "1")
    return cal.trailing(today, count, cal.unit_of(match["unit"])) if count else None


def _leading(match: re.Match[str], today: date) -> Period | None:
    count = cal.read_count(match["count"])
    return Period(today, cal.shift(today, count, cal.unit_of(match["unit"])) - timedelta(days=1)) if count else None


def _to_date(match: re.Match[str], today: date) -> Period:
    unit = match.groupdict().get("unit")
    return Period(cal.calendar_unit(today, cal.unit_of(unit) if unit else "year").start, today)


def _previous(match: re.Match[str], today: date) -> Period:
    unit = cal.unit_of(match["unit"])
    return cal.calendar_unit(cal.calendar_unit(today, unit).start - timedelta(days=1), unit)


def _current(match: re.Match[str], today: date) -> Period:
    return cal.calendar_unit(today, cal.unit_of(match["unit"]))


def _following(match: re.Match[str], today: date) -> Period:
    unit = cal.unit_of(match["unit"])
    return cal.calendar_unit(cal.calendar_unit(today, unit).end + timedelta(days=1), unit)


def _part(match: re.Match[str], today: date) -> Period:
    unit = "half" if match["kind"][0] in "hs" else "quarter"
    number = match["number"]
    index = int(number) if number.isdigit() else cal.ORDINALS[number]
    if unit == "half":
        index = 2 if index > 2 else index
    year = match["year"]
    if year:
        return cal.part_of_year(int(year), unit, index)
    this_year = cal.part_of_year(today.year, unit, index)
    return this_year if this_year.start <= today else cal.part_of_year(today.year - 1, unit, index)


def _month(match: re.Match[str], today: date) -> Period:
    month = cal.MONTHS[match["month"].rstrip(".")]
    relative = match["relative"] or ""
    if match["year"]:
        return cal.month_period(int(match["year"]), month)
    if relative.startswith(("next", "prochain")):
        return cal.month_period(today.year if month > today.month else today.year + 1, month)
    if "year" in relative or "an" in relative:
        return cal.month_period(today.year - 1 if "this" not in relative and "cette" not in relative else today.year, month)
    return cal.month_period(cal.latest_year(month, 1, today), month)


def _year(match: re.Match[str], today: date) -> Period:
    return cal.calendar_unit(date(int(match["year"]), 1, 1), "year")


_Rule = tuple[re.Pattern[str], _Resolve, bool]


def _rule(pattern: str, resolve: _Resolve, *, to_date: bool = False) -> _Rule:
    return re.compile(rf"(?<![\w/-]){pattern}"), resolve, to_date


_DURING = r"(?:over|during|for|within|in|across)\s"
_SUR = r"(?:sur|durant|pendant|au cours (?:de|du|des)|depuis)\s?"
_LAST_YEAR = r"(?:last year|this year|l'an dernier|l'annee derniere|l'annee passee|cette annee)"

_BEFORE_DAYS: tuple[_Rule, ...] = (
    _rule(rf"(?<!\d\s)(?P<month>{cal.MONTH})\s(?:of\s|de\s)?(?P<relative>{_LAST_YEAR})(?P<year>(?!))?", _month),
    _rule(r"(?:year[- ]to[- ]date|ytd|so far this year|this year so far)\b", _to_date, to_date=True),
    _rule(rf"(?P<unit>month|quarter|week)[- ]to[- ]date\b|(?:{_DURING})?since the (?:beginning|start) of (?:the|this)\s(?P<unit2>\w+)",
          lambda match, today: Period(cal.calendar_unit(today, cal.unit_of(match["unit"] or match["unit2"])).start, today),
          to_date=True),
    _rule(rf"depuis (?:le )?debut (?:de l'|de la |du |de cette |de ce )\s?{cal.UNIT}", _to_date, to_date=True),
    _rule(rf"(?:the\s)?(?:last|past|previous)\s(?P<count>{cal.COUNT})\s{cal.UNIT}", _trailing, to_date=True),
    _rule(rf"(?:(?:les|ces|des|aux)\s)?(?P<count>{cal.COUNT})\sderni(?:ers|eres)\s{cal.UNIT}", _trailing, to_date=True),
    _rule(rf"(?:(?:les|ces|des)\s)?derni(?:ers|eres)\s(?P<count>{cal.COUNT})\s{cal.UNIT}", _trailing, to_date=True),
    _rule(rf"(?:the\s)?next\s(?P<count>{cal.COUNT})\s{cal.UNIT}", _leading),
    _rule(rf"(?:(?:les|ces)\s)?(?P<count>{cal.COUNT})\sprochain(?:s|es)\s{cal.UNIT}", _leading),
    _rule(rf"{_SUR}(?:l'|la |le )?(?P<unit>annee|mois|semaine|trimestre)s?\s(?:passee?|ecoulee?)\b", _trailing, to_date=True),
    _rule(r"(?:l'|la |le )(?P<unit>annee|mois|semaine|trimestre)\secoulee?\b", _trailing, to_date=True),
    _rule(rf"sur\s(?P<count>{cal.COUNT})\s{cal.UNIT}", _trailing, to_date=True),
    _rule(rf"over\s(?P<count>{cal.COUNT})\s{cal.UNIT}", _trailing, to_date=True),
    _rule(rf"(?:{_DURING}the\slast|(?:{_DURING})?the\spast|{_DURING}past)\s{cal.UNIT}", _trailing, to_date=True),
    _rule(rf"depuis\s(?P<count>{cal.COUNT})\s{cal.UNIT}", _trailing, to_date=True),
    _rule(rf"(?P<number>last|dernier)\s(?P<kind>quarter|half|trimestre|semestre)\s(?:of|de|du)?\s?(?P<year>{cal.YEAR})", _part),
    _rule(rf"(?:the\s)?(?:last|previous|past)\s{cal.UNIT}", _previous),
    _rule(rf"(?:l'|la\s|le\s)?{cal.UNIT}\s(?:derniere?|passee?|precedente?)\b", _previous),
    _rule(rf"(?:the\s)?(?:this|current)\s{cal.UNIT}", _current),
    _rule(rf"(?:ce|cet|cette)\s{cal.UNIT}", _current),
    _rule(rf"(?:l'|la\s|le\s)?{cal.UNIT}\s(?:en cours|courante?|actuel(?:le)?)\b", _current),
    _rule(rf"(?:the\s)?next\s{cal.UNIT}", _following),
    _rule(rf"(?:l'|la\s|le\s)?{cal.UNIT}\sprochaine?\b", _following),
    _rule(rf"(?P<kind>[qhts])(?P<number>[1-4])(?!\w)(?:(?:\s|-|/|\sof\s|\sde\s)(?P<year>{cal.YEAR}))?", _part),
    _rule(rf"(?P<year>{cal.YEAR})[\s/-]?(?P<kind>[qhts])(?P<number>[1-4])(?!\w)", _part),
    _rule(
        rf"(?:the\s|le\s|du\s|au\s)?(?P<number>{'|'.join(sorted((o for o in cal.ORDINALS if o not in ('last', 'dernier')), key=len, reverse=True))})"
        rf"\s(?P<kind>quarter|half|trimestre|semestre)\b(?:\s(?:of\s|de\s|de l'annee\s)?(?P<year>{cal.YEAR}))?",
        _part,
    ),
)  # fmt: skip

_MONTH_PREPOSITION = (
    r"(?<=\bin\s)|(?<=\bof\s)|(?<=\bfor\s)|(?<=\bsince\s)|(?<=\bfrom\s)|(?<=\bto\s)|(?<=\buntil\s)|(?<=\band\s)"
    r"|(?<=\ben\s)|(?<=\bde\s)|(?<=\bdepuis\s)|(?<=\ba\s)|(?<=\bet\s)|(?<=\blast\s)|(?<=\bnext\s)|(?<=\bthis\s)"
    r"|(?<=\bbetween\s)|(?<=\bentre\s)|(?<=\bdebut\s)|(?<=\bpour\s)|(?<=\bsur\s)"
)
_SURE_MONTH = "(?:" + "|".join(sorted((m for m in cal.PLAIN_MONTHS if m not in {"may", "march", "mars"}), key=len, reverse=True)) + r")\b"

_AFTER_DAYS: tuple[_Rule, ...] = (
    _rule(rf"(?P<month>{cal.MONTH})\s(?:of\s|de\s)?(?P<year>{cal.YEAR})(?P<relative>(?!))?", _month),
    _rule(rf"(?P<relative>next)\s(?P<month>{cal.PLAIN_MONTH})(?P<year>(?!))?", _month),
    _rule(rf"(?P<month>{cal.PLAIN_MONTH})\s(?P<relative>dernier|passe|prochain)\b(?P<year>(?!))?", _month),
    _rule(rf"(?P<month>{_SURE_MONTH})(?P<year>(?!))?(?P<relative>(?!))?", _month),
    _rule(rf"(?:{_MONTH_PREPOSITION})(?P<month>may|march|mars)\b(?P<year>(?!))?(?P<relative>(?!))?", _month),
    _rule(rf"(?:(?:year|l'annee|annee|l'exercice|exercice|fy)\s?)?(?P<year>{cal.YEAR})(?![\w/-]|[.,]\d|\s?[$€£%])", _year),
)
