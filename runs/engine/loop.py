"""The one loop: take the lease, then plan and act until the run waits or ends."""

import logging
from uuid import UUID

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone, translation

from agentapp.kernel.compiled import Compiled
from agentapp.kernel.gathering import gathering
from agentapp.kernel.rows import change
from runs import answers
from runs.engine import act_calls, act_discover, act_intake, act_prose, act_route, act_step, endings
from runs.engine.ask import GO_ON, PAUSE, ModelFailed, Onward, Prepared
from runs.engine.commit import commit
from runs.engine.heartbeat import heartbeat
from runs.engine.light import follow
from runs.engine.plan import CONTRACT_CHANGED, plan
from runs.engine.steps import (
    AskModel,
    CarryOut,
    Discover,
    Execute,
    FillInputs,
    Finish,
    NextStep,
    Route,
    WriteProse,
)
from runs.finishing import finish_run
from runs.guardrails import GuardrailReached
from runs.journal import LEASE, Journal, LeaseLost, StopRequested, write_events
from runs.models import Run
from runs.queueing import turn_is_free
from runs.states import DRIVEN_RUN_STATES, CallState, Outcome, RunState, change_state
from runs.step_tools import Withdrawn
from runs.view import RunView

logger = logging.getLogger(__name__)
_HELD = Compiled(
    lambda run: Run.objects.select_for_update(of=("self",)).select_related("workspace", "user").filter(pk=run)
)
#: A run that plans more often than this within one lease is not getting anywhere.
MAX_TURNS = 2_000


def drive(run_id: UUID) -> None:
    """Drive a run until it waits for a person or ends. Returns at once when another worker holds it.

    Raises OperationalError when the database goes away: the lease then runs out and the run is taken up
    again. Any other failure of ours ends the run as failed, on record.
    """
    run = take_lease(run_id)
    if run is None:
        return
    view = RunView.of(run)
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


def take_lease(run_id: UUID) -> Run | None:
    """Become the run's only writer, if nobody is, and return it. A held lease that ran out is taken over."""
    now = timezone.now()
    with transaction.atomic(), gathering():
        run = _HELD.first(run_id)
        if run is None or (run.state == RunState.TURN and not _turn_came(run)):
            return None
        if run.state not in DRIVEN_RUN_STATES:
            return None
        if run.state == RunState.WORKING and run.lease_until is not None and run.lease_until > now:
            return None
        taken_over = run.state == RunState.WORKING
        change(run, {"state": RunState.WORKING, "fence": run.fence + 1, "lease_until": now + LEASE})
        journal = Journal()
        journal.event("run.working", {"fence": run.fence, "taken_over": taken_over})
        write_events(run, journal)
    return run


def _turn_came(run: Run) -> bool:
    """Take the turn in the conversation. Returns False while another run has it."""
    if not turn_is_free(run):
        return False
    change_state(run, RunState.QUEUED)
    return True


def _turn(view: RunView) -> None:
    onward = GO_ON
    for _turns in range(MAX_TURNS):
        try:
            onward = act(view, plan(view, timezone.now()), onward.prepared)
        except StopRequested:
            onward = GO_ON  # the plan now ends the run
            view = _read_anew(view)
        except GuardrailReached as reached:
            onward = _finish(view, Finish(Outcome.GUARDRAIL, reached.limit))
        except Withdrawn as withdrawn:
            onward = _finish(view, Finish(Outcome.FAILED, CONTRACT_CHANGED, str(withdrawn)))
        except ModelFailed as failure:
            onward = _finish(view, Finish(Outcome.FAILED, failure.reason, failure.message))
        if not onward.goes_on:
            return
    raise RuntimeError(f"Run {view.run.pk} planned {MAX_TURNS} times without an end.")


def _read_anew(view: RunView) -> RunView:
    """Return the run as the database has it, without what a refused transaction would have written."""
    current = RunView.load(view.run.pk)
    current.driving_since = view.driving_since
    return current


def act(view: RunView, step: NextStep, prepared: Prepared | None) -> Onward:
    """Carry out one step of the plan. `prepared` is the model call that was put on record for it."""
    match step:
        case Route():
            return act_route.route(view)
        case FillInputs():
            return act_intake.fill_inputs(view)
        case Discover():
            return act_discover.discover(view, step.step)
        case AskModel():
            return act_step.ask_model(view, step.step, prepared)
        case CarryOut():
            return act_calls.carry_out(view, step.step, step.call)
        case Execute():
            return act_calls.execute(view, step.step, step.call)
        case WriteProse():
            return act_prose.write_prose(view, prepared)
        case _:
            with commit(view) as journal:
                return follow(view, journal)


def _finish(view: RunView, ending: Finish) -> Onward:
    with commit(view) as journal:
        endings.finish(view, ending, journal)
    return PAUSE


def _end(run_id: UUID, outcome: Outcome, code: str) -> None:
    """End a run after a failure of ours, from what the database holds, whatever this process believed."""
    view = RunView.load(run_id)
    if view.run.state != RunState.WORKING:
        return
    with commit(view) as journal:
        if any(call.state == CallState.EXECUTING for call in view.calls):
            follow(view, journal)  # its outcome is not known: that is escalated, never counted as failed
        else:
            finish_run(view.run, outcome, journal, answer=answers.failed(code), code=code)
