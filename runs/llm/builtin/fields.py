"""Filling typed fields from the words of a message, and from nothing else.

The order matters: what has the most telling form goes first and uses up its words, free text takes what is
left. A value that is missing, contradictory or ambiguous stays None.
"""

from collections.abc import Callable
from typing import Any

from runs.llm.builtin.fill_numbers import fill_numbers
from runs.llm.builtin.fill_records import fill_identifiers, fill_references
from runs.llm.builtin.fill_times import fill_dates, fill_periods, fill_ranges
from runs.llm.builtin.fill_words import fill_choices, fill_emails, fill_flags, fill_texts
from runs.llm.builtin.filling import Filling

_STEPS: tuple[Callable[[Filling], None], ...] = (
    fill_emails,
    fill_identifiers,
    fill_ranges,
    fill_periods,
    fill_dates,
    fill_references,
    fill_choices,
    fill_numbers,
    fill_flags,
    fill_texts,
)


def fill(filling: Filling) -> dict[str, Any]:
    """Return a value or None for every field."""
    for step in _STEPS:
        step(filling)
    return {spec.name: filling.values.get(spec.name) for spec in filling.fields}
