"""Filling days and periods."""

from runs.llm.base import FieldType
from runs.llm.builtin import calendar as cal
from runs.llm.builtin.dates import days
from runs.llm.builtin.filling import Filling, share
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
    for one in usable:
        filling.reading.take(one.span)


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
    for day in found:
        filling.reading.take(day.span)
