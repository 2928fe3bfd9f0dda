"""Several requests in one message: "lend B-1 and remind the reader of B-2".

A message is cut where a connecting word or a sentence's end is followed by words that ask for something: a
verb with which some activity's own examples begin. What asks for nothing belongs to the request before it.
Only when every piece is certain of its activity is the message taken as several; else it is one, as ever.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from activities.discovery.clauses import trim
from activities.discovery.language import stem, word_set
from activities.discovery.masking import mask
from activities.discovery.reading import Reading, Span
from agentapp.kernel.text import fold, words
from runs.llm.base import CardSpec, RouteTask

_CUT = re.compile(
    r"[;\n]+|[.!?…]+(?=\s)|,?\s(?:and then|and also|and|then|et puis|et ensuite|et aussi|et|puis|ensuite)\s",
    re.IGNORECASE,
)
_MAX_PIECES = 12
#: Words before a request's verb that ask for nothing themselves.
POLITE = word_set(
    """
    please kindly could can would will you i we need want like d to also then and too just now next first
    afterwards after that finally let me us the peux pouvez pourriez pourrais veux voudrais tu vous je j
    aimerais merci de d s il te plait svp aussi puis ensuite et enfin apres cela d abord maintenant il faut
    souhaite souhaiterais savoir dois must know wish
    """
)
#: "it", "that book", "-la": what an earlier request found. Times are no records.
_EARLIER = re.compile(
    r"\b(?:it|them|its|this one|that one|the result"
    r"|(?:this|that|these|those) (?!year|month|week|quarter|time|day)\w+)\b"
    r"|\b(?:with|for|to|about) (?:him|her)\b|\b(?:avec|pour|a|de) (?:lui|elle|eux|elles)\b"
    r"|-(?:la|le|les|lui|leur|en)\b|\b(?:celle|celui|ceux|celles)-(?:ci|la)\b"
    r"|\b(?:cette|cet|ces) (?!annee|mois|semaine|trimestre|jour)\w+"
)


@dataclass(frozen=True)
class Piece:
    """One request: its card, its words as they stand in the message, whether it builds on the one before."""

    key: str
    words: str
    needs_earlier: bool

    def as_json(self) -> dict[str, object]:
        return {"activity": self.key, "words": self.words, "needs_earlier": self.needs_earlier}


def pieces(task: RouteTask, choose: Callable[[str], str | None]) -> list[Piece]:
    """Return the requests of a message with more than one, else nothing. `choose` routes words to a card."""
    reading = Reading.of(task.message)
    spans = list(_requests(reading, task.cards))
    if len(spans) < 2:
        return []
    found: list[Piece] = []
    for span in spans:
        text = reading.text[slice(*span)]
        key = choose(text)
        if key is None or not _starters(_card(task.cards, key)) & {_first(text)}:
            return []
        found.append(Piece(key, text, _builds_on_earlier(text)))
    return _apart(found)


def _requests(reading: Reading, cards: Sequence[CardSpec]) -> Iterator[Span]:
    """Yield the spans of the message, each from a request's verb to the next request."""
    known = frozenset[str]().union(*(_starters(card) for card in cards))
    begin, end = None, 0
    for span in _cut(reading):
        if _first(reading.text[slice(*span)]) in known:
            if begin is not None:
                yield begin, end
            begin = span[0]
        end = span[1]
    if begin is not None:
        yield begin, end


def _cut(reading: Reading) -> list[Span]:
    found, start = [], 0
    for match in list(_CUT.finditer(reading.text))[:_MAX_PIECES]:
        if any(first <= match.start() < last for first, last in reading.quoted):
            continue
        found.append((start, match.start()))
        start = match.end()
    found.append((start, len(reading.text)))
    return [span for span in (trim(reading.text, span) for span in found) if span[0] < span[1]]


def _first(text: str) -> str:
    """Return the stem of the first word that is more than politeness."""
    return next((stem(word) for word in words(text) if word not in POLITE), "")


def _card(cards: Sequence[CardSpec], key: str) -> CardSpec:
    return next(card for card in cards if card.key == key)


@lru_cache(maxsize=256)
def _starters(card: CardSpec) -> frozenset[str]:
    """The stems with which this card's own requests begin."""
    return frozenset(_first(text) for text in (card.name, *card.examples, *card.aliases)) - {""}


def _builds_on_earlier(text: str) -> bool:
    """True when the request points back, and names no record by a number of its own."""
    return bool(_EARLIER.search(fold(text))) and not any(word.has_digit for word in Reading.of(text).words)


def _apart(found: Sequence[Piece]) -> list[Piece]:
    """Return the pieces when they are several things: other activities, or the same about something else."""
    joined = [found[0]]
    for piece in found[1:]:
        if piece.key == joined[-1].key and (piece.needs_earlier or mask(piece.words) == piece.words):
            return []
        joined.append(piece)
    return joined
