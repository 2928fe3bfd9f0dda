"""Canonical JSON (RFC 8785) and digests over it.

Money and other decimals are strings, times are ISO 8601 in UTC, so that a digest computed today is the
digest computed in ten years by another program. Integers beyond 2**53 are refused by RFC 8785: they are
written as strings.
"""

import hashlib
import json
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import rfc8785

_MAX_SAFE = 2**53 - 1


def plain(value: Any) -> Any:
    """Return `value` with only JSON types: Decimal, UUID and dates as strings, tuples as lists."""
    if value is None or isinstance(value, bool | str):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, int):
        return value if -_MAX_SAFE <= value <= _MAX_SAFE else str(value)
    if isinstance(value, float):
        return value
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if hasattr(value, "model_dump"):
        return plain(value.model_dump(mode="python"))
    raise TypeError(f"{type(value).__name__} has no canonical JSON form")


def canonical_bytes(value: Any) -> bytes:
    """Return the RFC 8785 bytes of `value` after :func:`plain`."""
    return rfc8785.dumps(plain(value))


def digest(value: Any) -> str:
    """Return the SHA-256 of the canonical bytes, in lower-case hexadecimal (64 characters)."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()


def dumps(value: Any) -> str:
    """Return readable JSON of `value` (not for digests), Unicode kept."""
    return json.dumps(plain(value), ensure_ascii=False)
