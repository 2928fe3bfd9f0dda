"""The table of expressions that name a stretch of time, and how each is resolved from today.

Patterns run over folded text. Each rule: pattern, resolver, and whether what it names already ends today
("since" before it then adds nothing).
"""

import re
from collections.abc import Callable
from datetime import date, timedelta

from runs.llm.builtin import calendar as cal
from runs.llm.builtin.calendar import Period

Resolve = Callable[[re.Match[str], date], Period | None]
Rule = tuple[re.Pattern[str], Resolve, bool]


def _rule(pattern: str, resolve: Resolve, *, to_date: bool = False) -> Rule:
    return re.compile(rf"(?<![\w/-]){pattern}"), resolve, to_date


def _trailing(match: re.Match[str], today: date) -> Period | None:
    count = cal.read_count(match.groupdict().get("count") or "1")
    return cal.trailing(today, count, cal.unit_of(match["unit"])) if count else None


def _leading(match: re.Match[str], today: date) -> Period | None:
    count = cal.read_count(match["count"])
    end = cal.shift(today, count, cal.unit_of(match["unit"])) - timedelta(days=1)
    return Period(today, end) if count else None


def _so_far(match: re.Match[str], today: date) -> Period:
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


def _part(match: re.Match[str], today: date) -> Period | None:
    unit = "half" if match["kind"][0] in "hs" else "quarter"
    parts = 2 if unit == "half" else 4
    number = match["number"]
    index = parts if number in {"last", "dernier"} else cal.ORDINALS.get(number) or int(number)
    if index > parts:
        return None
    if match["year"]:
        return cal.part_of_year(int(match["year"]), unit, index)
    this_year = cal.part_of_year(today.year, unit, index)
    return this_year if this_year.start <= today else cal.part_of_year(today.year - 1, unit, index)


def _month(match: re.Match[str], today: date) -> Period:
    number = cal.MONTHS[match["month"].rstrip(".")]
    return cal.month_period(_month_year(match["year"], match["relative"] or "", number, today), number)


def _month_year(written: str | None, relative: str, number: int, today: date) -> int:
    if written:
        return int(written)
    if relative.startswith(("next", "prochain")):
        return today.year if number > today.month else today.year + 1
    if relative in {"this year", "cette annee"}:
        return today.year
    if relative not in {"", "dernier", "passe"}:
        return today.year - 1
    return cal.latest_year(number, 1, today)


def _year(match: re.Match[str], today: date) -> Period:
    return cal.calendar_unit(date(int(match["year"]), 1, 1), "year")


_UNIT, _YEAR, _MONTH, _PLAIN_MONTH = cal.UNIT, cal.YEAR, cal.MONTH, cal.PLAIN_MONTH
_COUNT = rf"(?P<count>{cal.COUNT})\s"
_FRENCH_UNIT = r"(?P<unit>annee|mois|semaine|trimestre)s?"
_KIND = r"(?P<kind>quarter|half|trimestre|semestre)\b"
_ORDINAL = "|".join(
    sorted((word for word in cal.ORDINALS if word not in {"last", "dernier"}), key=len, reverse=True)
)
_THE = r"(?:the\s)?"
_LE = r"(?:l'|la\s|le\s)?"
_LES = r"(?:(?:les|ces|des|aux)\s)?"
_DURING = r"(?:over|during|for|within|in|across)\s"
_SUR = r"(?:sur|durant|pendant|au cours (?:de|du|des)|depuis)\s?"
_YEAR_WORDS = r"last year|this year|l'an dernier|l'annee derniere|l'annee passee|cette annee"
_RELATIVE_YEAR = rf"(?P<relative>{_YEAR_WORDS})(?P<year>(?!))?"
_NO_YEAR = r"(?P<year>(?!))?"
_NO_RELATIVE = r"(?P<relative>(?!))?"
_SURE_MONTH = "|".join(
    sorted((word for word in cal.PLAIN_MONTHS if word not in {"may", "march", "mars"}), key=len, reverse=True)
)
#: "May" and "march" are English verbs, "mars" a planet: as months alone they need one of these before them.
_PREPOSITIONS = (
    "in of for since from to until and last next this between en de depuis a et entre debut pour sur"
)
_AFTER_PREPOSITION = "(?:" + "|".join(rf"(?<=\b{word}\s)" for word in _PREPOSITIONS.split()) + ")"

#: What must be read before single days are looked for.
BEFORE_DAYS: tuple[Rule, ...] = (
    _rule(rf"(?<!\d\s)(?P<month>{_MONTH})\s(?:of\s|de\s)?{_RELATIVE_YEAR}", _month),
    _rule(r"(?:year[- ]to[- ]date|ytd|so far this year|this year so far)\b", _so_far, to_date=True),
    _rule(r"(?P<unit>month|quarter|week)[- ]to[- ]date\b", _so_far, to_date=True),
    _rule(rf"since the (?:beginning|start) of (?:the|this)\s{_UNIT}", _so_far, to_date=True),
    _rule(rf"depuis (?:le )?debut (?:de l'|de la |du |de cette |de ce ){_UNIT}", _so_far, to_date=True),
    _rule(rf"{_THE}(?:last|past|previous)\s{_COUNT}{_UNIT}", _trailing, to_date=True),
    _rule(rf"{_LES}{_COUNT}derni(?:ers|eres)\s{_UNIT}", _trailing, to_date=True),
    _rule(rf"{_LES}derni(?:ers|eres)\s{_COUNT}{_UNIT}", _trailing, to_date=True),
    _rule(rf"{_THE}next\s{_COUNT}{_UNIT}", _leading),
    _rule(rf"{_LES}{_COUNT}prochain(?:s|es)\s{_UNIT}", _leading),
    _rule(rf"{_SUR}{_LE}{_FRENCH_UNIT}\s(?:passee?|ecoulee?)\b", _trailing, to_date=True),
    _rule(rf"{_LE}{_FRENCH_UNIT}\secoulee?\b", _trailing, to_date=True),
    _rule(rf"(?:sur|over|depuis)\s{_COUNT}{_UNIT}", _trailing, to_date=True),
    _rule(rf"(?:{_DURING}the\slast|(?:{_DURING})?the\spast|{_DURING}past)\s{_UNIT}", _trailing, to_date=True),
    _rule(rf"(?P<number>last|dernier)\s{_KIND}\s(?:(?:of|de|du)\s)?(?P<year>{_YEAR})", _part),
    _rule(rf"{_THE}(?:last|previous|past)\s{_UNIT}", _previous),
    _rule(rf"{_LE}{_UNIT}\s(?:derniere?|passee?|precedente?)\b", _previous),
    _rule(rf"{_THE}(?:this|current)\s{_UNIT}", _current),
    _rule(rf"(?:ce|cet|cette)\s{_UNIT}", _current),
    _rule(rf"{_LE}{_UNIT}\s(?:en cours|courante?|actuel(?:le)?)\b", _current),
    _rule(rf"{_THE}next\s{_UNIT}", _following),
    _rule(rf"{_LE}{_UNIT}\sprochaine?\b", _following),
    _rule(rf"(?P<kind>[qhts])(?P<number>[1-4])(?!\w)(?:(?:[\s/-]|\sof\s|\sde\s)(?P<year>{_YEAR}))?", _part),
    _rule(rf"(?P<year>{_YEAR})[\s/-]?(?P<kind>[qhts])(?P<number>[1-4])(?!\w)", _part),
    _rule(
        rf"(?:(?:the|le|du|au)\s)?(?P<number>{_ORDINAL})\s{_KIND}"
        rf"(?:\s(?:of\s|de\s|de l'annee\s)?(?P<year>{_YEAR}))?",
        _part,
    ),
)

#: What is looked for where no day stands: a month or a year alone.
AFTER_DAYS: tuple[Rule, ...] = (
    _rule(rf"(?P<month>{_MONTH})\s(?:of\s|de\s)?(?P<year>{_YEAR}){_NO_RELATIVE}", _month),
    _rule(rf"(?P<relative>next)\s(?P<month>{_PLAIN_MONTH}){_NO_YEAR}", _month),
    _rule(rf"(?P<month>{_PLAIN_MONTH})\s(?P<relative>dernier|passe|prochain)\b{_NO_YEAR}", _month),
    _rule(rf"(?P<month>{_SURE_MONTH})\b{_NO_YEAR}{_NO_RELATIVE}", _month),
    _rule(rf"{_AFTER_PREPOSITION}(?P<month>may|march|mars)\b{_NO_YEAR}{_NO_RELATIVE}", _month),
    _rule(
        rf"(?:(?:year|l'annee|annee|l'exercice|exercice|fy)\s?)?(?P<year>{_YEAR})(?![\w/-]|[.,]\d|\s?[$€£%])",
        _year,
    ),
)
