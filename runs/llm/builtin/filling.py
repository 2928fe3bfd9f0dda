"""Filling typed fields from the words of a message, and from nothing else.

The order matters: what has the most telling form goes first and uses up its words, free text takes what is
left. A value that is missing, contradictory or ambiguous stays None.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any

from runs.llm.base import CardSpec, FieldSpec, FieldType
from runs.llm.builtin import calendar as cal
from runs.llm.builtin import texts
from runs.llm.builtin.choices import choices_said, flag_said, is_bare_answer
from runs.llm.builtin.clauses import clauses
from runs.llm.builtin.cues import assign, distance_before
from runs.llm.builtin.dates import days
from runs.llm.builtin.language import STOP_WORDS, language_of
from runs.llm.builtin.numbers import Number, numbers
from runs.llm.builtin.periods import PeriodMention, periods
from runs.llm.builtin.reading import Reading, Span, apart
from runs.llm.builtin.references import (
    Lookup,
    identifiers,
    named_records,
    only,
    unknown_identifier,
    unknown_name,
)
from runs.llm.builtin.values import number_fits, number_json

_EMAIL = re.compile(r"[\w.+%'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])")


@dataclass
class Filling:
    """One message, the fields it may fill, and the values found so far."""

    reading: Reading
    card: CardSpec
    fields: Sequence[FieldSpec]
    today: date
    language: str
    lookup: Lookup
    #: The message answers a question for one of these fields; it need not repeat the request.
    is_answer: bool = False
    values: dict[str, Any] = field(default_factory=dict)

    def open(self, *types: FieldType) -> list[FieldSpec]:
        """Fields of these types that have no value yet."""
        return [spec for spec in self.fields if spec.type in types and spec.name not in self.values]

    def set(self, spec: FieldSpec, value: Any, *spans: Span) -> None:
        self.values[spec.name] = [value] if spec.is_list and not isinstance(value, list) else value
        for span in spans:
            self.reading.take(span)

    @cached_property
    def first_clause(self) -> Span:
        """Where the request itself is expected."""
        return next(iter(clauses(self.reading)), (0, 0))

    @cached_property
    def calendar_spans(self) -> list[Span]:
        """Where the text speaks of time: no name and no amount stands there."""
        said = [day.span for day in days(self.reading, self.today, self.language)]
        return said + [mention.span for mention in periods(self.reading, self.today, self.language)]


def fill(filling: Filling) -> dict[str, Any]:
    """Return a value or None for every field."""
    for step in _STEPS:
        step(filling)
    return {spec.name: filling.values.get(spec.name) for spec in filling.fields}


def start(
    message: str,
    card: CardSpec,
    fields: Sequence[FieldSpec],
    today: date,
    language: str,
    lookup: Lookup,
    is_answer: bool = False,
) -> Filling:
    reading = Reading.of(message)
    spoken = language_of((word.folded for word in reading.words), language)
    return Filling(reading, card, fields, today, spoken, lookup, is_answer)


def _emails(filling: Filling) -> None:
    found = [(span, filling.reading.cut(span)) for _, span in filling.reading.finditer(_EMAIL)]
    _share(filling, filling.open(FieldType.EMAIL), found, lambda spec, value: True, lambda spec, value: value)
    for span, _ in found:
        filling.reading.take(span)


def _identifiers(filling: Filling) -> None:
    fields = [spec for spec in filling.open(FieldType.REFERENCE) if spec.reference_pattern]
    for pattern in dict.fromkeys(spec.reference_pattern for spec in fields):
        alike = [spec for spec in fields if spec.reference_pattern == pattern]
        found = [(span, filling.reading.cut(span)) for span in identifiers(filling.reading, alike[0])]
        _share(filling, alike, _distinct(found), lambda spec, value: True, lambda spec, value: value)
        for span, _ in found:
            filling.reading.take(span)


def _distinct(found: Sequence[tuple[Span, str]]) -> list[tuple[Span, str]]:
    first: dict[str, tuple[Span, str]] = {}
    for span, text in found:
        first.setdefault(text.casefold(), (span, text))
    return list(first.values())


def _ranges(filling: Filling) -> None:
    """Two dates that are asked for side by side take both ends of one period."""
    pair = [spec for spec in filling.open(FieldType.DATE) if not spec.is_list]
    if len(pair) != 2:
        return
    found = periods(filling.reading, filling.today, filling.language, cal.nearest_year)
    stretches = [one for one in found if one.period and (one.is_range or one.period.start != one.period.end)]
    if len(stretches) == 1 and stretches[0].period:
        filling.set(pair[0], stretches[0].period.start.isoformat(), stretches[0].span)
        filling.set(pair[1], stretches[0].period.end.isoformat())


def _periods(filling: Filling) -> None:
    fields = filling.open(FieldType.PERIOD)
    if not fields:
        return
    found = periods(filling.reading, filling.today, filling.language)
    dates_wanted = bool(filling.open(FieldType.DATE))
    usable = [one for one in found if not (dates_wanted and _is_single_day(one))]
    mentions = [(one.span, one.period) for one in usable]
    _share(
        filling,
        fields,
        mentions,
        lambda spec, value: value is not None,
        lambda spec, value: value and value.as_json(),
    )
    for one in usable:
        filling.reading.take(one.span)


def _is_single_day(mention: PeriodMention) -> bool:
    return bool(mention.period and mention.period.start == mention.period.end and not mention.is_range)


def _dates(filling: Filling) -> None:
    found = days(filling.reading, filling.today, filling.language)
    mentions = [(day.span, day.value) for day in found]
    _share(
        filling,
        filling.open(FieldType.DATE),
        mentions,
        lambda spec, value: True,
        lambda spec, value: value and value.isoformat(),
    )
    for day in found:
        filling.reading.take(day.span)


def _references(filling: Filling) -> None:
    for spec in filling.open(FieldType.REFERENCE):
        hits = named_records(filling.reading, spec, filling.lookup, filling.calendar_spans)
        rivals = [
            other
            for other in filling.open(FieldType.REFERENCE)
            if other.reference == spec.reference and other is not spec
        ]
        if rivals:
            hits = [hit for hit in hits if _is_nearest(filling.reading, spec, rivals, hit.span)]
        if spec.is_list and hits:
            filling.set(spec, [filling.reading.cut(hit.span) for hit in hits], *(hit.span for hit in hits))
        elif hit := only(filling.reading, spec, hits):
            filling.set(spec, filling.reading.cut(hit.span), hit.span)
        elif not hits and not rivals:
            _unknown_reference(filling, spec)


def _is_nearest(reading: Reading, spec: FieldSpec, rivals: Sequence[FieldSpec], span: Span) -> bool:
    """Of several fields for one type of record, the one whose words stand nearest before the name."""
    mine = distance_before(reading, spec, span[0])
    others = [distance_before(reading, rival, span[0]) for rival in rivals]
    return mine is not None and all(other is None or mine < other for other in others)


def _unknown_reference(filling: Filling, spec: FieldSpec) -> None:
    if spec.required and not spec.is_list:
        span = unknown_identifier(filling.reading, spec, filling.calendar_spans) or unknown_name(
            filling.reading, spec, filling.calendar_spans
        )
        if span:
            filling.set(spec, filling.reading.cut(span), span)


def _choices(filling: Filling) -> None:
    for spec in filling.open(FieldType.CHOICE):
        said = choices_said(filling.reading, spec)
        announced = [one for one in said if distance_before(filling.reading, spec, one.span[0]) is not None]
        values = list(dict.fromkeys(one.value for one in said))
        if spec.is_list and values:
            filling.set(spec, values, *(one.span for one in said))
        elif len(values) == 1:
            filling.set(spec, values[0], said[0].span)
        elif len({one.value for one in announced}) == 1:
            filling.set(spec, announced[0].value, announced[0].span)


def _numbers(filling: Filling) -> None:
    fields = filling.open(FieldType.INTEGER, FieldType.DECIMAL)
    if not fields:
        return
    said = [
        (one.span, one)
        for one in numbers(filling.reading, filling.language)
        if _may_be_amount(filling, fields, one)
    ]
    marked = [mention for mention in said if mention[1].is_money]
    money = [spec for spec in fields if spec.type == FieldType.DECIMAL]
    _share_numbers(filling, money, marked)
    _share_numbers(
        filling,
        filling.open(FieldType.INTEGER, FieldType.DECIMAL),
        [one for one in said if filling.reading.is_free(one[0])],
    )


def _share_numbers(
    filling: Filling, fields: Sequence[FieldSpec], mentions: Sequence[tuple[Span, Number]]
) -> None:
    by_value = [(span, _Amount(number)) for span, number in mentions]
    _share(
        filling,
        fields,
        by_value,
        lambda spec, one: number_fits(spec, one.number),
        lambda spec, one: number_json(spec, one.value),
    )


class _Amount:
    """A number compared by its value alone: "50" and "50 €" agree."""

    def __init__(self, number: Number) -> None:
        self.number = number
        self.value: Decimal = number.value if number.value is not None else Decimal("NaN")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Amount) and self.value == other.value

    __hash__ = None  # type: ignore[assignment]


def _may_be_amount(filling: Filling, fields: Sequence[FieldSpec], number: Number) -> bool:
    """A number counts in the request itself, as money, or announced; not in the middle of a story told."""
    if not all(apart(number.span, other) for other in filling.calendar_spans):
        return _is_announced(filling, fields, number)
    if number.is_money:
        return True
    if all(spec.type == FieldType.DECIMAL for spec in fields) and _counts_things(filling.reading, number):
        return False
    if filling.is_answer or _is_announced(filling, fields, number):
        return True
    first = filling.first_clause
    return first[0] <= number.span[0] < first[1]


def _counts_things(reading: Reading, number: Number) -> bool:
    """ "2 broken items": a count of what follows, no amount."""
    following = reading.word_after(number.span[1])
    if following is None or following.folded in STOP_WORDS or following.has_digit:
        return False
    return not reading.text[number.span[1] : following.start].strip()


def _is_announced(filling: Filling, fields: Sequence[FieldSpec], number: Number) -> bool:
    return any(distance_before(filling.reading, spec, number.span[0]) is not None for spec in fields)


def _flags(filling: Filling) -> None:
    fields = filling.open(FieldType.BOOLEAN)
    for spec in fields:
        if said := flag_said(filling.reading, spec):
            filling.set(spec, said[0], said[1])
    left = filling.open(FieldType.BOOLEAN)
    answer = is_bare_answer(filling.reading)
    if len(left) == 1 and answer is not None:
        filling.set(left[0], answer, (0, len(filling.reading.text)))


def _texts(filling: Filling) -> None:
    for spec in filling.open(FieldType.TEXT):
        if spec.pattern and (span := texts.matching_pattern(filling.reading, spec)):
            filling.set(spec, filling.reading.cut(span), span)
    free = [spec for spec in filling.open(FieldType.TEXT) if not spec.pattern]
    for spec in free:
        if span := texts.after_cue(filling.reading, spec, filling.language, alone=len(free) == 1):
            filling.set(spec, filling.reading.cut(span), span)
    free = [spec for spec in free if spec.name not in filling.values]
    if len(free) == 1:
        span = texts.only_quotation(filling.reading) or texts.left_over(
            filling.reading, filling.card, is_answer=filling.is_answer and not _others_open(filling, free[0])
        )
        if span:
            filling.set(free[0], filling.reading.cut(span), span)


def _others_open(filling: Filling, spec: FieldSpec) -> bool:
    return any(
        other.required and other is not spec and other.name not in filling.values for other in filling.fields
    )


def _share(
    filling: Filling,
    fields: Sequence[FieldSpec],
    mentions: Sequence[tuple[Span, Any]],
    fits: Callable[[FieldSpec, Any], bool],
    as_json: Callable[[FieldSpec, Any], Any],
) -> None:
    by_name: Mapping[str, FieldSpec] = {spec.name: spec for spec in fields}
    for name, found in assign(filling.reading, fields, mentions, fits).items():
        spec = by_name[name]
        values = [as_json(spec, value) for _, value in found]
        spans = [span for span, _ in found]
        if spec.is_list and all(value is not None for value in values):
            filling.set(spec, values, *spans)
        elif values[0] is not None:
            filling.set(spec, values[0], *spans)


_STEPS: tuple[Callable[[Filling], None], ...] = (
    _emails, _identifiers, _ranges, _periods, _dates, _references, _choices, _numbers, _flags, _texts,
)  # fmt: skip
