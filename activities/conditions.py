"""Conditions over facts, in CEL (the Common Expression Language): total, no I/O, no model.

The scope is `facts` (by fact key, the latest of each tool), `inputs` and `attempts`. A condition that
reads something not there does not hold; the reason is kept, so that a person can see why.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cel

MAX_LENGTH = 2_000
_FACT = re.compile(r"\bfacts\.([A-Za-z_][A-Za-z0-9_]*)")
_READ = re.compile(r"\b((?:facts|inputs)(?:\.[A-Za-z_][A-Za-z0-9_]*)+|attempts)\b")


class BadCondition(ValueError):
    """The expression is not valid CEL, or too long; `str()` says where."""


@dataclass(frozen=True)
class Evaluation:
    """Whether the condition holds; `problem` says why it could not be read to the end."""

    holds: bool
    problem: str = ""


@lru_cache(maxsize=1024)
def _compiled(expression: str) -> Any:
    if len(expression) > MAX_LENGTH:
        raise BadCondition(f"A condition has at most {MAX_LENGTH} characters.")
    try:
        return cel.compile(expression)
    except ValueError as error:
        raise BadCondition(str(error)) from error


def check(expression: str) -> None:
    """Raise BadCondition when `expression` is not valid."""
    _compiled(expression)


def evaluate(expression: str, scope: Mapping[str, Any]) -> Evaluation:
    """Evaluate over `scope`. Never raises for what the data lack: then the condition does not hold."""
    try:
        value = _compiled(expression).execute(dict(scope))
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        return Evaluation(False, f"{type(error).__name__}: {error}")
    if value is True:
        return Evaluation(True)
    return Evaluation(False, "" if value is False else f"it gave {value!r}, not true or false")


def facts_named(expression: str) -> tuple[str, ...]:
    """Return the fact keys the expression reads, in order, each once."""
    return tuple(dict.fromkeys(_FACT.findall(expression)))


def values_read(expression: str) -> tuple[str, ...]:
    """Return the paths the expression reads, in order, each once."""
    return tuple(dict.fromkeys(_READ.findall(expression)))
