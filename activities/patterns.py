"""Regular expressions that designers write: only such as cannot run for long on a short text.

The matcher tries every way in which a pattern can fit. A repeat inside a repeat has too many ways, and so
have many repeats in a row; both are refused, and so is what looks around or back.
"""

import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

MAX_LENGTH = 200
#: A longer text is not matched at all.
MAX_TEXT = 200
#: So many parts of varying length at most: each multiplies the work by the text's length.
MAX_VARYING = 4
MAX_REPEAT = 1_000
_PARSER: Any = re._parser  # type: ignore[attr-defined]  # the parser has no public name
_SIMPLE = {"LITERAL", "NOT_LITERAL", "ANY", "IN", "CATEGORY", "RANGE", "AT"}
_REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}


@lru_cache(maxsize=1024)
def problem(pattern: str) -> str:
    """Return why `pattern` is refused, a sentence with a remedy; an empty string when it is not."""
    if len(pattern) > MAX_LENGTH:
        return _("A pattern has at most %(limit)d characters.") % {"limit": MAX_LENGTH}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            parts = list(_PARSER.parse(pattern))
    except (re.error, RecursionError, OverflowError, Warning) as error:
        return _("The pattern cannot be read: %(why)s.") % {"why": error}
    counted = [0]
    message = next(_problems(parts, counted, inside=False), "")
    if not message and counted[0] > MAX_VARYING:
        message = _("The pattern has more than %(limit)d parts of varying length. Write some as {3}.")
        message %= {"limit": MAX_VARYING}
    return message


def fits(pattern: str, text: str) -> bool:
    """True when the whole of `text` has the form of `pattern`. A pattern that is refused fits nothing."""
    return len(text) <= MAX_TEXT and not problem(pattern) and re.fullmatch(pattern, text) is not None


def _problems(parts: Any, counted: list[int], *, inside: bool) -> Iterator[str]:
    """Yield what is wrong with parts in a row. `inside` a repeat nothing varies in length."""
    for code, argument in parts:
        name = str(code)
        if name in _REPEATS:
            low, high, repeated = argument
            yield from _repeat(int(low), int(high), repeated, counted, inside=inside)
        elif name == "SUBPATTERN":
            yield from _problems(argument[3], counted, inside=inside)
        elif name == "BRANCH":
            yield from _branches(argument[1], counted, inside=inside)
        elif name == "ATOMIC_GROUP":
            yield from _problems(argument, counted, inside=inside)
        elif name not in _SIMPLE:
            yield _("The pattern looks around or back, which may take too long. Leave that out.")


def _repeat(low: int, high: int, repeated: Any, counted: list[int], *, inside: bool) -> Iterator[str]:
    if low != high:
        counted[0] += 1
    if inside and low != high:
        yield _("A repeat inside a repeat may take too long. Write how often, as {3}, or leave one out.")
    if low > MAX_REPEAT or (high > MAX_REPEAT and high != int(_PARSER.MAXREPEAT)):
        yield _("The pattern repeats a part more than %(limit)d times.") % {"limit": MAX_REPEAT}
    yield from _problems(repeated, counted, inside=inside or high > 1)


def _branches(branches: Any, counted: list[int], *, inside: bool) -> Iterator[str]:
    if inside:
        yield _("A choice (|) inside a repeat may take too long. Write [abc] for single characters.")
    for branch in branches:
        yield from _problems(branch, counted, inside=inside)
