"""The words that announce a field in running text: its cues, its label, its name."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

from activities.discovery.language import stem
from activities.discovery.reading import Reading, Span
from agentapp.kernel.text import words
from runs.llm.base import FieldSpec

Value = TypeVar("Value")

#: How many words may stand between the announcing words and the value ("amount of about 50").
_REACH = 3
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

    A field that is no list gets exactly one value or none: two candidates are a question, not a choice.
    """
    shared, rest = _announced(reading, fields, mentions, fits)
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
    return {name: found for name, found in shared.items() if _is_list(fields, name) or _agree(found)}


def _announced(
    reading: Reading,
    fields: Sequence[FieldSpec],
    mentions: Sequence[tuple[Span, Value]],
    fits: Callable[[FieldSpec, Value], bool],
) -> tuple[dict[str, list[tuple[Span, Value]]], list[tuple[Span, Value]]]:
    shared: dict[str, list[tuple[Span, Value]]] = {}
    rest: list[tuple[Span, Value]] = []
    named = {
        field.name for field in fields for span, _ in mentions if is_named_after(reading, field, span[1])
    }
    for mention in mentions:
        near = [
            (_distance(reading, field, mention[0], field.name in named), field.name)
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


def _distance(reading: Reading, field: FieldSpec, span: Span, is_named: bool) -> int | None:
    """How near the words of `field` stand. Where they stand behind one value, they announce no later one."""
    if is_named and is_named_after(reading, field, span[1]):
        return 0
    gap = distance_before(reading, field, span[0])
    return None if is_named and gap else gap


def _outranks(rival: FieldSpec, field: FieldSpec) -> bool:
    """An unannounced value goes to the one required field, or to the only field there is."""
    return rival.required or not field.required


def _is_list(fields: Sequence[FieldSpec], name: str) -> bool:
    return any(field.is_list for field in fields if field.name == name)


def _agree(found: Sequence[tuple[Span, Value]]) -> bool:
    return all(value == found[0][1] for _, value in found)
