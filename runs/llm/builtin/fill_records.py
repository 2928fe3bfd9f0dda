"""Filling references: identifiers first, then names."""

from collections.abc import Sequence

from activities.discovery.reading import Reading, Span
from runs.llm.base import FieldSpec, FieldType
from runs.llm.builtin.cues import distance_before
from runs.llm.builtin.filling import Filling, share
from runs.llm.builtin.references import identifiers, named_records, only, unknown_identifier, unknown_name
from runs.llm.builtin.spans import Tier


def fill_identifiers(filling: Filling) -> None:
    fields = [spec for spec in filling.open(FieldType.REFERENCE) if spec.reference_pattern]
    for pattern in dict.fromkeys(spec.reference_pattern for spec in fields):
        alike = [spec for spec in fields if spec.reference_pattern == pattern]
        found = [(span, filling.reading.cut(span)) for span in identifiers(filling.reading, alike[0])]
        share(filling, alike, _distinct(found), lambda spec, value: True, lambda spec, value: value)
        for span, _ in found:
            filling.reading.take(span)


def _distinct(found: Sequence[tuple[Span, str]]) -> list[tuple[Span, str]]:
    first: dict[str, tuple[Span, str]] = {}
    for span, text in found:
        first.setdefault(text.casefold(), (span, text))
    return list(first.values())


def fill_references(filling: Filling) -> None:
    for spec in filling.open(FieldType.REFERENCE):
        hits = named_records(filling.reading, spec, filling.lookup, filling.calendar_spans)
        rivals = [
            other
            for other in filling.open(FieldType.REFERENCE)
            if other.reference == spec.reference and other is not spec
        ]
        if rivals:
            hits = [hit for hit in hits if _is_nearest(filling.reading, spec, rivals, hit.span)]
        several = bool(hits) and not rivals and all(hit.tier is Tier.MARKED for hit in hits)
        hit = None if spec.is_list else only(filling.reading, spec, hits)
        if hit is not None:
            filling.set(spec, filling.reading.cut(hit.span), hit.span)
        elif several or (spec.is_list and hits):
            filling.set(spec, [filling.reading.cut(hit.span) for hit in hits], *(hit.span for hit in hits))
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
