"""What happens next in a run: a pure function of its rows. No I/O, no clock of its own, no model."""

from datetime import datetime
from typing import TypeVar

from activities.models.procedure import ToolChoice
from runs.engine.controller import judge
from runs.engine.failures import patience_lost, reason_of_last
from runs.engine.steps import (
    Adjust,
    AskModel,
    CarryOut,
    Discover,
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
from runs.guardrails import Limit, limits_of, out_of_time
from runs.models import ModelCall, RunStep, ToolCall
from runs.models.escalation import EscalationReason
from runs.states import FRUITFUL_CALL_STATES, CallState, Outcome, RunState, StepState, Verdict
from runs.step_tools import is_to_be_searched
from runs.view import RunView

Row = TypeVar("Row", ModelCall, ToolCall)
#: The code of a run that a changed or withdrawn tool stopped.
CONTRACT_CHANGED = "contract_changed"
#: Error codes of calls that a person's decision ended, and what the run ends as.
_DECIDED = {"person_refused": Outcome.REFUSED, "confirmation_expired": Outcome.EXPIRED}


def plan(view: RunView, now: datetime) -> NextStep:
    """Return what to do next. A call whose outcome is not known comes before all else, also before a stop."""
    step = view.current_step
    unknown = _unknown_outcome(view, step) if step is not None else None
    if unknown is not None:
        return unknown
    if view.run.stop_requested:
        return Finish(Outcome.CANCELLED)
    if out_of_time(view.run, limits_of(view.activity), view.driving_since, now):
        return Finish(Outcome.GUARDRAIL, Limit.DURATION)
    if view.open_question is not None:
        return Wait(RunState.NEEDS_INPUT)
    if view.activity is None:
        return Route()
    if not view.steps or view.unread_answer:
        return FillInputs()
    if step is None:
        return WriteProse(None) if view.unwritten_prose else Finish(Outcome.SUCCEEDED)
    return _plan_step(view, step)


def _plan_step(view: RunView, step: RunStep) -> NextStep:
    if step.state == StepState.PENDING:
        return Engage(step)
    pending = _pending_call(view, step)
    if pending is not None:
        return pending
    if step.state == StepState.ESCALATED:
        return _plan_escalated_step(view, step)
    if step.step.tool_choice == ToolChoice.NONE:
        return _plan_writing_step(view, step)
    return _plan_acting_step(view, step)


def _unknown_outcome(view: RunView, step: RunStep) -> NextStep | None:
    """Return what a call that was started and never came back needs, None when there is none."""
    if step.state not in (StepState.ENGAGED, StepState.ESCALATED):
        return None
    for call in since_resumed(step, view.calls_of(step)):
        if call.state == CallState.EXECUTING:
            return Recover(step, call)
        if call.state == CallState.UNKNOWN and step.state == StepState.ENGAGED:
            return EscalateStep(step, EscalationReason.UNKNOWN_OUTCOME, call.error_message)
    return None


def _pending_call(view: RunView, step: RunStep) -> NextStep | None:
    """Return what the step's unsettled calls need, None when all are settled."""
    calls = view.calls_of(step)
    by_state: dict[str, list[ToolCall]] = {}
    for call in calls:
        by_state.setdefault(call.state, []).append(call)
    if proposed := by_state.get(CallState.PROPOSED):
        return CarryOut(step, proposed[0])
    if admitted := by_state.get(CallState.ADMITTED):
        return Execute(step, admitted[0])
    if by_state.get(CallState.AWAITING):
        return Wait(RunState.AWAITING)
    return None


def _plan_escalated_step(view: RunView, step: RunStep) -> NextStep:
    """What the decider did themselves passes the step if its facts do; else it stays in their hands."""
    acted = any(call.by_id and call.state == CallState.SUCCEEDED for call in view.calls_of(step))
    if acted:
        judgement = judge(step.step, view.scope(step), acted=True)
        if judgement.verdict == Verdict.PASS:
            return PassStep(step, judgement.reason)
        if judgement.verdict == Verdict.STOP:
            return StopStep(step, judgement.reason)
    return Wait(RunState.ESCALATED)


def since_resumed(step: RunStep, rows: list[Row]) -> list[Row]:
    """Return the rows of the step that count: what was before an escalation was resumed does not."""
    return [row for row in rows if step.resumed_at is None or row.created_at > step.resumed_at]


def _plan_writing_step(view: RunView, step: RunStep) -> NextStep:
    if view.unwritten_prose:
        judgement = judge(step.step, view.scope(step), acted=False)
        return StopStep(step, judgement.reason) if judgement.verdict == Verdict.STOP else WriteProse(step)
    judgement = judge(step.step, view.scope(step), acted=True)
    if judgement.verdict == Verdict.PASS:
        return PassStep(step, judgement.reason)
    return EscalateStep(step, EscalationReason.ATTEMPTS, judgement.reason)


def _plan_acting_step(view: RunView, step: RunStep) -> NextStep:
    rounds, calls = view.rounds_of(step), view.calls_of(step)
    succeeded = any(call.state in FRUITFUL_CALL_STATES for call in calls)
    acted = succeeded or (_went_past(view, rounds) and step.step.tool_choice == ToolChoice.AUTO)
    judgement = judge(step.step, view.scope(step), acted=acted)
    if judgement.verdict == Verdict.STOP:
        return StopStep(step, judgement.reason)
    ended = _ended_by(since_resumed(step, calls))
    # Where nothing was done and a person said no, a condition that always holds makes no success of it.
    if judgement.verdict == Verdict.PASS and (succeeded or ended is None):
        return PassStep(step, judgement.reason)
    if ended is not None:
        return ended
    rounds, calls = since_resumed(step, rounds), since_resumed(step, calls)
    if _fruitless(rounds, calls) > step.attempts:
        return Adjust(step, _why(rounds, calls) or judgement.reason)
    lost = patience_lost(rounds, calls)
    if lost is None and step.attempts >= step.step.max_attempts:
        lost = reason_of_last(rounds, calls)
    if lost is not None:
        return EscalateStep(step, lost, step.verdict_reason or judgement.reason)
    return Discover(step) if is_to_be_searched(view, step) else AskModel(step)


def _went_past(view: RunView, rounds: list[ModelCall]) -> bool:
    """True when the model had a round in which it did more than to search again."""
    searched = {search.model_call_id for search in view.searches}
    return any(row.pk not in searched for row in rounds)


def _ended_by(calls: list[ToolCall]) -> Finish | None:
    """Return the end that a person's decision or a limit put to the run."""
    for call in calls:
        if call.error_code in _DECIDED:
            return Finish(_DECIDED[call.error_code], call.error_code, call.error_message)
        if call.error_code == "guardrail":
            return Finish(Outcome.GUARDRAIL, Limit.TOOL_CALLS)
        if call.error_code == CONTRACT_CHANGED:
            return Finish(Outcome.FAILED, call.error_code, call.error_message)
        if call.error_code == "tool_refused":
            return Finish(Outcome.REFUSED, call.error_code, call.error_message)
    return None


def _fruitless(rounds: list[ModelCall], calls: list[ToolCall]) -> int:
    """Count the rounds that brought no new fact. A question to the person is no attempt."""
    acted = {call.model_call_id for call in calls}
    fruitful = {call.model_call_id for call in calls if call.state in FRUITFUL_CALL_STATES}
    return sum(1 for row in rounds if row.pk not in fruitful and (row.pk in acted or row.error_code))


def _came_with(calls: list[ToolCall], row: ModelCall) -> bool:
    return any(call.model_call_id == row.pk for call in calls)


def _why(rounds: list[ModelCall], calls: list[ToolCall]) -> str:
    last = next(row for row in reversed(rounds) if row.error_code or _came_with(calls, row))
    if last.error_message:
        return last.error_message
    messages = [call.error_message for call in calls if call.model_call_id == last.pk and call.error_message]
    return "; ".join(messages) or "The model proposed no action while the step is open."
