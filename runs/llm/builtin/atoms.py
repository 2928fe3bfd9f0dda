"""The stretches of time that one expression names: "Q2 2025", "mars", "last month", "les 90 derniers jours".

A calendar unit ("this quarter", "last year", "le mois dernier") is the whole unit. What trails behind
today ("the past year", "last 90 days", "sur l'année passée", "sur un an") ends today: twelve months up to
and including today. A month or quarter without a year is the latest that has begun.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from activities.discovery.reading import Reading, Span, apart
from runs.llm.builtin.calendar import Period
from runs.llm.builtin.dates import days
from runs.llm.builtin.stretches import AFTER_DAYS, BEFORE_DAYS, Resolve, Rule


@dataclass(frozen=True)
class Atom:
    """One stretch. `yearless` ones may take the year of their partner in a range. None: not resolvable."""

    period: Period | None
    span: Span
    yearless: bool = False
    to_date: bool = False  #: already ends today; "since" before it adds nothing


def atoms(reading: Reading, today: date, language: str) -> list[Atom]:
    """Every stretch named in the free text, in order; where two overlap, the more explicit one."""
    found: list[Atom] = []
    for atom in _all(reading, today, language):
        if reading.is_free(atom.span) and all(apart(atom.span, other.span) for other in found):
            found.append(atom)
    return sorted(found, key=lambda atom: atom.span)


def _all(reading: Reading, today: date, language: str) -> Iterator[Atom]:
    yield from _from_rules(reading, today, BEFORE_DAYS)
    for day in days(reading, today, language):
        yield Atom(Period(day.value, day.value) if day.value else None, day.span, not day.has_year)
    yield from _from_rules(reading, today, AFTER_DAYS)


def _from_rules(reading: Reading, today: date, rules: tuple[Rule, ...]) -> Iterator[Atom]:
    for pattern, resolve, to_date in rules:
        for match, span in reading.finditer(pattern):
            yield Atom(_resolved(resolve, match, today), span, _is_yearless(match), to_date)


def _resolved(resolve: Resolve, match: re.Match[str], today: date) -> Period | None:
    try:
        return resolve(match, today)
    except OverflowError:
        return None


def _is_yearless(match: re.Match[str]) -> bool:
    """A month without a year, or a numbered part of one."""
    groups = match.groupdict()
    return "year" in groups and groups["year"] is None and not groups.get("relative")
