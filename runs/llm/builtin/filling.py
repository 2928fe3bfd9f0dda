"""One message being read for the values of typed fields: what is open, what was found, what is used up."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any

from activities.discovery.clauses import clauses
from activities.discovery.language import language_of
from activities.discovery.reading import Reading, Span
from runs.llm.base import CardSpec, FieldSpec, FieldType
from runs.llm.builtin.cues import assign
from runs.llm.builtin.dates import days
from runs.llm.builtin.periods import periods
from runs.llm.builtin.references import Lookup


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
    #: Where the value of each field stands.
    places: dict[str, list[Span]] = field(default_factory=dict)

    def open(self, *types: FieldType) -> list[FieldSpec]:
        """Fields of these types that have no value yet."""
        return [spec for spec in self.fields if spec.type in types and spec.name not in self.values]

    def set(self, spec: FieldSpec, value: Any, *spans: Span) -> None:
        """Give `spec` its value. A list for a field that is none says: one of these, and not which."""
        self.values[spec.name] = [value] if spec.is_list and not isinstance(value, list) else value
        self.places[spec.name] = list(spans)
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


def start(
    message: str,
    card: CardSpec,
    fields: Sequence[FieldSpec],
    today: date,
    language: str,
    lookup: Lookup,
    is_answer: bool = False,
) -> Filling:
    """Begin reading `message`. Its language is heard in its words; `language` where they do not tell."""
    reading = Reading.of(message)
    spoken = language_of((word.folded for word in reading.words), language)
    return Filling(reading, card, fields, today, spoken, lookup, is_answer)


def unread_words(filling: Filling, span: Span) -> str:
    """Return words in which no value can be read, as what was said of a field: they are asked about."""
    return f"{filling.reading.cut(span).strip()}…"


def share(
    filling: Filling,
    fields: Sequence[FieldSpec],
    mentions: Sequence[tuple[Span, Any]],
    fits: Callable[[FieldSpec, Any], bool],
    as_json: Callable[[FieldSpec, Any], Any],
) -> None:
    """Give `mentions` to the open `fields` they belong to, as JSON values, and use up their words."""
    by_name: Mapping[str, FieldSpec] = {spec.name: spec for spec in fields}
    for name, found in assign(filling.reading, fields, mentions, fits).items():
        spec = by_name[name]
        values = [as_json(spec, value) for _, value in found]
        spans = [span for span, _ in found]
        if not spec.is_list and all(value == values[0] for value in values):
            values = values[0]
        if values is not None and (not isinstance(values, list) or all(one is not None for one in values)):
            filling.set(spec, values, *spans)
