"""What a request's body may be: strict JSON of bounded size and depth, numbers exact.

Lenient readers disagree about duplicate keys, NaN and long numbers, and what two readers understand
differently somebody can hide something in. Here each of them is refused with a sentence.
"""

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NoReturn

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.parser import Parser

from agentapp.api_errors import BodyTooLarge, NotJson
from agentapp.kernel.text import clean_text

MAX_BYTES = 1_048_576
MAX_DEPTH = 20
#: Digits of a number, and its exponent: far above any amount, far below what is slow to compute with.
MAX_DIGITS = 400


class StrictParser(Parser):
    """Reads bodies. Raises NotJson or BodyTooLarge."""

    def parse_body(self, request: HttpRequest) -> Any:
        return loads(request.body)


def loads(body: bytes) -> Any:
    """Return what `body` says: integers exact, other numbers as Decimal."""
    if len(body) > MAX_BYTES:
        raise BodyTooLarge(_("The body is too large."), limit=MAX_BYTES)
    try:
        value = _DECODER.decode(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise NotJson(_("The body is not UTF-8.")) from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise NotJson(_("The body is not JSON.")) from None
    _check_depth(value, MAX_DEPTH)
    return value


def _check_depth(value: Any, left: int) -> None:
    if left == 0:
        raise _too_deep()
    items: Iterable[Any] = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    )
    for item in items:
        _check_depth(item, left - 1)


def _too_deep() -> NotJson:
    return NotJson(_("The body is nested too deeply."), limit=MAX_DEPTH)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotJson(_("The body has the same name twice in one object."))
    if any(clean_text(name) != name for name in found):
        raise NotJson(_("The body has a name with characters that cannot be used."))
    return found


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _bad_number()
    return int(text)


def _decimal(text: str) -> Decimal:
    number = Decimal(text) if len(text) <= MAX_DIGITS else None
    if number is None or abs(number.adjusted()) > MAX_DIGITS:
        raise _bad_number()
    return number


def _constant(text: str) -> NoReturn:
    raise _bad_number()


def _bad_number() -> NotJson:
    return NotJson(_("The body has a number that cannot be used."))


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_integer, parse_float=_decimal, parse_constant=_constant
)
