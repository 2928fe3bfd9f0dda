"""The text a model speaks, as its pieces arrive: without its thinking aloud, with whole characters."""

import re

_TAG = re.compile(r"<(/?)think(?:ing)?>")
_TAGS = ("<think>", "</think>", "<thinking>", "</thinking>")
_SURROGATE = re.compile("[\ud800-\udfff]")


def whole_characters(text: str) -> str:
    """Join the two halves of a character that JSON escaped apart; half a character becomes U+FFFD."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class SpokenText:
    """Takes pieces cut anywhere and returns what may be passed on; the result does not depend on the cuts.

    A `<think>` block that is never closed is thinking to its end. What may still become a tag, or the second
    half of a character, is held back until the next piece or :meth:`end`.
    """

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._skip_blank = False

    def feed(self, piece: str) -> str:
        text = self._held + piece
        self._held = text[_safe_length(text) :]
        return self._spoken(text[: _safe_length(text)])

    def end(self) -> str:
        held, self._held = self._held, ""
        return self._spoken(held)

    def _spoken(self, text: str) -> str:
        kept: list[str] = []
        position = 0
        for tag in _TAG.finditer(text):
            kept.append(self._outside(text[position : tag.start()]))
            self._thinking = not tag.group(1)
            self._skip_blank = True
            position = tag.end()
        kept.append(self._outside(text[position:]))
        return whole_characters("".join(kept))

    def _outside(self, text: str) -> str:
        if self._thinking:
            return ""
        if self._skip_blank:
            text = text.lstrip()
            self._skip_blank = not text
        return text


def _safe_length(text: str) -> int:
    """How much of `text` cannot change its meaning by what follows."""
    if text and "\ud800" <= text[-1] <= "\udbff":
        return len(text) - 1
    start = text.rfind("<")
    if start >= 0 and any(tag.startswith(text[start:]) for tag in _TAGS):
        return start
    return len(text)
