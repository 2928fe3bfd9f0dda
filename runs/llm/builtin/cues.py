"""The words that announce a field in running text: its cues, its label, its name."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

from activities.discovery.language import STOP_WORDS, stem, word_set
from activities.discovery.reading import Reading, Span, apart
from agentapp.kernel.text import words
from runs.llm.base import FieldSpec

Value = TypeVar("Value")

#: How many words may stand between the announcing words and the value ("amount of about 50").
_REACH = 3
#: Words that begin a clause of their own.
_CLAUSE_BEGINNINGS = word_set("because since as due owing given car puisque parce suite")
#: What stands between two values for one place.
_JOINERS = frozenset(
    [",", "/", "and", "or", "and/or", "to", "et", "ou", "et/ou", "a", ", or", ", and", ", ou", ", et"]
)
#: How the last word of a French phrase is also written, before a vowel.
_ELIDED = {"de": r"(?:de|d(?=['’]))", "que": r"(?:que|qu(?=['’]))"}


@lru_cache(maxsize=1024)
def announcing(field: FieldSpec, *, titles_only: bool = False) -> tuple[tuple[str, ...], ...]:
    """The stemmed phrases that announce `field`, longest first: its label and name, and its cues."""
    texts = (*(() if titles_only else field.cues), field.label, field.name.replace("_", " "))
    phrases = {tuple(stem(word) for word in words(text)) for text in texts}
    return tuple(sorted((phrase for phrase in phrases if phrase), key=lambda phrase: (-len(phrase), phrase)))


def distance_before(
    reading: Reading, field: FieldSpec, place: int, *, titles_only: bool = False
) -> int | None:
    """Words between the nearest announcement of `field` and `place`; None when none is near."""
    phrases = announcing(field, titles_only=titles_only)
    longest = max((len(phrase) for phrase in phrases), default=0)
    before = [stem(word.folded) for word in reading.words_before(place, longest + _REACH)]
    best: int | None = None
    for phrase in phrases:
        for start in range(len(before) - len(phrase), -1, -1):
            if tuple(before[start : start + len(phrase)]) == phrase:
                gap = len(before) - start - len(phrase)
                best = gap if best is None else min(best, gap)
                break
    return best if best is not None and best <= _REACH else None


def is_named_after(reading: Reading, field: FieldSpec, place: int) -> bool:
    """The field's own words stand straight behind `place`: "3 parcels"."""
    return any(_stand_behind(reading, phrase, place) for phrase in announcing(field))


def _stand_behind(reading: Reading, phrase: Sequence[str], place: int) -> bool:
    for expected in phrase:
        word = reading.word_after(place)
        if word is None or stem(word.folded) != expected or reading.text[place : word.start].strip():
            return False
        place = word.end
    return True


def cue_matches(reading: Reading, cue: str) -> list[Span]:
    """Where the words of `cue` stand in the text, one after the other."""
    wanted = words(cue)
    if not wanted:
        return []
    last = _ELIDED.get(wanted[-1], re.escape(wanted[-1]))
    parts = [*(re.escape(word) for word in wanted[:-1]), last]
    pattern = re.compile(r"(?<!\w)" + r"[\W_]+".join(parts) + r"(?!\w)")
    return [span for _, span in reading.finditer(pattern)]


def assign(
    reading: Reading,
    fields: Sequence[FieldSpec],
    mentions: Sequence[tuple[Span, Value]],
    fits: Callable[[FieldSpec, Value], bool],
) -> dict[str, list[tuple[Span, Value]]]:
    """Share `mentions` among `fields`: by the words that announce them, then where only one can be meant.

    What is said beside an announced value ("20 or 30 euros") belongs to the same field. A field that is no
    list may get several values that way: they are a question, not a choice.
    """
    shared, rest = _announced(reading, fields, mentions, fits)
    rest = _with_joined(reading, fields, shared, rest, fits)
    for field in fields:
        if field.name not in shared:
            mine = [mention for mention in rest if fits(field, mention[1])]
            rivals = [other for other in fields if other.name not in shared and other is not field]
            contested = any(
                fits(rival, value) and _outranks(rival, field) for _, value in mine for rival in rivals
            )
            if mine and not contested:
                shared[field.name] = mine
                rest = [mention for mention in rest if not fits(field, mention[1])]
    return {name: sorted(found, key=lambda mention: mention[0]) for name, found in shared.items()}


def _announced(
    reading: Reading,
    fields: Sequence[FieldSpec],
    mentions: Sequence[tuple[Span, Value]],
    fits: Callable[[FieldSpec, Value], bool],
) -> tuple[dict[str, list[tuple[Span, Value]]], list[tuple[Span, Value]]]:
    shared: dict[str, list[tuple[Span, Value]]] = {}
    rest: list[tuple[Span, Value]] = []
    spans = [span for span, _ in mentions]
    named = {
        field.name for field in fields for span, _ in mentions if is_named_after(reading, field, span[1])
    }
    for mention in mentions:
        near = [
            (_distance(reading, field, mention[0], spans, field.name in named), field.name)
            for field in fields
            if fits(field, mention[1])
        ]
        ranked = sorted((gap, name) for gap, name in near if gap is not None)
        tied = len(ranked) > 1 and ranked[0][0] == ranked[1][0]
        if ranked and not tied:
            shared.setdefault(ranked[0][1], []).append(mention)
        else:
            rest.append(mention)
    return shared, rest


def _distance(
    reading: Reading, field: FieldSpec, span: Span, spans: Sequence[Span], is_named: bool
) -> int | None:
    """How near the words of `field` stand. Words that announce one value announce no other one after it."""
    if is_named and is_named_after(reading, field, span[1]):
        return 0
    gap = distance_before(reading, field, span[0])
    if not gap:
        return gap
    between = reading.words_before(span[0], gap)
    nearer = [other for other in spans if not apart(other, (between[0].start, between[-1].end))]
    return None if is_named or not all(are_joined(reading, span, other) for other in nearer) else gap


def _outranks(rival: FieldSpec, field: FieldSpec) -> bool:
    """An unannounced value goes to the one required field, or to the only field there is."""
    return rival.required or not field.required


def _with_joined(
    reading: Reading,
    fields: Sequence[FieldSpec],
    shared: dict[str, list[tuple[Span, Value]]],
    rest: Sequence[tuple[Span, Value]],
    fits: Callable[[FieldSpec, Value], bool],
) -> list[tuple[Span, Value]]:
    """Add to each field what is joined to its values by "or" or "and"; return what is left."""
    left: list[tuple[Span, Value]] = []
    for span, value in rest:
        owner = next(
            (
                field.name
                for field in fields
                if fits(field, value)
                and any(are_joined(reading, span, other) for other, _ in shared.get(field.name, ()))
            ),
            None,
        )
        if owner is None:
            left.append((span, value))
        else:
            shared[owner].append((span, value))
    return left


def are_joined(reading: Reading, span: Span, announced: Span) -> bool:
    """ "20 or 30": one is said beside the other. What stands second and counts something else is not."""
    first, second = sorted([span, announced])
    between = " ".join(reading.folded_between(first[1], second[0]).split())
    if between not in _JOINERS:
        return False
    return span == first or not _counts_something(reading, span)


def _counts_something(reading: Reading, span: Span) -> bool:
    """ "2 dogs": a bare number before a word of meaning, in the same clause."""
    following = reading.word_after(span[1])
    if following is None or following.folded in STOP_WORDS or following.folded in _CLAUSE_BEGINNINGS:
        return False
    return reading.text[span[1] - 1].isalnum() and not reading.text[span[1] : following.start].strip()
