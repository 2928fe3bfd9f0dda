"""Filling whole numbers and decimals."""

from collections.abc import Sequence
from decimal import Decimal

from activities.discovery.language import STOP_WORDS
from activities.discovery.reading import Reading, Span, apart
from runs.llm.base import FieldSpec, FieldType
from runs.llm.builtin.cues import distance_before, is_named_after
from runs.llm.builtin.filling import Filling, share
from runs.llm.builtin.numbers import Number, numbers
from runs.llm.builtin.texts import stands_in_a_reason
from runs.llm.builtin.values import number_fits, number_json


def fill_numbers(filling: Filling) -> None:
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
    _add_other_sums(filling, money, marked)
    _share_numbers(
        filling,
        filling.open(FieldType.INTEGER, FieldType.DECIMAL),
        [one for one in said if filling.reading.is_free(one[0])],
    )


def _add_other_sums(
    filling: Filling, fields: Sequence[FieldSpec], marked: Sequence[tuple[Span, Number]]
) -> None:
    """A second sum that is no part of a reason contradicts the first: "refund 20 euros, no, 30 euros"."""
    given = [spec for spec in fields if spec.name in filling.values and not spec.is_list]
    if len(given) != 1 or isinstance(filling.values[given[0].name], list):
        return
    spec, first, reading = given[0], filling.values[given[0].name], filling.reading
    others = [
        (span, number_json(spec, number.value))
        for span, number in marked
        if number.value is not None and reading.is_free(span) and number_fits(spec, number)
    ]
    contradicting = [
        (span, value)
        for span, value in others
        if Decimal(value) != Decimal(first) and not stands_in_a_reason(reading, span[0], filling.language)
    ]
    if contradicting:
        spans = [*filling.places[spec.name], *(span for span, _ in contradicting)]
        filling.set(spec, [first, *dict.fromkeys(value for _, value in contradicting)], *spans)


def _share_numbers(
    filling: Filling, fields: Sequence[FieldSpec], mentions: Sequence[tuple[Span, Number]]
) -> None:
    by_value = [(span, _Amount(number)) for span, number in mentions]
    share(
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
    reading, (start, end) = filling.reading, number.span
    return any(
        distance_before(reading, spec, start) is not None or is_named_after(reading, spec, end)
        for spec in fields
    )
