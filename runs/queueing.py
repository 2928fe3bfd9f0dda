"""Handing runs to the workers, in the transaction that makes them due."""

from django.utils import timezone
from procrastinate.contrib.django import app

from agentapp.kernel.compiled import Compiled
from runs.models import Conversation, Run
from runs.states import ACTIVE_RUN_STATES, RunState, change_state

TASK = "runs.advance"
_NEXT = Compiled(
    lambda conversation: Run.objects.filter(conversation=conversation, state=RunState.TURN).order_by(
        "queued_at"
    )[:1]
)


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
    if turn_is_free(run):
        run_queue(run)
        return
    change_state(run, RunState.TURN, queued_at=timezone.now(), lease_until=None)
    run_defer(run)


def turn_is_free(run: Run) -> bool:
    """Hold the conversation and return True when no other run is active in it.

    Whoever starts a run holds its conversation, so that no two become active. One that somebody holds at this
    moment counts as taken: it is tried again.
    """
    held = Conversation.objects.select_for_update(skip_locked=True).filter(pk=run.conversation_id)
    if not held.values_list("pk").first():
        return False
    others = Run.objects.filter(conversation=run.conversation_id, state__in=ACTIVE_RUN_STATES)
    return not others.exists()


def call_next(run: Run) -> None:
    """`run` is not active any more: let a run of its conversation that waits for its turn be tried."""
    following = _NEXT.first(run.conversation_id)
    if following is not None:
        run_defer(following)
