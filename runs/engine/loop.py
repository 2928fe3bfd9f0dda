"""The one loop: take the lease, then plan and act until the run waits or ends."""

import logging
from uuid import UUID

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone, translation

from runs import answers
from runs.engine import act_answer, act_calls, act_intake, act_step
from runs.engine.ask import ModelFailed
from runs.engine.commit import commit
from runs.engine.heartbeat import heartbeat
from runs.engine.plan import plan
from runs.engine.steps import (
    Adjust,
    AskModel,
    CheckCalls,
    Engage,
    EscalateStep,
    Execute,
    FillInputs,
    Finish,
    NextStep,
    PassStep,
    Recover,
    Route,
    StopStep,
    Wait,
    WriteProse,
)
from runs.view import RunView
from runs.finishing import finish_run
from runs.guardrails import GuardrailReached
from runs.journal import LEASE, Journal, LeaseLost, StopRequested, write_events
from runs.models import Run
from runs.states import DRIVEN_RUN_STATES, Outcome, RunState

logger = logging.getLogger(__name__)
#: A run that plans more often than this within one lease is not getting anywhere.
MAX_TURNS = 2_000


def drive(run_id: UUID) -> None:
    """Drive a run until it waits for a person or ends. Returns at once when another worker holds it.

    Raises OperationalError when the database goes away: the lease then runs out and the run is taken up
    again. Any other failure of ours ends the run as failed, on record.
    """
    if not take_lease(run_id):
        return
    view = RunView.load(run_id)
    with translation.override(view.language), timezone.override(view.run.time_zone), heartbeat(view.run):
        try:
            _turn(view)
        except LeaseLost:
            logger.warning("Run %s is driven by another worker now.", run_id)
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            logger.exception("Run %s failed", run_id)
            _end(run_id, Outcome.FAILED, "internal")


def take_lease(run_id: UUID) -> bool:
    """Become the run's only writer, if nobody is. A held lease that ran out is taken over."""
    now = timezone.now()
    with transaction.atomic():
        run = Run.objects.select_for_update().select_related("workspace").filter(pk=run_id).first()
        if run is None or run.state not in DRIVEN_RUN_STATES:
            return False
        if run.state == RunState.WORKING and run.lease_until is not None and run.lease_until > now:
            return False
        taken_over = run.state == RunState.WORKING
        Run.objects.filter(pk=run_id).update(state=RunState.WORKING, fence=run.fence + 1, lease_until=now + LEASE)
        journal = Journal()
        journal.event("run.working", {"fence": run.fence + 1, "taken_over": taken_over})
        write_events(run, journal)
    return True


def _turn(view: RunView) -> None:
    for _turns in range(MAX_TURNS):
        step = plan(view, timezone.now())
        try:
            if not act(view, step):
                return
        except StopRequested:
            view.run.stop_requested = True
        except GuardrailReached as reached:
            act_answer.finish(view, Outcome.GUARDRAIL, reached.limit, "")
            return
        except ModelFailed as failure:
            act_answer.finish(view, Outcome.FAILED, failure.reason, failure.message)
            return
    raise RuntimeError(f"Run {view.run.pk} planned {MAX_TURNS} times without an end.")


def act(view: RunView, step: NextStep) -> bool:
    """Carry out one step of the plan. Returns whether the run goes on now."""
    match step:
        case Route():
            return act_intake.route(view)
        case FillInputs():
            return act_intake.fill_inputs(view)
        case Engage():
            return act_step.engage(view, step.step)
        case AskModel():
            return act_step.ask_model(view, step.step)
        case CheckCalls():
            return act_calls.check_calls(view, step.step, step.calls)
        case Execute():
            return act_calls.execute(view, step.step, step.call)
        case Recover():
            return act_calls.recover(view, step.call)
        case Adjust():
            return act_step.adjust(view, step.step, step.reason)
        case PassStep():
            return act_step.pass_step(view, step.step, step.reason)
        case StopStep():
            return act_step.stop_step(view, step.step, step.reason)
        case EscalateStep():
            return act_step.escalate(view, step)
        case WriteProse():
            return act_answer.write_prose(view)
        case Finish():
            return act_answer.finish(view, step.outcome, step.code, step.detail)
        case Wait():
            return _wait(view, step)


def _wait(view: RunView, step: Wait) -> bool:
    if step.state == "awaiting_confirmation":
        return act_calls.wait_for_confirmation(view)
    # A question or an escalation was opened together with the run's state; being here means they differ.
    raise RuntimeError(f"Run {view.run.pk} is worked on while it waits ({step.state}).")


def _end(run_id: UUID, outcome: Outcome, code: str) -> None:
    """End a run after a failure of ours, from what the database holds, whatever this process believed."""
    view = RunView.load(run_id)
    if view.run.state != RunState.WORKING:
        return
    with commit(view) as journal:
        finish_run(view.run, outcome, journal, answer=answers.failed(code), code=code)
