"""Which words of a text name a record.

The answer is always the words as they stand, or the identifier: whoever asked resolves them. Two different
records for one place are no answer, unless the words around tell which is meant.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from activities.discovery.language import NAME_PREPOSITIONS, STOP_WORDS
from activities.discovery.reading import Reading, Span, apart
from runs.llm.base import Candidate, FieldSpec, ReferenceSearch
from runs.llm.builtin.cues import distance_before
from runs.llm.builtin.spans import Tier, name_spans

#: Searches allowed for one text, whatever its length.
MAX_SEARCHES = 40
_LONGEST_IDENTIFIER = 64


@dataclass(frozen=True)
class Hit:
    """Words that name at least one record."""

    span: Span
    records: tuple[Candidate, ...]
    tier: Tier

    @property
    def values(self) -> frozenset[str]:
        return frozenset(record.value for record in self.records)

    @property
    def is_exact(self) -> bool:
        return len([record for record in self.records if record.exact]) == 1


@dataclass
class Lookup:
    """A search with a budget, that asks no question twice."""

    search: ReferenceSearch
    left: int = MAX_SEARCHES
    _seen: dict[tuple[str, str], tuple[Candidate, ...]] = field(default_factory=dict)

    def __call__(self, kind: str, text: str) -> tuple[Candidate, ...]:
        key = (kind, text)
        if key not in self._seen:
            if self.left <= 0:
                return ()
            self.left -= 1
            self._seen[key] = tuple(self.search(kind, text))
        return self._seen[key]


def identifiers(reading: Reading, spec: FieldSpec) -> list[Span]:
    """Words that have the form of this reference's identifier."""
    pattern = _compiled(spec.reference_pattern)
    if pattern is None:
        return []
    return [
        word.span
        for word in reading.words
        if reading.is_free(word.span)
        and len(word.text) <= _LONGEST_IDENTIFIER
        and pattern.fullmatch(word.text)
    ]


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern.removeprefix("^").removesuffix("$"), re.IGNORECASE) if pattern else None
    except re.error:
        return None


def named_records(reading: Reading, spec: FieldSpec, lookup: Lookup, excluded: Sequence[Span]) -> list[Hit]:
    """The stretches that name records of this field's type: of the strongest kind that names any."""
    found: list[Hit] = []
    for tier, spans in name_spans(reading, spec, excluded).items():
        found += _search(reading, spec, lookup, [span for span in spans if _apart(span, found)], tier)
        if found and not spec.is_list:
            break
    return sorted((_extended(reading, spec, lookup, hit) for hit in found), key=lambda hit: hit.span)


def _search(
    reading: Reading, spec: FieldSpec, lookup: Lookup, spans: Sequence[Span], tier: Tier
) -> list[Hit]:
    hits: list[Hit] = []
    for span in spans:
        if lookup.left > 0 and _apart(span, hits):
            records = lookup(spec.reference, reading.cut(span))
            if records:
                hits.append(Hit(span, records, tier))
    return hits


def _apart(span: Span, hits: Sequence[Hit]) -> bool:
    return all(apart(span, hit.span) for hit in hits)


def _extended(reading: Reading, spec: FieldSpec, lookup: Lookup, hit: Hit) -> Hit:
    """Take following words in as long as they still name a record: "Blue" → "Blue harbor"."""
    for word in reading.words:
        if word.start < hit.span[1] or not reading.is_free(word.span):
            continue
        if word.folded in STOP_WORDS or reading.text[hit.span[1] : word.start].strip(" -'’.&"):
            break
        records = lookup(spec.reference, reading.text[hit.span[0] : word.end])
        if not records:
            break
        hit = Hit((hit.span[0], word.end), records, hit.tier)
    return hit


def only(reading: Reading, spec: FieldSpec, hits: Sequence[Hit]) -> Hit | None:
    """The one hit meant: all name one record, or one is announced, or is a full name among mere words."""
    if not hits:
        return None
    if frozenset.intersection(*(hit.values for hit in hits)):
        return min(hits, key=lambda hit: (len(hit.values), hit.span))
    announced = [hit for hit in hits if distance_before(reading, spec, hit.span[0]) == 0]
    if len(announced) == 1:
        return announced[0]
    exact = [hit for hit in hits if hit.is_exact]
    others = [hit for hit in hits if not hit.is_exact]
    single_words = all(len(reading.cut(hit.span).split()) == 1 for hit in others)
    return exact[0] if len(exact) == 1 and single_words else None


def unknown_name(reading: Reading, spec: FieldSpec, excluded: Sequence[Span]) -> Span | None:
    """Words that are said to be the record's name though none is found: "reader Foo Bar", "with Foo Bar".

    They are handed on as they stand, so that the answer can be "no such record" instead of "which one?".
    """
    marked = name_spans(reading, spec, excluded)[Tier.MARKED]
    whole = [span for span in marked if not any(_inside(span, other) for other in marked)]
    said = [span for span in whole if _is_said_to_be(reading, spec, span)]
    return said[0] if len(said) == 1 else None


def unknown_identifier(reading: Reading, spec: FieldSpec, excluded: Sequence[Span]) -> Span | None:
    """A word with digits straight after the field's own words ("file 4711")."""
    said = [
        word.span
        for word in reading.words
        if word.has_digit
        and reading.is_free(word.span)
        and all(apart(word.span, other) for other in excluded)
        and distance_before(reading, spec, word.start, titles_only=True) == 0
    ]
    return said[0] if len(said) == 1 else None


def _inside(span: Span, other: Span) -> bool:
    return span != other and other[0] <= span[0] and span[1] <= other[1]


def _is_said_to_be(reading: Reading, spec: FieldSpec, span: Span) -> bool:
    if distance_before(reading, spec, span[0]) == 0:
        return True
    before = reading.words_before(span[0], 1)
    return not spec.reference_pattern and bool(before) and before[0].folded in NAME_PREPOSITIONS
