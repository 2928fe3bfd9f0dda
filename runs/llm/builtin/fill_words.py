"""Filling e-mail addresses, choices, yes or no, and free text."""

import re
from functools import partial

from runs.llm.base import FieldSpec, FieldType
from runs.llm.builtin import texts
from runs.llm.builtin.borders import shortened
from runs.llm.builtin.choices import choices_said, flag_said, is_bare_answer
from runs.llm.builtin.cues import distance_before
from runs.llm.builtin.filling import Filling, share

_EMAIL = re.compile(r"[\w.+%'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])")


def fill_emails(filling: Filling) -> None:
    found = [(span, filling.reading.cut(span)) for _, span in filling.reading.finditer(_EMAIL)]
    share(filling, filling.open(FieldType.EMAIL), found, lambda spec, value: True, lambda spec, value: value)
    for span, _ in found:
        filling.reading.take(span)


def fill_choices(filling: Filling) -> None:
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


def fill_flags(filling: Filling) -> None:
    fields = filling.open(FieldType.BOOLEAN)
    for spec in fields:
        if said := flag_said(filling.reading, spec):
            filling.set(spec, said[0], said[1])
    left = filling.open(FieldType.BOOLEAN)
    answer = is_bare_answer(filling.reading)
    if len(left) == 1 and answer is not None:
        filling.set(left[0], answer, (0, len(filling.reading.text)))


def fill_texts(filling: Filling) -> None:
    for spec in filling.open(FieldType.TEXT):
        if spec.pattern and (span := texts.matching_pattern(filling.reading, spec)):
            filling.set(spec, filling.reading.cut(span), span)
    free = [spec for spec in filling.open(FieldType.TEXT) if not spec.pattern]
    for spec in free:
        borders = partial(shortened, filling, spec)
        if span := texts.after_cue(filling.reading, spec, filling.language, borders, alone=len(free) == 1):
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
