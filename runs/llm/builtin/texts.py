"""Free text: what is quoted, what follows a cue, or the clause that nothing else has used.

Whatever is taken is taken as the person wrote it, trimmed of punctuation at its ends.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from activities import patterns
from activities.discovery.clauses import clauses, trim
from activities.discovery.language import STOP_WORDS, content_stems, stem
from activities.discovery.masking import mask
from activities.discovery.reading import Reading, Span
from agentapp.kernel.text import words
from runs.llm.base import CardSpec, FieldSpec
from runs.llm.builtin.cues import cue_matches, distance_before
from runs.llm.builtin.smalltalk import is_pleasantry

#: Words that announce a reason in any text. They count when one free text is wanted and no other.
_REASONS = {
    "en": (
        "because", "because of", "due to", "on the grounds that", "owing to", "the reason is", "reason",
        "given that",
    ),
    "fr": (
        "parce que", "parce qu", "car", "puisque", "puisqu", "à cause de", "à cause du", "en raison de",
        "en raison du", "au motif que", "motif", "raison", "suite à", "du fait de", "étant donné que",
    ),
}  # fmt: skip
_REASON_WORDS = frozenset(" ".join(words(text)) for listed in _REASONS.values() for text in listed) | {
    "since", "as", "puisque", "comme",
}  # fmt: skip
#: Shortens what follows a cue to what belongs to it. The flag: it is a reason.
Borders = Callable[[Span, bool], Span]
#: A French conjunction that is an English noun.
_ONLY_FRENCH_CUE = "car"
_SENTENCE = re.compile(r"[.!?…](?=\s|$)|\n")
_LINK = re.compile(r"^\s*(?:[:=]|is\b|est\b|that\b|que\b|of\b)\s*", re.IGNORECASE)
#: A clause that begins with one of these tells what somebody else did; nobody asks for anything so.
_OTHERS = frozenset({"they", "he", "she", "ils", "elles", "elle"})
_COMMAND_SHARE = 0.5
_PATTERN_REACH = 64


def matching_pattern(reading: Reading, field: FieldSpec) -> Span | None:
    """The one stretch of up to three words that has the field's form, or the announced one among several."""
    compiled = _compiled(field.pattern)
    if compiled is None:
        return None
    free = reading.free_words()
    spans = [
        (free[start].start, free[end].end)
        for start in range(len(free))
        for end in range(start, min(start + 3, len(free)))
        if free[end].end - free[start].start <= _PATTERN_REACH
        and reading.is_free((free[start].start, free[end].end))
    ]
    found = [span for span in spans if compiled.fullmatch(reading.cut(span))]
    announced = [span for span in found if distance_before(reading, field, span[0]) is not None]
    chosen = announced if announced else found
    return chosen[0] if len(chosen) == 1 else None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """Return a designer's pattern; None for one that cannot be read, or could run for long."""
    if patterns.problem(pattern):
        return None
    try:
        return re.compile(pattern.removeprefix("^").removesuffix("$"))
    except re.error:
        return None


def after_cue(
    reading: Reading, field: FieldSpec, language: str, borders: Borders, *, alone: bool
) -> Span | None:
    """What follows one of the field's cues, to the end of the sentence or to where another field begins.

    A label counts only with a colon or "is" after it; general words of reason only for a field that is
    `alone` in wanting free text.
    """
    cues = text_cues(field, language)
    cues += _REASONS.get(language, ()) if alone else ()
    for span in announcements(reading, field, cues):
        value = _rest_of_sentence(reading, span, borders) if reading.is_free(span) else None
        if value:
            return value
    return None


def text_cues(field: FieldSpec, language: str) -> list[str]:
    """The cues of a free text; one is a word of another meaning outside of French."""
    return [cue for cue in field.cues if language == "fr" or cue != _ONLY_FRENCH_CUE]


def announcements(reading: Reading, field: FieldSpec, cues: Sequence[str]) -> list[Span]:
    """Where a free text is announced, in order: by a cue, or by its label with a colon or "is" after it."""
    found = [span for cue in cues for span in cue_matches(reading, cue)]
    titles = (field.label, field.name.replace("_", " "))
    found += [span for text in titles for span in cue_matches(reading, text) if _linked(reading, span)]
    return sorted(found, key=lambda span: (span[0], -span[1]))


def gives_a_reason(reading: Reading, cue: Span) -> bool:
    """The words at `cue` introduce a reason: a clause, which may speak of anything."""
    return " ".join(words(reading.cut(cue))) in _REASON_WORDS


def stands_in_a_reason(reading: Reading, place: int, language: str) -> bool:
    """Words of reason stand before `place` in its sentence: what is said there only explains."""
    before = [span for cue in _REASONS.get(language, ()) for span in cue_matches(reading, cue)]
    return any(span[1] <= place and not _SENTENCE.search(reading.text, span[1], place) for span in before)


def _linked(reading: Reading, span: Span) -> bool:
    return bool(_LINK.match(reading.text[span[1] :]))


def _rest_of_sentence(reading: Reading, cue: Span, borders: Borders) -> Span | None:
    link = _LINK.match(reading.text[cue[1] :])
    begin = cue[1] + (link.end() if link else 0)
    quoted = [span for span in reading.quoted if 0 <= span[0] - begin <= 3]
    if quoted:
        return quoted[0]
    stop = _SENTENCE.search(reading.text, begin)
    whole = trim(reading.text, (begin, stop.start() if stop else len(reading.text)))
    span = trim(reading.text, borders(whole, gives_a_reason(reading, cue)))
    return span if span[0] < span[1] and not is_pleasantry(Reading(reading.cut(span))) else None


def only_quotation(reading: Reading) -> Span | None:
    free = [span for span in reading.quoted if reading.is_free(span)]
    return free[0] if len(free) == 1 else None


def left_over(reading: Reading, card: CardSpec, *, is_answer: bool) -> Span | None:
    """The clauses that are not the request itself and that no other value has used, as one stretch.

    `is_answer`: the text was given in answer to a question for this field, so all of it may be the value.
    """
    free = [span for span in clauses(reading) if _is_free_text(reading, card, span, is_answer)]
    if not free:
        return None
    end = free[0][1]
    for span in free[1:]:
        if words(reading.text[end : span[0]]):
            break
        end = span[1]
    return free[0][0], end


def _is_free_text(reading: Reading, card: CardSpec, span: Span, is_answer: bool) -> bool:
    if not reading.is_free(span):
        return False
    inside = [word.folded for word in reading.words if span[0] <= word.start < span[1]]
    meaning = [word for word in inside if word not in STOP_WORDS]
    if not meaning or is_pleasantry(Reading(reading.cut(span))):
        return False
    return is_answer or (len(inside) >= 2 and (inside[0] in _OTHERS or not _is_request(meaning, card)))


def _is_request(meaning: Sequence[str], card: CardSpec) -> bool:
    """The clause speaks the card's own words: it is the request, not something said about it."""
    stems = [stem(word) for word in meaning]
    known = _request_stems(card)
    return sum(one in known for one in stems) >= _COMMAND_SHARE * len(stems)


@lru_cache(maxsize=256)
def _request_stems(card: CardSpec) -> frozenset[str]:
    """The words that ask for the activity. Of an example the first clause: reasons stand behind it."""
    texts = [card.name, card.key.rsplit(".", 1)[-1].replace("_", " "), *card.aliases]
    for example in card.examples:
        reading = Reading.of(example)
        texts += [mask(reading.cut(span)) for span in clauses(reading)[:1]]
    return frozenset(one for text in texts for one in content_stems(words(text)))
