"""Getting a run driven: by a worker's job, deferred in the transaction that makes it due, or right here."""

from uuid import UUID

from django.utils import timezone
from procrastinate.contrib.django import app

from runs.engine.loop import drive
from runs.models import Run
from runs.states import RunState, change_state

TASK = "runs.advance"


def run_defer(run: Run) -> None:
    """Queue the job that drives `run`, in the current transaction."""
    app.configure_task(TASK).defer(run_id=str(run.pk))


def run_queue(run: Run) -> None:
    """Move a run that waited back to the workers, in the current transaction. Raises TransitionLost."""
    change_state(run, RunState.QUEUED, queued_at=timezone.now(), lease_until=None)
    run_defer(run)


def run_drain(run_id: UUID) -> Run:
    """Drive a run in this process until it waits or ends, and return it as it then is."""
    drive(run_id)
    return Run.objects.select_related("activity", "revision", "workspace", "user").get(pk=run_id)
