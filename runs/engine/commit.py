"""The engine's transactions: the lease's, with the active time counted up to now."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.utils import timezone

from runs.guardrails import active_seconds
from runs.journal import Journal, committing
from runs.view import RunView


@contextmanager
def commit(view: RunView, *, intent: bool = False, **values: Any) -> Iterator[Journal]:
    """One transaction of the driving worker. Raises LeaseLost, StopRequested; see `runs.journal`."""
    now = timezone.now()
    spent = active_seconds(view.run, view.driving_since, now)
    with committing(view.run, intent=intent, active_seconds=spent, **values) as journal:
        yield journal
    view.driving_since = now
