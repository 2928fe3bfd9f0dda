"""Filling days and periods."""

from collections.abc import Sequence

from activities.discovery.reading import Span
from runs.llm.base import FieldType
from runs.llm.builtin import calendar as cal
from runs.llm.builtin.dates import days
from runs.llm.builtin.filling import Filling, share, unread_words
from runs.llm.builtin.periods import PeriodMention, periods


def fill_ranges(filling: Filling) -> None:
    """Two dates that are asked for side by side take both ends of one period."""
    pair = [spec for spec in filling.open(FieldType.DATE) if not spec.is_list]
    if len(pair) != 2:
        return
    found = periods(filling.reading, filling.today, filling.language, cal.nearest_year)
    stretches = [one for one in found if one.period and (one.is_range or one.period.start != one.period.end)]
    if len(stretches) == 1 and stretches[0].period:
        filling.set(pair[0], stretches[0].period.start.isoformat(), stretches[0].span)
        filling.set(pair[1], stretches[0].period.end.isoformat())


def fill_periods(filling: Filling) -> None:
    fields = filling.open(FieldType.PERIOD)
    if not fields:
        return
    found = periods(filling.reading, filling.today, filling.language)
    dates_wanted = bool(filling.open(FieldType.DATE))
    usable = [one for one in found if not (dates_wanted and _is_single_day(one))]
    mentions = [(one.span, one.period) for one in usable]
    share(
        filling,
        fields,
        mentions,
        lambda spec, value: value is not None,
        lambda spec, value: value and value.as_json(),
    )
    _ask_of_unread(filling, FieldType.PERIOD, [one.span for one in usable if one.period is None])
    for one in usable:
        filling.reading.take(one.span)


def _ask_of_unread(filling: Filling, kind: FieldType, unread: Sequence[Span]) -> None:
    """Give the one open field the words in which no day can be read ("since 31/02/2025", "until March").

    Left empty, it would mean the opposite of what was said; of the words as they are, the person is asked.
    """
    fields = [spec for spec in filling.open(kind) if not spec.is_list]
    if len(fields) == 1 and unread:
        filling.set(fields[0], unread_words(filling, unread[0]), unread[0])


def _is_single_day(mention: PeriodMention) -> bool:
    return bool(mention.period and mention.period.start == mention.period.end and not mention.is_range)


def fill_dates(filling: Filling) -> None:
    found = days(filling.reading, filling.today, filling.language)
    mentions = [(day.span, day.value) for day in found]
    share(
        filling,
        filling.open(FieldType.DATE),
        mentions,
        lambda spec, value: True,
        lambda spec, value: value and value.isoformat(),
    )
    _ask_of_unread(filling, FieldType.DATE, [day.span for day in found if day.value is None])
    for day in found:
        filling.reading.take(day.span)
