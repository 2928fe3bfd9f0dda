"""When a failed call is tried again, and how long to wait for it."""

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from agentapp.kernel.errors import ModelUnavailable

MAX_RETRIES = 2
#: An endpoint that asks for a longer pause than this is told to the operator instead of waited for.
MAX_PAUSE_SECONDS = 20.0
_FIRST_PAUSE_SECONDS = 0.25


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds an answer asks to wait (a number or an HTTP date), or None when it asks for nothing."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    seconds = _number(value)
    if seconds is None:
        seconds = _until(value, now or datetime.now(UTC))
    return None if seconds is None else max(0.0, seconds)


def pause_before_retry(error: ModelUnavailable, retries: int, seconds_left: float) -> float | None:
    """How long to wait before the next try; None when there is none.

    `retries` counts those already made. A pause that the call's own time does not hold is not begun.
    """
    if not error.data.get("retryable") or retries >= MAX_RETRIES:
        return None
    asked = error.data.get("retry_after")
    pause = asked if asked is not None else _FIRST_PAUSE_SECONDS * 2**retries * random.uniform(0.75, 1.0)  # noqa: S311
    return pause if pause <= MAX_PAUSE_SECONDS and pause < seconds_left else None


def _number(value: str) -> float | None:
    # Digits only: float() would also read "nan" and "inf". More digits than this is as good as never.
    return float(value[:12]) if value.replace(".", "", 1).isdecimal() and value.isascii() else None


def _until(value: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now).total_seconds()
