"""Handing runs to the workers, in the transaction that makes them due."""

from django.db import IntegrityError, transaction
from django.utils import timezone
from procrastinate.contrib.django import app

from runs.models import Run
from runs.states import ACTIVE_RUN_STATES, RunState, change_state

TASK = "runs.advance"


def run_defer(run: Run) -> None:
    """Queue the job that drives `run`, in the current transaction."""
    app.configure_task(TASK).defer(run_id=str(run.pk))


def run_queue(run: Run) -> None:
    """Move a run that waited back to the workers, in the current transaction. Raises TransitionLost."""
    change_state(run, RunState.QUEUED, queued_at=timezone.now(), lease_until=None)
    run_defer(run)


def run_resume(run: Run) -> None:
    """Move an escalated run back to the workers; while another run of its conversation is active, to the
    turn after that one. Raises TransitionLost.
    """
    others = Run.objects.filter(conversation=run.conversation_id, state__in=ACTIVE_RUN_STATES)
    if not others.exists():
        try:
            with transaction.atomic():
                run_queue(run)
            return
        except IntegrityError:
            pass  # a new request came in at this moment: it goes first
    change_state(run, RunState.TURN, queued_at=timezone.now(), lease_until=None)


def call_next(run: Run) -> None:
    """`run` is not active any more: let a run of its conversation that waits for its turn be tried."""
    waiting = Run.objects.filter(conversation=run.conversation_id, state=RunState.TURN)
    for following in waiting.order_by("queued_at")[:1]:
        run_defer(following)
