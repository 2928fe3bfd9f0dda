"""Where a free text ends because another field of the same message begins: "in Lyon | for 2 parcels".

A place or a title goes on until words that announce another field, or a value that another field has taken
and after which nothing of its own follows. A reason is a clause and may speak of amounts and days itself: it
ends only where another field begins a new clause, or is called by its name.
"""

from collections.abc import Iterator

from activities.discovery.language import STOP_WORDS, stem
from activities.discovery.reading import Span, Word, apart
from runs.llm.base import FieldSpec, FieldType
from runs.llm.builtin import texts
from runs.llm.builtin.cues import announcing, is_named_after
from runs.llm.builtin.filling import Filling

_NEW_CLAUSE = frozenset(["and", "et"])


def shortened(filling: Filling, field: FieldSpec, span: Span, is_reason: bool) -> Span:
    """Return the part of `span` that belongs to `field`."""
    inside = [word for word in filling.reading.words if span[0] <= word.start and word.end <= span[1]]
    for index, word in enumerate(inside[1:], start=1):
        if _begins_another(filling, field, inside[index:], is_reason):
            return span[0], _without_joiners(filling, inside[:index], word.start)
    return span


def _begins_another(filling: Filling, field: FieldSpec, rest: list[Word], is_reason: bool) -> bool:
    others = [other for other in filling.fields if other is not field]
    return any(_begins(filling, other, rest, is_reason) for other in others)


def _begins(filling: Filling, other: FieldSpec, rest: list[Word], is_reason: bool) -> bool:
    """The words of `rest` begin with `other`: with its announcement, or with its value."""
    apart_enough = not is_reason or _opens_a_clause(filling, rest[0])
    if other.type == FieldType.TEXT and not other.pattern:
        return apart_enough and _announces_text(filling, other, rest)
    taken = filling.places.get(other.name, [])
    for phrase in announcing(other, titles_only=not apart_enough):
        said = tuple(stem(word.folded) for word in rest[: len(phrase)])
        if said == phrase and _stands_at(rest[len(phrase) :], taken):
            return True
    return apart_enough and _is_value_alone(filling, other, rest, taken)


def _opens_a_clause(filling: Filling, word: Word) -> bool:
    before = filling.reading.words_before(word.start, 1)
    return bool(before) and (
        before[0].folded in _NEW_CLAUSE or bool(filling.reading.text[before[0].end : word.start].strip())
    )


def _announces_text(filling: Filling, other: FieldSpec, rest: list[Word]) -> bool:
    cues = texts.text_cues(other, filling.language)
    spans = texts.announcements(filling.reading, other, cues)
    return any(span[0] == rest[0].start and span[1] < rest[-1].end for span in spans)


def _stands_at(rest: list[Word], taken: list[Span]) -> bool:
    return bool(rest) and any(span[0] <= rest[0].start < span[1] for span in taken)


def _is_value_alone(filling: Filling, other: FieldSpec, rest: list[Word], taken: list[Span]) -> bool:
    """A value stands here; its field's own words follow it, or nothing that is not used up as well."""
    span = next((span for span in taken if span[0] <= rest[0].start < span[1]), None)
    if span is None:
        return False
    following = [word for word in rest if word.start >= span[1]]
    return is_named_after(filling.reading, other, span[1]) or all(
        _is_used(filling, word) for word in following
    )


def _is_used(filling: Filling, word: Word) -> bool:
    """A small word, a part of a value, or a word that names a field with a value."""
    spans = [span for listed in filling.places.values() for span in listed]
    names = [spec for spec in filling.fields if spec.name in filling.places]
    return (
        word.folded in STOP_WORDS
        or not all(apart(word.span, span) for span in spans)
        or any(stem(word.folded) in phrase for spec in names for phrase in announcing(spec))
    )


def _without_joiners(filling: Filling, kept: list[Word], end: int) -> int:
    """Leave the small words before the border out: "Lyon for" is Lyon."""
    for before, word in reversed(list(_pairs(kept))):
        if word.folded not in STOP_WORDS or filling.reading.text[word.end : end].strip():
            return end
        end = word.start if before else end
    return end


def _pairs(words: list[Word]) -> Iterator[tuple[Word | None, Word]]:
    yield from zip([None, *words], words, strict=False)
