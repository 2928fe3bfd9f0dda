"""Text from outside: one choke point that makes it storable, and one way of folding it for comparison."""

import re
import unicodedata

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# Explicit bidirectional overrides can make a text read differently from what it says; the isolates and
# marks that right-to-left languages need are kept.
_BIDI_OVERRIDES = re.compile("[\u202a\u202b\u202c\u202d\u202e]")
_LIGATURES = str.maketrans(
    {"œ": "oe", "æ": "ae", "ß": "ss", "ø": "o", "ł": "l", "đ": "d", "’": "'", "ʼ": "'"}
)
_WORD = re.compile(r"[^\W_]+", re.UNICODE)


def clean_text(text: str) -> str:
    """Return `text` as PostgreSQL and a page can hold it.

    NUL and control characters go, lone surrogates become U+FFFD, directional overrides go, line ends
    become "\\n", and the text is composed (NFC). Never raises.
    """
    if text.isascii() and text.isprintable():  # most are: nothing of all this is in it
        return text
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    whole = whole.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", _BIDI_OVERRIDES.sub("", _CONTROL.sub("", whole)))


def clean_value(value: object) -> object:
    """Apply :func:`clean_text` to every string in a JSON-like value, keys included."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(str(key)): clean_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_value(item) for item in value]
    return value


def fold(text: str) -> str:
    """Return `text` lower-cased, without accents, ligatures opened: "Œuvre d'Été" → "oeuvre d'ete"."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_LIGATURES))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def words(text: str) -> list[str]:
    """Return the folded words of `text`, in order."""
    return _WORD.findall(fold(text))


def contains_words(haystack: str, needle: str) -> bool:
    """True when the words of `needle` stand in `haystack`, one after the other, as whole words."""
    wanted = words(needle)
    if not wanted:
        return False
    return f" {' '.join(wanted)} " in f" {' '.join(words(haystack))} "


def shorten(text: str, limit: int) -> str:
    """Cut `text` to `limit` characters at a word's end where possible, with an ellipsis."""
    flat = " ".join(text.split())
    if len(flat) <= limit:
        return flat
    cut = flat[: limit - 1]
    return f"{cut.rsplit(' ', 1)[0] if ' ' in cut[limit // 2 :] else cut}…"
