"""The parts of a message: sentences, and what commas and conjunctions part inside them."""

import re

from activities.discovery.reading import Reading, Span

_BREAK = re.compile(
    r"[.!?;:\n…](?=\s|$|[\"'»”)])|,(?!\d)|\s[-–—]\s|[()\[\]]"
    r"|\b(?:because|since|as|car|parce qu(?:e|')|puisque|so that|afin de)\s",
    re.IGNORECASE,
)
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
