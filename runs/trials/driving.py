"""Driving a trial in this process: its run, and those it is followed by."""

from runs.jobs import run_drain
from runs.models import Run
from runs.sequence import MOST_TRIED
from runs.states import RunState


def trial_drain(run: Run) -> Run:
    """Drive a trial until it and what follows it wait or ended; return its first run as it then is."""
    for _turn in range(MOST_TRIED + 1):
        queued = run.conversation.runs.filter(state=RunState.QUEUED).order_by("pk").first()
        if queued is None:
            break
        run_drain(queued.pk)
    return run_drain(run.pk)
