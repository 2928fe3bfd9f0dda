"""What needs nothing but the database: the verdicts, the pauses, the end. Done inside the act's transaction.

After every act the plan is asked again, and as long as its answer is light it is carried out at once: one
act is one transaction, and what follows from it is never lost in between.
"""

from django.utils import timezone

from runs.confirmations import any_pending
from runs.engine import endings, verdicts
from runs.engine.ask import GO_ON, PAUSE, Onward, prepare
from runs.engine.plan import CONTRACT_CHANGED, plan
from runs.engine.requests import prose_request, step_request
from runs.engine.steps import (
    Adjust,
    AskModel,
    Engage,
    EscalateStep,
    Finish,
    NextStep,
    PassStep,
    Recover,
    StopStep,
    Wait,
    WriteProse,
)
from runs.guardrails import GuardrailReached
from runs.journal import Journal
from runs.queueing import call_next
from runs.states import Outcome, RunState, change_state
from runs.step_tools import Withdrawn
from runs.view import RunView

LIGHT = (Adjust, Engage, EscalateStep, Finish, PassStep, Recover, StopStep, Wait)


def follow(view: RunView, journal: Journal) -> Onward:
    """Carry out what is light, in the current transaction; of a model call that comes next, put the intent.

    Returns how the run goes on.
    """
    while isinstance(step := plan(view, timezone.now()), LIGHT):
        if not _apply(view, step, journal):
            return PAUSE
    try:
        match step:
            case AskModel():
                return Onward(True, prepare(view, step_request(view, step.step), step.step, journal))
            case WriteProse():
                return Onward(True, prepare(view, prose_request(view, view.unwritten_prose), None, journal))
    except GuardrailReached as reached:
        endings.finish(view, Finish(Outcome.GUARDRAIL, reached.limit), journal)
        return PAUSE
    except Withdrawn as withdrawn:
        endings.finish(view, Finish(Outcome.FAILED, CONTRACT_CHANGED, str(withdrawn)), journal)
        return PAUSE
    return GO_ON


def _apply(view: RunView, step: NextStep, journal: Journal) -> bool:
    match step:
        case Engage():
            verdicts.engage(step.step, journal)
        case Adjust():
            verdicts.adjust(step.step, step.reason, journal)
        case PassStep():
            verdicts.pass_step(view, step.step, step.reason, journal)
        case Recover():
            verdicts.recover(step.call, journal)
        case StopStep():
            verdicts.stop_step(view, step.step, step.reason, journal)
            return False
        case EscalateStep():
            verdicts.escalate(view, step.step, step.reason, step.gap, journal)
            return False
        case Finish():
            endings.finish(view, step, journal)
            return False
        case Wait():
            return _wait(view, step, journal)
    return True


def _wait(view: RunView, step: Wait, journal: Journal) -> bool:
    """Let go of the run until a person acts. Questions move the run when they are opened.

    Returns True when a person acted already, while this worker was busy with another call.
    """
    if step.state == RunState.ESCALATED:
        change_state(view.run, RunState.ESCALATED, where={"fence": view.run.fence}, lease_until=None)
        journal.event("run.waiting", {"for": "escalation"})
        call_next(view.run)
        return False
    if step.state != RunState.AWAITING:
        return False
    pending = any_pending(view.run)
    if view.run.stop_requested:  # as it is since that question, which locked the run's row
        return True
    if not pending:
        view.read_calls()
        return True
    change_state(view.run, RunState.AWAITING, where={"fence": view.run.fence}, lease_until=None)
    journal.event("run.waiting", {"for": "confirmation"})
    return False
