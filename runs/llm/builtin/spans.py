"""Stretches of words that may name a record, the likeliest first."""

from collections.abc import Iterator, Sequence
from enum import IntEnum

from activities.discovery.language import NAME_PREPOSITIONS, PARTICLES, STOP_WORDS, stem
from activities.discovery.masking import has_telling_capitals
from activities.discovery.reading import Reading, Span, Word, apart
from agentapp.kernel.text import words
from runs.llm.base import FieldSpec
from runs.llm.builtin.cues import announcing

LONGEST = 6
_CONJUNCTIONS = frozenset(["and", "et"])
#: Marks that stand inside names.
_INSIDE_NAMES = " .&'’-\u00a0"


class Tier(IntEnum):
    """How strongly a stretch looks like a name."""

    MARKED = 0  #: quoted, or capitalised inside a sentence
    ANNOUNCED = 1  #: after a preposition or the field's own words
    ANY = 2  #: any run of words that carry meaning


def name_spans(reading: Reading, field: FieldSpec, excluded: Sequence[Span]) -> dict[Tier, list[Span]]:
    """Candidate stretches by tier, longest first and without repetition."""
    usable = [
        word
        for word in reading.words
        if reading.is_free(word.span) and all(apart(word.span, other) for other in excluded)
    ]
    runs = list(_adjacent(reading, usable))
    listed = {
        Tier.MARKED: [*_quoted(reading), *_capitalised(reading, runs)],
        Tier.ANNOUNCED: [span for run in runs for span in _announced(run, field)],
        Tier.ANY: [span for run in runs for span in _any(run)],
    }
    seen: set[Span] = set()
    tiers: dict[Tier, list[Span]] = {}
    for tier, spans in listed.items():
        fresh = [span for span in dict.fromkeys(spans) if span not in seen]
        seen.update(fresh)
        tiers[tier] = sorted(fresh, key=lambda span: (-len(words(reading.cut(span))), span))
    return tiers


def _adjacent(reading: Reading, usable: Sequence[Word]) -> Iterator[list[Word]]:
    """Runs of words with nothing but spaces or a name's own marks between them."""
    run: list[Word] = []
    for word in usable:
        if run and _parted(reading, run[-1], word):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _parted(reading: Reading, left: Word, right: Word) -> bool:
    between = reading.text[left.end : right.start]
    if "\n" in between or between.strip(_INSIDE_NAMES):
        return True
    # A full stop ends a sentence, except after the short words that are abbreviated: "St. Mary", "J. Doe".
    return between.startswith(".") and len(left.text) > 3 and right.starts_sentence


def _quoted(reading: Reading) -> list[Span]:
    return [span for span in reading.quoted if reading.is_free(span) and span[1] - span[0] <= 120]


def _capitalised(reading: Reading, runs: Sequence[Sequence[Word]]) -> Iterator[Span]:
    if not has_telling_capitals(reading):
        return
    for run in runs:
        index = 0
        while index < len(run):
            end = _capital_end(run, index)
            if end > index:
                yield from _variants(run[index:end])
            index = max(end, index + 1)


def _capital_end(run: Sequence[Word], index: int) -> int:
    """The end of the capitalised sequence that begins at `index`; particles may stand inside it."""
    if not run[index].is_capitalised:
        return index
    end = index + 1
    while end < len(run) and end - index < LONGEST:
        inside = run[end].folded in PARTICLES and end + 1 < len(run) and run[end + 1].is_capitalised
        if not (run[end].is_capitalised or inside or run[end].has_digit):
            break
        end += 1
    return end


def _variants(run: Sequence[Word]) -> Iterator[Span]:
    """The whole sequence; without its first word where that may be a sentence's ordinary beginning."""
    if not run[0].starts_sentence:
        yield run[0].start, run[-1].end
    elif len(run) > 1:
        yield run[0].start, run[-1].end
        yield from _variants_after_first(run)
    if any(word.folded in _CONJUNCTIONS for word in run):
        yield from _split_at_and(run)


def _variants_after_first(run: Sequence[Word]) -> Iterator[Span]:
    rest = list(run[1:])
    while rest and rest[0].folded in PARTICLES:
        rest = rest[1:]
    if rest:
        yield rest[0].start, rest[-1].end


def _split_at_and(run: Sequence[Word]) -> Iterator[Span]:
    """ "John Doe and Smith and Sons" may name one, two or three: every stretch between its conjunctions."""
    parts: list[list[Word]] = [[]]
    for word in run:
        if word.folded in _CONJUNCTIONS:
            parts.append([])
        else:
            parts[-1].append(word)
    parts = [part for part in parts if part]
    for first in range(len(parts)):
        for last in range(first, len(parts)):
            yield parts[first][0].start, parts[last][-1].end


def _announced(run: Sequence[Word], field: FieldSpec) -> Iterator[Span]:
    phrases = {phrase[-1] for phrase in announcing(field)}
    for index in range(1, len(run)):
        before = run[index - 1].folded
        if before in NAME_PREPOSITIONS or stem(before) in phrases:
            yield from _prefixes(run[index : index + LONGEST])


def _prefixes(run: Sequence[Word]) -> Iterator[Span]:
    """Every beginning of `run` that ends in a word of meaning, longest first."""
    if not run or run[0].folded in STOP_WORDS:
        return
    for end in range(len(run), 0, -1):
        if run[end - 1].folded not in STOP_WORDS:
            yield run[0].start, run[end - 1].end


def _any(run: Sequence[Word]) -> Iterator[Span]:
    meaning: list[Word] = []
    for word in [*run, None]:
        if word is not None and (word.folded not in STOP_WORDS or (meaning and word.folded in PARTICLES)):
            meaning.append(word)
            continue
        for start in range(len(meaning)):
            yield from _prefixes(meaning[start : start + LONGEST])
        meaning = []
