"""From an expression to its tree. Bounded: neither deep nesting nor loops inside loops inside loops.

The grammar is that of CEL, without messages.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.utils.translation import gettext as _

from activities.expressions.tree import (
    MACROS,
    Binary,
    Call,
    Choice,
    Index,
    Listing,
    Literal,
    Mapping,
    Name,
    Node,
    Select,
    Unary,
)
from activities.expressions.words import BadSyntax, Word, split

MAX_DEPTH = 30
MAX_LOOPS = 2
MAX_WORDS = 400
_LEVELS = (("||",), ("&&",), ("<", "<=", ">", ">=", "==", "!=", "in"), ("+", "-"), ("*", "/", "%"))
_CONSTANTS = {"true": True, "false": False, "null": None}
T = TypeVar("T")


@dataclass(frozen=True)
class Parsed:
    """A tree, and for each of its loops how deep it is inside others (1: in none)."""

    tree: Node
    loops: tuple[int, ...]


def parse(expression: str) -> Parsed:
    """Return the tree of `expression`. Raises BadSyntax."""
    words = split(expression)
    if len(words) > MAX_WORDS:
        raise BadSyntax(_("it is too long"), words[MAX_WORDS].at)
    reader = _Reader(words)
    node = reader.whole()
    reader.expect("end", "")
    return Parsed(node, tuple(reader.loops))


class _Reader:
    def __init__(self, words: list[Word]) -> None:
        self.words = words
        self.position = 0
        self.depth = 0
        self.inside = 0
        self.loops: list[int] = []

    @property
    def word(self) -> Word:
        return self.words[self.position]

    def take(self) -> Word:
        word = self.word
        self.position += 1
        return word

    def sees(self, *values: str) -> bool:
        return self.word.kind in ("sign", "name") and self.word.value in values

    def skips(self, value: str) -> bool:
        if not self.sees(value):
            return False
        self.position += 1
        return True

    def expect(self, kind: str, value: str) -> Word:
        if self.word.kind != kind or (value and self.word.value != value):
            if not self.word.value:
                raise BadSyntax(_("the end is not expected here"), self.word.at)
            raise BadSyntax(_("“%(found)s” is not expected here") % {"found": self.word.value}, self.word.at)
        return self.take()

    def whole(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise BadSyntax(_("it is nested too deeply"), self.word.at)
        at, node = self.word.at, self.level(0)
        if self.skips("?"):
            yes = self.level(0)
            self.expect("sign", ":")
            node = Choice(node, yes, self.whole(), at)
        self.depth -= 1
        return node

    def level(self, index: int) -> Node:
        if index == len(_LEVELS):
            return self.unary()
        at, node = self.word.at, self.level(index + 1)
        while self.sees(*_LEVELS[index]):
            operator = self.take().value
            node = Binary(operator, node, self.level(index + 1), at)
        return node

    def unary(self) -> Node:
        at = self.word.at
        for sign in ("!", "-"):
            if self.skips(sign):
                if self.sees(sign):
                    raise BadSyntax(_("“%(found)s” is given twice") % {"found": sign}, self.word.at)
                return Unary(sign, self.member(), at)
        return self.member()

    def member(self) -> Node:
        at, node = self.word.at, self.primary()
        while True:
            if self.skips("."):
                field = self.expect("name", "").value
                node = self.method(node, field, at) if self.sees("(") else Select(node, field, at)
            elif self.skips("["):
                node = Index(node, self.whole(), at)
                self.expect("sign", "]")
            else:
                return node

    def method(self, target: Node, function: str, at: int) -> Node:
        if function not in MACROS:
            return Call(target, function, self.arguments(), at)
        self.inside += 1
        self.loops.append(self.inside)
        if self.inside > MAX_LOOPS:
            raise BadSyntax(_("a loop inside a loop inside a loop would take too long"), at)
        node = Call(target, function, self.arguments(), at)
        self.inside -= 1
        return node

    def arguments(self) -> tuple[Node, ...]:
        self.expect("sign", "(")
        return self.until(")", self.whole)

    def primary(self) -> Node:
        word = self.take()
        if word.kind == "number":
            return Literal(_number(word), word.at)
        if word.kind == "text":
            return Literal(_text(word), word.at)
        if word.kind == "name" and word.value != "in":
            return self.named(word)
        match word.value:
            case "(":
                node = self.whole()
                self.expect("sign", ")")
                return node
            case "[":
                return Listing(self.until("]", self.whole), word.at)
            case "{":
                return Mapping(self.until("}", self.entry), word.at)
        self.position -= 1
        self.expect("name", "")
        raise AssertionError("expect raised")

    def named(self, word: Word) -> Node:
        if word.value in _CONSTANTS:
            return Literal(_CONSTANTS[word.value], word.at)
        return (
            Call(None, word.value, self.arguments(), word.at) if self.sees("(") else Name(word.value, word.at)
        )

    def entry(self) -> tuple[Node, Node]:
        key = self.whole()
        self.expect("sign", ":")
        return key, self.whole()

    def until(self, end: str, read: Callable[[], T]) -> tuple[T, ...]:
        found: list[T] = []
        while not self.skips(end):
            if found:
                self.expect("sign", ",")
                if self.skips(end):
                    break
            found.append(read())
        return tuple(found)


def _number(word: Word) -> int | float:
    text = word.value.rstrip("uU")
    if text[:2].lower() == "0x":
        return int(text, 16)
    return int(text) if text.isdigit() else float(text)


def _text(word: Word) -> str | bytes:
    """Read a text as Python would: the escapes are the same but for rare ones, which stay as written."""
    try:
        value = ast.literal_eval(word.value)
    except (SyntaxError, ValueError):
        return word.value
    return value if isinstance(value, str | bytes) else word.value
