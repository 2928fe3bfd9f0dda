"""Getting a run driven: by a worker's job, deferred in the transaction that makes it due, or right here."""

from uuid import UUID

from agentapp.kernel.compiled import Compiled
from runs.engine.loop import drive
from runs.models import Run
from runs.queueing import TASK, run_defer, run_queue, run_resume

_RUN = Compiled(
    lambda run: Run.objects.select_related("activity", "revision", "workspace", "user").filter(pk=run)
)

__all__ = ["TASK", "run_defer", "run_drain", "run_queue", "run_resume"]


def run_drain(run_id: UUID) -> Run:
    """Drive a run in this process until it waits or ends, and return it as it then is."""
    drive(run_id)
    return _RUN.get(run_id)
