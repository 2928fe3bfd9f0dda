"""A run's transactions: the fence is checked, the change and its events commit together, watchers wake.

Nothing in the engine writes outside :func:`committing`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts import audit
from accounts.models import ActorKind, User
from agentapp.kernel.errors import MandateError
from agentapp.kernel.gathering import gathering
from agentapp.kernel.rows import change
from runs.models import Run
from runs.states import RunState

#: How long a worker may be silent before another one takes its run over.
LEASE = timedelta(seconds=30)


class LeaseLost(MandateError):
    """Another worker holds the run now, or it ended. This worker must write nothing more."""

    code = "lease_lost"
    status = 409


class StopRequested(MandateError):
    """The person pressed Stop. No further act is started."""

    code = "stop_requested"
    status = 409


@dataclass
class Journal:
    """The events of one transaction, in order."""

    drafts: list[audit.Draft] = field(default_factory=list)

    def event(
        self, kind: str, data: Mapping[str, Any] | None = None, by: ActorKind = ActorKind.SYSTEM
    ) -> None:
        self.drafts.append(audit.Draft(kind, by, dict(data or {})))


def write_events(run: Run, journal: Journal, actor: User | None = None) -> None:
    """Append the journal's events to the run's chain and wake the conversation, in this transaction."""
    if journal.drafts:
        audit.record_many(
            journal.drafts,
            stream=run.pk,
            workspace=run.workspace,
            actor=actor,
            topic=run.conversation_id,
        )


@contextmanager
def committing(run: Run, *, intent: bool = False, **values: Any) -> Iterator[Journal]:
    """One transaction of the worker that holds `run`: renew the lease, set `values`, append the events.

    What is written is gathered, and sent when something is read or at the end; from then on the run's row is
    locked, and `run.stop_requested` is what it is there. An `intent` is written before an act and is refused
    then, if a stop was requested. Raises LeaseLost, StopRequested; then nothing is written, and what this
    process took for written is to be read anew.
    """
    journal = Journal()
    with transaction.atomic(), gathering():
        _touch(run, intent, values)
        yield journal
        write_events(run, journal)


def _touch(run: Run, intent: bool, values: dict[str, Any]) -> None:
    """Renew the lease and set `values` in one statement, which also says whether a stop was requested."""

    def reply(stop_requested: bool) -> None:
        run.stop_requested = stop_requested
        if intent and stop_requested:
            raise StopRequested("The person asked to stop.")

    change(
        run,
        {"lease_until": timezone.now() + LEASE, **values},
        where={"fence": run.fence, "state": RunState.WORKING},
        lost=LeaseLost(f"Run {run.pk} is no longer held with fence {run.fence}."),
        asks="stop_requested",
        reply=reply,
    )


def renew(run_id: UUID, fence: int) -> bool:
    """Renew the lease of a run during a long act. Returns False when it is not held any more."""
    held = Run.objects.filter(pk=run_id, fence=fence, state=RunState.WORKING)
    return held.update(lease_until=timezone.now() + LEASE) == 1
