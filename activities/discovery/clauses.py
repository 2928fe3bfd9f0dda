"""The parts of a message: sentences, and what commas and conjunctions part inside them."""

import re
from collections.abc import Iterator

from activities.discovery.reading import Reading, Span

_BREAK = re.compile(
    r"[.!?;:\n…](?=\s|$|[\"'»”)])|,(?!\d)|\s[-–—]\s|[()\[\]]"
    r"|\n|\b(?:because|since|as|car|parce qu(?:e|')|puisque|so that|afin de)\s",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?;…]+(?=\s|$|[\"'»”)])|\n+")
#: Words up to which a sentence is compared as a whole only.
_SHORT = 6
_MOST_PARTS = 12
_EDGE = " \t\n,;:.!?…-–—()[]\"'«»“”"


def clauses(reading: Reading) -> list[Span]:
    """The clauses of the text in order, trimmed of punctuation, without empty ones."""
    found: list[Span] = []
    start = 0
    for match in _BREAK.finditer(reading.text):
        found.append((start, match.start()))
        start = match.end()
    found.append((start, len(reading.text)))
    return [span for span in (trim(reading.text, span) for span in found) if span[0] < span[1]]


def trim(text: str, span: Span) -> Span:
    """Leave punctuation and spaces at the ends of `span` out."""
    start, end = span
    while start < end and text[start] in _EDGE:
        start += 1
    while end > start and text[end - 1] in _EDGE:
        end -= 1
    return start, end


def sentences(reading: Reading) -> list[str]:
    """The sentences of a request that have more than one word: each may ask for something of its own."""
    spans = [span for span in _sentences(reading) if _length(reading, span) > 1]
    return [reading.cut(span) for span in spans][:_MOST_PARTS]


def long_clauses(reading: Reading) -> list[str]:
    """The clauses of a long sentence, nothing of a short one: a reason must not drown what is asked."""
    if len(reading.text.split()) <= _SHORT:
        return []
    spans = [span for span in clauses(reading) if _length(reading, span) > 1]
    return [reading.cut(span) for span in spans][:_MOST_PARTS] if len(spans) > 1 else []


def _sentences(reading: Reading) -> Iterator[Span]:
    start = 0
    for match in _SENTENCE.finditer(reading.text):
        yield trim(reading.text, (start, match.start()))
        start = match.end()
    yield trim(reading.text, (start, len(reading.text)))


def _length(reading: Reading, span: Span) -> int:
    return len(reading.cut(span).split())
