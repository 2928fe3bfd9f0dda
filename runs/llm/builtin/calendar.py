"""Calendar words of English and French, and arithmetic on whole days."""

import calendar as _calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta

#: Beyond these years a number is a number, not a year.
FIRST_YEAR, LAST_YEAR = 1970, 2100

_MONTHS = (
    "january janvier jan janv", "february fevrier feb fev fevr", "march mars mar", "april avril apr avr",
    "may mai", "june juin jun", "july juillet jul juil", "august aout aug", "september septembre sept sep",
    "october octobre oct", "november novembre nov", "december decembre dec",
)  # fmt: skip
MONTHS = {word: number for number, listed in enumerate(_MONTHS, 1) for word in listed.split()}
#: Full names that are month names in running text without a day or a year beside them.
PLAIN_MONTHS = {
    word: number
    for word, number in MONTHS.items()
    if word in {name for row in _MONTHS for name in row.split()[:2]}
}
_WEEKDAYS = (
    "monday lundi", "tuesday mardi", "wednesday mercredi", "thursday jeudi", "friday vendredi",
    "saturday samedi", "sunday dimanche",
)  # fmt: skip
WEEKDAYS = {word: number for number, listed in enumerate(_WEEKDAYS) for word in listed.split()}
_COUNTS = (
    "", "one un une a an", "two deux", "three trois", "four quatre", "five cinq", "six", "seven sept",
    "eight huit", "nine neuf", "ten dix", "eleven onze", "twelve douze", "thirteen treize",
    "fourteen quatorze", "fifteen quinze",
)  # fmt: skip
_ROUND_COUNTS = {
    "eighteen": 18, "twenty": 20, "vingt": 20, "twenty-four": 24, "thirty": 30, "trente": 30, "sixty": 60,
    "soixante": 60, "ninety": 90,
}  # fmt: skip
SMALL_NUMBERS = {
    word: value for value, listed in enumerate(_COUNTS) for word in listed.split()
} | _ROUND_COUNTS
ORDINALS = {
    "first": 1, "1st": 1, "1er": 1, "1ere": 1, "premier": 1, "premiere": 1, "second": 2, "2nd": 2, "2e": 2,
    "2eme": 2, "2d": 2, "deuxieme": 2, "seconde": 2, "third": 3, "3rd": 3, "3e": 3, "3eme": 3,
    "troisieme": 3, "fourth": 4, "4th": 4, "4e": 4, "4eme": 4, "quatrieme": 4, "last": 4, "dernier": 4,
}  # fmt: skip

#: Regular expression pieces over folded text.
MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
PLAIN_MONTH = "(?:" + "|".join(sorted(PLAIN_MONTHS, key=len, reverse=True)) + r")\b"
WEEKDAY = "(?:" + "|".join(sorted(WEEKDAYS, key=len, reverse=True)) + r")\b"
YEAR = r"(?:19[7-9]\d|20\d\d|2100)(?!\d)"
COUNT = (
    r"(?:\d{1,3}|"
    + "|".join(sorted((re.escape(word) for word in SMALL_NUMBERS), key=len, reverse=True))
    + ")"
)
DAY_OF_MONTH = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th|er)?"
UNIT = r"(?P<unit>days?|jours?|weeks?|semaines?|months?|mois|quarters?|trimestres?|years?|ans?|annees?)\b"


@dataclass(frozen=True)
class Period:
    """Whole days, both ends included."""

    start: date
    end: date

    def as_json(self) -> dict[str, str]:
        return {"start": self.start.isoformat(), "end": self.end.isoformat()}


def make_date(year: int, month: int, day: int) -> date | None:
    """A date, or None where the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def read_year(text: str) -> int:
    year = int(text)
    return year + 2000 if year < 100 else year


def read_count(text: str) -> int:
    return int(text) if text.isdigit() else SMALL_NUMBERS[text]


def unit_of(word: str) -> str:
    """ "semaines" → "week"."""
    starts = {"d": "day", "j": "day", "w": "week", "s": "week", "mo": "month", "q": "quarter", "t": "quarter"}
    return starts.get(word[:2]) or starts.get(word[0]) or "year"


def add_months(day: date, months: int) -> date:
    """The same day `months` later, or that month's last. Raises OverflowError outside the calendar."""
    index = day.year * 12 + day.month - 1 + months
    if not 12 <= index < 9999 * 12:
        raise OverflowError("outside the calendar")
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, _calendar.monthrange(year, month + 1)[1]))


def shift(day: date, count: int, unit: str) -> date:
    """`count` units after `day` (before, when negative). Raises OverflowError outside the calendar."""
    if unit in {"day", "week"}:
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    return add_months(day, count * {"month": 1, "quarter": 3, "year": 12}[unit])


def calendar_unit(day: date, unit: str) -> Period:
    """The calendar day, week (Monday to Sunday), month, quarter or year around `day`."""
    if unit == "day":
        return Period(day, day)
    if unit == "week":
        monday = day - timedelta(days=day.weekday())
        return Period(monday, monday + timedelta(days=6))
    length = {"month": 1, "quarter": 3, "half": 6, "year": 12}[unit]
    first = date(day.year, (day.month - 1) // length * length + 1, 1)
    return Period(first, add_months(first, length) - timedelta(days=1))


def trailing(today: date, count: int, unit: str) -> Period:
    """The `count` days, weeks, months … up to and including `today`: twelve months are exactly a year."""
    return Period(shift(today, -count, unit) + timedelta(days=1), today)


def month_period(year: int, month: int) -> Period:
    return calendar_unit(date(year, month, 1), "month")


def part_of_year(year: int, unit: str, number: int) -> Period:
    """Quarter 1-4 or half 1-2 of a year."""
    length = 3 if unit == "quarter" else 6
    return calendar_unit(date(year, (number - 1) * length + 1, 1), unit)


def latest_year(month: int, day: int, today: date) -> int:
    """The year in which that day was last seen, today included."""
    return today.year if (month, day) <= (today.month, today.day) else today.year - 1


def nearest_year(month: int, day: int, today: date) -> int:
    """The year that puts a day without a year nearest to today."""
    options = [(year, make_date(year, month, day)) for year in (today.year - 1, today.year, today.year + 1)]
    valid = [(abs((found - today).days), year) for year, found in options if found]
    return min(valid)[1] if valid else today.year
