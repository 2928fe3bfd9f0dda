"""What workers do: drive runs, and sweep up what was left behind."""

from uuid import UUID

from django.db import InterfaceError, OperationalError, close_old_connections
from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from accounts import seals
from runs.engine.loop import drive
from runs.jobs import TASK
from runs.sweeping import sweep
from runs.trials.evaluating import EVALUATION_TASK, evaluation_carry_out

#: A database that restarts is back within a minute or so; the lease decides who goes on.
_WHEN_DATABASE_IS_BACK = RetryStrategy(
    max_attempts=10, wait=2, linear_wait=4, retry_exceptions=(OperationalError, InterfaceError)
)


@app.task(name=TASK, retry=_WHEN_DATABASE_IS_BACK)
def advance(run_id: str) -> None:
    """Drive one run."""
    close_old_connections()
    try:
        drive(UUID(run_id))
    finally:
        close_old_connections()


@app.task(name=EVALUATION_TASK, retry=_WHEN_DATABASE_IS_BACK)
def carry_out_evaluation(evaluation_id: str) -> None:
    """Run the test prompts of one evaluation that have no result yet."""
    close_old_connections()
    try:
        evaluation_carry_out(UUID(evaluation_id))
    finally:
        close_old_connections()


@app.periodic(cron="*/15 * * * * *")
@app.task(name="runs.sweep", queueing_lock="runs.sweep", pass_context=False)
def sweep_up(timestamp: int) -> None:
    """Every 15 seconds: expire what is due, and take up the runs whose worker went away."""
    close_old_connections()
    try:
        sweep()
    finally:
        close_old_connections()


@app.periodic(cron="7 * * * *")
@app.task(name="audit.seal", queueing_lock="audit.seal", pass_context=False)
def seal_audit(timestamp: int) -> None:
    """Every hour: join the chains of the audit history, so that a cut-off end shows."""
    close_old_connections()
    try:
        seals.seal()
    finally:
        close_old_connections()
