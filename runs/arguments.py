"""The arguments a model wrote, read strictly: exact numbers, no duplicate names, nothing guessed."""

import json
from decimal import Decimal
from typing import Any

from agentapp.kernel.text import clean_value

MAX_CHARACTERS = 200_000
_MAX_DEPTH = 20
_MAX_DIGITS = 40


class BadArguments(ValueError):
    """The text is not one JSON object; `str()` says why, for the model."""


def parse_arguments(text: str) -> dict[str, Any]:
    """Return the object in `text`, decimals as Decimal. Raises BadArguments; never guesses an empty one."""
    if len(text) > MAX_CHARACTERS:
        raise BadArguments("the arguments are too long")
    try:
        value = json.loads(
            text, parse_float=_decimal, parse_int=_integer, parse_constant=_constant, object_pairs_hook=_pairs
        )
    except RecursionError as error:
        raise BadArguments("the arguments are nested too deeply") from error
    except ValueError as error:
        raise BadArguments(f"the arguments are not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadArguments("the arguments must be one JSON object")
    _check_depth(value, 0)
    return clean_value(value)  # type: ignore[return-value]


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError("a number has too many digits")
    return int(digits)


def _decimal(digits: str) -> Decimal:
    """Read a number exactly. "1e999999999" is short to write and endless to write out."""
    number = Decimal(digits)
    if len(digits) > 60 or is_unwieldy(number):
        raise ValueError("a number is out of range")
    return number


def is_unwieldy(number: Decimal) -> bool:
    """True for a number that no amount needs and that takes more digits than anybody reads."""
    return (
        not number.is_finite()
        or abs(number.adjusted()) > _MAX_DIGITS
        or -int(number.as_tuple().exponent) > _MAX_DIGITS
    )


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _value in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a name is given twice")
    return dict(pairs)


def _check_depth(value: Any, depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise BadArguments("the arguments are nested too deeply")
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_depth(item, depth + 1)
