"""What a request asks, without whom and what it names.

"Call Ada Byron about INV-7" and "Call Max about X-12" ask the same thing. Identifiers, numbers, quoted
words and proper nouns are taken out before requests are compared, so that a name shared with an example
does not decide.
"""

import re
from collections.abc import Collection

from activities.discovery.language import STOP_WORDS
from activities.discovery.reading import Reading, Word

_EMAIL = re.compile(r"\S+@\S+")
_PLACEHOLDER = re.compile(r"<[^<>]{1,40}>|\{[^{}]{1,40}\}|\[[^\[\]]{1,40}\]")
_SPACES = re.compile(r"\s+")
_DANGLING = re.compile(r"\s+([,.;:!?])")


def mask(text: str, keep: Collection[str] = (), *, names: bool = True) -> str:
    """Return `text` without numbers, identifiers and `names`. `keep` are folded words to spare."""
    reading = Reading.of(_EMAIL.sub(" ", _PLACEHOLDER.sub(" ", text)))
    names = names and has_telling_capitals(reading)
    spans = [word.span for word in reading.words if _is_masked(word, names, keep)]
    if not spans:
        return _tidy(reading.text)
    return _tidy(_without(reading.text, spans)) or _tidy(reading.text)


def has_telling_capitals(reading: Reading) -> bool:
    """False for a text shouted, or titled throughout with its function words: its capitals mark no names."""
    inner = [word for word in reading.words if not word.starts_sentence and not word.has_digit]
    shouted = sum(word.text.isupper() and len(word.text) > 1 for word in inner)
    titled = any(word.is_capitalised and word.folded in STOP_WORDS and len(word.text) > 1 for word in inner)
    return shouted * 2 <= len(inner) and not titled


def is_name_like(word: Word) -> bool:
    """A capital inside a sentence, and not an acronym or the English "I"."""
    return word.is_capitalised and not word.starts_sentence and not word.text.isupper()


def _is_masked(word: Word, names: bool, keep: Collection[str]) -> bool:
    if word.folded in keep:
        return False
    return word.has_digit or (names and is_name_like(word))


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    parts: list[str] = []
    place = 0
    for start, end in spans:
        parts.append(text[place:start])
        place = end
    return " ".join([*parts, text[place:]])


def _tidy(text: str) -> str:
    return _DANGLING.sub(r"\1", _SPACES.sub(" ", text)).strip(" ,;:-–—\"'«»“”")
