"""From the characters of an expression to its words."""

import re
from dataclasses import dataclass

from django.utils.translation import gettext as _

_WORD = re.compile(
    r"""(?P<space>[ \t\n\r\f]+|//[^\n]*)
    |(?P<text>(?:[rR]|[bB]|[rR][bB]|[bB][rR])?(?:\"{3}.*?(?<!\\)\"{3}|'{3}.*?(?<!\\)'{3}
        |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
    |(?P<number>\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\.\d+(?:[eE][-+]?\d+)?|0[xX][0-9a-fA-F]+[uU]?|\d+[uU]?)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<sign>\|\||&&|==|!=|<=|>=|[-+*/%<>!?:.,()\[\]{}])""",
    re.VERBOSE | re.DOTALL,
)


class BadSyntax(ValueError):
    """The expression cannot be read; `at` is the position."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


@dataclass(frozen=True)
class Word:
    """One word: `kind` is text, number, name, sign or end."""

    kind: str
    value: str
    at: int


def split(expression: str) -> list[Word]:
    """Return the words of `expression`, and one that ends it. Raises BadSyntax."""
    words: list[Word] = []
    at = 0
    while at < len(expression):
        found = _WORD.match(expression, at)
        if found is None:
            raise BadSyntax(_("“%(found)s” is not expected here") % {"found": expression[at]}, at)
        kind = found.lastgroup or ""
        if kind != "space":
            words.append(Word(kind, found.group(), at))
        at = found.end()
    return [*words, Word("end", "", len(expression))]
