"""Conditions over facts, in CEL (the Common Expression Language): total, no I/O, no model.

The scope is `facts` (by fact key, the latest of each tool), `inputs` and `attempts`. A condition that
reads something not there does not hold; the reason is kept, so that a person can see why.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cel
from django.utils.translation import gettext as _

from activities.expressions import syntax, typing
from activities.expressions.tree import Node
from activities.expressions.types import Type
from activities.expressions.words import BadSyntax

MAX_LENGTH = 2_000
#: About two seconds.
MAX_ROUNDS = 1_000_000
_FACT = re.compile(r"\bfacts\.([A-Za-z_][A-Za-z0-9_]*)")
_ROOT = re.compile(r"\b(?:facts|inputs|attempts)\b")
_READ = re.compile(r"\b((?:facts|inputs)(?:\.[A-Za-z_][A-Za-z0-9_]*)+|attempts)\b")


class BadCondition(ValueError):
    """The expression is not valid CEL, or too long; `str()` says where."""


@dataclass(frozen=True)
class Evaluation:
    """Whether the condition holds; `problem` says why it could not be read to the end."""

    holds: bool
    problem: str = ""


@dataclass(frozen=True)
class _Compiled:
    program: Any
    loops: tuple[int, ...]
    tree: Node


@lru_cache(maxsize=1024)
def _compiled(expression: str) -> _Compiled:
    if len(expression) > MAX_LENGTH:
        raise BadCondition(
            _("A condition has at most %(limit)d characters; this one has %(length)d.")
            % {"limit": MAX_LENGTH, "length": len(expression)}
        )
    try:
        parsed = syntax.parse(expression)
        return _Compiled(cel.compile(expression), parsed.loops, parsed.tree)
    except BadSyntax as error:
        sentence = _("The condition cannot be read at character %(at)d: %(why)s.")
        raise BadCondition(sentence % {"at": error.at + 1, "why": error}) from error
    except ValueError as error:
        raise BadCondition(str(error)) from error


def check(expression: str) -> None:
    """Raise BadCondition when `expression` is not valid."""
    _compiled(expression)


def misfits(expression: str, scope: Mapping[str, Type]) -> list[str]:
    """Return why the types in `expression` do not fit what it can read; sentences with remedies.

    Raises BadCondition when it is not valid.
    """
    return typing.misfits(_compiled(expression).tree, scope)


def tree_of(expression: str) -> Node:
    """Return its syntax tree. Raises BadCondition when it is not valid."""
    return _compiled(expression).tree


def is_certain(expression: str) -> bool:
    """True when it holds whatever the facts are: it reads nothing. Raises BadCondition."""
    _compiled(expression)
    return not _ROOT.search(expression) and evaluate(expression, {}).holds


def evaluate(expression: str, scope: Mapping[str, Any]) -> Evaluation:
    """Evaluate over `scope`. Never raises for what the data lack: then the condition does not hold."""
    try:
        compiled = _compiled(expression)
        if compiled.loops and _rounds(compiled.loops, scope) > MAX_ROUNDS:
            return Evaluation(False, f"it would go through more than {MAX_ROUNDS} items")
        value = compiled.program.execute(dict(scope))
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        return Evaluation(False, f"{type(error).__name__}: {error}")
    if value is True:
        return Evaluation(True)
    return Evaluation(False, "" if value is False else f"it gave {value!r}, not true or false")


def _rounds(loops: Iterable[int], scope: Mapping[str, Any]) -> int:
    """Return how often the loops' conditions may be asked, at most."""
    longest = max(_longest(scope), syntax.MAX_WORDS // 2)
    return sum(longest**depth for depth in loops)


def _longest(value: Any) -> int:
    if isinstance(value, Mapping):
        return max(map(_longest, value.values()), default=0)
    if isinstance(value, list | tuple):
        return max([len(value), *map(_longest, value)])
    return 0


def facts_named(expression: str) -> tuple[str, ...]:
    """Return the fact keys the expression reads, in order, each once."""
    return tuple(dict.fromkeys(_FACT.findall(expression)))


def values_read(expression: str) -> tuple[str, ...]:
    """Return the paths the expression reads, in order, each once."""
    return tuple(dict.fromkeys(_READ.findall(expression)))
