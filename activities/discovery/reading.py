"""A message as the extractors see it: its words with their places, and what is already used up.

Patterns run over the *folded* text (no accents, no capitals, ligatures opened), values are cut from the
text as it stands; :class:`Folded` maps one to the other.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from agentapp.kernel.text import clean_text, fold

#: Only the head of a very long message is read: a request stands in its first sentences, and the time
#: stays bounded whatever is pasted below it.
READ_LIMIT = 4000
_LONGEST_CUT = 200

# An identifier keeps its dashes and dots; a word does not.
_WORD = re.compile(r"(?=[\w./-]*\d)[^\W_]+(?:[-/._]+[^\W_]+)*|[^\W_]+")
_SENTENCE_END = re.compile(r"[.!?;:\n…]\s*[\"'«“(\-–—]*\s*$")
_QUOTED = re.compile(
    r"\"([^\"\n]{1,300})\"|«\s*([^»\n]{1,300}?)\s*»|“([^”\n]{1,300})”"
    r"|(?<!\w)'([^'\n]{2,300})'(?!\w)|‘([^’\n]{1,300})’(?!\w)"
)

Span = tuple[int, int]


def apart(left: Span, right: Span) -> bool:
    """True when the two share no character."""
    return left[1] <= right[0] or right[1] <= left[0]


@dataclass(frozen=True)
class Word:
    """One word: as written, folded, and where it stands in the text."""

    text: str
    folded: str
    start: int
    end: int
    starts_sentence: bool

    @property
    def span(self) -> Span:
        return self.start, self.end

    @property
    def has_digit(self) -> bool:
        return any(char.isdigit() for char in self.text)

    @property
    def is_capitalised(self) -> bool:
        return self.text[0].isupper()


@dataclass(frozen=True)
class Folded:
    """The folded text, and for each of its characters the place it comes from."""

    text: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> "Folded":
        chars: list[str] = []
        places: list[int] = []
        for index, char in enumerate(text):
            folded = char.lower() if char.isascii() else _fold_char(char)
            chars.append(folded)
            places.extend([index] * len(folded))
        return cls("".join(chars), tuple(places))

    def span(self, start: int, end: int) -> Span:
        """Where the folded characters `start`..`end` stand in the text as written."""
        if start >= end:
            return 0, 0
        return self.places[start], self.places[end - 1] + 1


def _fold_char(char: str) -> str:
    if char in "\u00a0\u202f\u2009\u2007":
        return " "
    if char in "\u2010\u2011\u2012\u2212":
        return "-"
    return fold(char)


@dataclass
class Reading:
    """A message under interpretation. `taken` grows as extractors use up parts of it."""

    text: str
    taken: list[Span] = field(default_factory=list)

    @classmethod
    def of(cls, message: str) -> "Reading":
        return cls(clip(clean_text(message[: 2 * READ_LIMIT])))

    @cached_property
    def folded(self) -> Folded:
        return Folded.of(self.text)

    @cached_property
    def words(self) -> tuple[Word, ...]:
        return tuple(_words(self.text))

    @cached_property
    def quoted(self) -> tuple[Span, ...]:
        """The insides of quotation marks."""
        found = []
        for match in _QUOTED.finditer(self.text):
            group = next(index for index in range(1, 6) if match.group(index) is not None)
            found.append(match.span(group))
        return tuple(found)

    def take(self, span: Span) -> None:
        self.taken.append(span)

    def is_free(self, span: Span) -> bool:
        return all(apart(span, other) for other in self.taken)

    def cut(self, span: Span) -> str:
        return self.text[span[0] : span[1]]

    def finditer(self, pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], Span]]:
        """Matches over the folded text, each with its place in the text as written."""
        for match in pattern.finditer(self.folded.text):
            yield match, self.folded.span(*match.span())

    def folded_between(self, start: int, end: int) -> str:
        """The folded text of the stretch `start`..`end`."""
        places = self.folded.places
        return self.folded.text[bisect_left(places, start) : bisect_left(places, end)]

    def words_before(self, place: int, count: int) -> Sequence[Word]:
        """The last `count` words that end at or before `place`, in order."""
        end = bisect_right(self._word_ends, place)
        return self.words[max(0, end - count) : end]

    def word_after(self, place: int) -> Word | None:
        """The first word that begins at or after `place`."""
        index = bisect_right(self._word_ends, place)
        return self.words[index] if index < len(self.words) else None

    @cached_property
    def _word_ends(self) -> list[int]:
        return [word.end for word in self.words]

    def free_words(self) -> list[Word]:
        return [word for word in self.words if self.is_free(word.span)]


def clip(text: str) -> str:
    """The first READ_LIMIT characters, cut at a space where there is one near."""
    if len(text) <= READ_LIMIT:
        return text
    head = text[:READ_LIMIT].rstrip()
    parts = head.rsplit(None, 1)
    return parts[0] if len(parts) == 2 and len(parts[1]) < _LONGEST_CUT else head


def _words(text: str) -> Iterator[Word]:
    previous_end = 0
    for match in _WORD.finditer(text):
        gap = text[max(0, match.start() - 8) : match.start()] if match.start() else ""
        starts = previous_end == 0 or bool(_SENTENCE_END.search(gap))
        folded = fold(match.group())
        if folded:
            yield Word(match.group(), folded, match.start(), match.end(), starts)
            previous_end = match.end()
