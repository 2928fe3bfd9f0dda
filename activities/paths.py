"""Paths into facts and inputs: `facts.get_invoice.amount`, `inputs.period.start`, `lines[0].name`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_PART = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]")
_PATH = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*|\[\d+\])*$")


class NoSuchValue(LookupError):
    """The path leads nowhere in this data."""


def is_path(text: str) -> bool:
    return bool(_PATH.match(text))


def read(path: str, scope: Mapping[str, Any]) -> Any:
    """Return the value at `path`. Raises NoSuchValue, also for a malformed path."""
    if not is_path(path):
        raise NoSuchValue(path)
    value: Any = scope
    for name, index in _PART.findall(path):
        if name and isinstance(value, Mapping) and name in value:
            value = value[name]
        elif index and isinstance(value, Sequence) and not isinstance(value, str) and int(index) < len(value):
            value = value[int(index)]
        else:
            raise NoSuchValue(path)
    return value
