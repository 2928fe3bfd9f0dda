"""Amounts that were said and cannot be read: "half of it", "1e9 euros", "1.234 €" in a French sentence.

Leaving such a field empty would let its default stand for the opposite of what was said. The words are handed
on as they are: no amount can be read from them, so the person is asked.
"""

import re

from runs.llm.base import FieldSpec, FieldType
from runs.llm.builtin.filling import Filling, unread_words
from runs.llm.builtin.numbers import numbers
from runs.llm.builtin.values import wants_percent

_UNIT = r"(?:[$€£¥]|(?:eur|usd|gbp|chf|cad|euros?|dollars?|pounds?|livres?|francs?)\b)"
_SAID = re.compile(
    rf"(?<!\S)\S{{0,60}}\d\S{{0,60}}\s?{_UNIT}|[$€£¥]\s?\d\S{{0,60}}"
    rf"|\b(?:few|some|several|couple of|quelques|plusieurs)\s{_UNIT}"
    r"|\d[\d.,]{0,30}\s?(?:%|percent\b|pour ?cent\b)"
    r"|\b(?:half|moitie|third|tiers)\b"
)


def add_unread_amount(filling: Filling) -> None:
    """Give the one open amount what the request itself says of it, when nothing could be read there."""
    fields = [spec for spec in filling.open(FieldType.DECIMAL) if _is_amount(spec)]
    if len(fields) != 1:
        return
    first = filling.first_clause
    said = [span for _, span in filling.reading.finditer(_SAID)]
    said += [
        one.span for one in numbers(filling.reading, filling.language) if one.is_money and one.value is None
    ]
    for span in sorted(said):
        if first[0] <= span[0] < first[1] and filling.reading.is_free(span):
            filling.set(fields[0], unread_words(filling, span), span)
            return


def _is_amount(spec: FieldSpec) -> bool:
    return not spec.is_list and not wants_percent(spec)
