"""A text that will not end by itself: small models go on with blanks, or say the same again and again."""

#: Blanks after a text that end it; fewer where the text looks like a whole object, which needs nothing more.
_BLANKS = 200
_BLANKS_AFTER_OBJECT = 20
#: A piece of this many characters that stands so often in the end of a text is being repeated.
_PIECE = 100
_TIMES = 4
_LOOKED_AT = 2_000


class Trail:
    """Follows a reply's text as it comes."""

    def __init__(self) -> None:
        self._end = ""
        self._blanks = 0
        self._unlooked = 0

    def add(self, said: str) -> None:
        """Take the next piece of the text."""
        self._blanks = 0 if said.strip() else self._blanks + len(said)
        self._end = (self._end + said)[-_LOOKED_AT:]
        self._unlooked += len(said)

    @property
    def is_blank(self) -> bool:
        """True when only blanks come, and have for long: the text is whole, what follows is nothing."""
        whole = self._end.rstrip().endswith("}")
        return self._blanks > (_BLANKS_AFTER_OBJECT if whole else _BLANKS)

    def repeats(self) -> bool:
        """True when the text has begun to repeat itself. Looks once for each piece that was added."""
        if self._unlooked < _PIECE:
            return False
        self._unlooked = 0
        piece = self._end[-_PIECE:]
        return len(piece) == _PIECE and bool(piece.strip()) and self._end.count(piece) >= _TIMES
