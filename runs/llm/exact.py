"""JSON as it was written: whole numbers of any length, decimals to the last digit."""

import json
from decimal import Decimal
from typing import Any

_DECODER = json.JSONDecoder(parse_float=Decimal)


def loads(text: str) -> Any:
    """Parse one JSON document; fractions become :class:`Decimal`.

    Raises ValueError for whatever cannot be read: broken, nested too deeply, a number too long to hold.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def dumps(value: Any) -> str:
    """Serialise what :func:`loads` gave, digit for digit."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(str(key))}:{dumps(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(dumps(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def is_document(text: str) -> bool:
    """True when `text` is one whole JSON document."""
    try:
        loads(text)
    except ValueError:
        return False
    return True
