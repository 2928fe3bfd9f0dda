"""Values from outside, taken only when they are of the kind that was expected."""

from collections.abc import Mapping
from typing import Any


def mapping_of(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def items_of(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def count_of(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def index_of(value: object) -> int | str | None:
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None
