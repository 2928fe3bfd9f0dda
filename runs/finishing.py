"""How a run ends: its outcome, its answer, and nothing left pending, in one transaction."""

from typing import Any

from django.db import connection
from django.utils import timezone

from accounts.models import ActorKind
from runs.escalating import settle_of_step
from runs.journal import Journal
from runs.models import Confirmation, Question, Run, ToolCall
from runs.queueing import call_next
from runs.sequence import HandOver, follow_run
from runs.states import (
    CallState,
    ConfirmationState,
    EscalationState,
    Outcome,
    QuestionState,
    RunState,
    StepState,
    change_state,
)

_NOT_ENDED = (StepState.PENDING, StepState.ENGAGED, StepState.ESCALATED)
_UNSTARTED = (CallState.PROPOSED, CallState.AWAITING, CallState.ADMITTED)
_ANYTHING_OPEN = """
    SELECT EXISTS (SELECT FROM runs_question WHERE run_id = %(run)s AND state = %(question)s)
        OR EXISTS (SELECT FROM runs_confirmation WHERE run_id = %(run)s AND state = %(confirmation)s)
        OR EXISTS (SELECT FROM runs_toolcall WHERE run_id = %(run)s AND state = ANY(%(calls)s))
        OR EXISTS (SELECT FROM runs_runstep WHERE run_id = %(run)s AND state = ANY(%(steps)s))
"""


def finish_run(
    run: Run,
    outcome: Outcome,
    journal: Journal,
    *,
    answer: str,
    code: str = "",
    by: ActorKind = ActorKind.SYSTEM,
    hand_over: HandOver | None = None,
) -> None:
    """Move `run` to finished, and start what follows it: `hand_over`, or the next part of its plan.

    Pending questions and confirmations become void, open steps abandoned.

    Raises TransitionLost when it is no longer in the state this instance has.
    """
    change_state(
        run,
        RunState.FINISHED,
        outcome=outcome,
        error_code=code[:40],
        answer=answer,
        finished_at=timezone.now(),
        lease_until=None,
    )
    if _is_anything_open(run):
        void_pending(run, journal)
        _abandon_steps(run, outcome, journal)
    journal.event("run.finished", {"outcome": outcome.value, "code": code}, by)
    follow_run(run, journal, hand_over)
    call_next(run)


def _is_anything_open(run: Run) -> bool:
    """Say in one question what the next ones would each ask: most runs end with nothing left open."""
    values: dict[str, Any] = {
        "run": run.pk,
        "question": QuestionState.OPEN.value,
        "confirmation": ConfirmationState.PENDING.value,
        "calls": [state.value for state in _UNSTARTED],
        "steps": [state.value for state in _NOT_ENDED],
    }
    with connection.cursor() as cursor:
        cursor.execute(_ANYTHING_OPEN, values)
        return bool(cursor.fetchone()[0])


def _abandon_steps(run: Run, outcome: Outcome, journal: Journal) -> None:
    open_states = _NOT_ENDED[:-1] if outcome is Outcome.ESCALATED else _NOT_ENDED  # a trial ends so
    for step in run.steps.filter(state__in=open_states):
        if step.state == StepState.ESCALATED:
            settle_of_step(step, EscalationState.CLOSED, journal)
        change_state(step, StepState.ABANDONED, ended_at=timezone.now())


def void_pending(run: Run, journal: Journal) -> None:
    """Close what still waits for a person, and refuse the calls that were not started."""
    for question in Question.objects.filter(run=run, state=QuestionState.OPEN):
        change_state(question, QuestionState.VOID)
    for confirmation in Confirmation.objects.filter(run=run, state=ConfirmationState.PENDING):
        change_state(confirmation, ConfirmationState.VOID, decided_at=timezone.now())
        journal.event("confirmation.void", {"confirmation": str(confirmation.pk)})
    for call in ToolCall.objects.filter(run=run, state__in=_UNSTARTED):
        refuse_call(call, journal, "run_ended", "The run ended before this call was started.")


def refuse_call(
    call: ToolCall, journal: Journal, code: str, message: str, by: ActorKind = ActorKind.SYSTEM
) -> None:
    """Move a call that was not started to refused."""
    change_state(
        call, CallState.REFUSED, error_code=code[:40], error_message=message[:2000], ended_at=timezone.now()
    )
    journal.event(
        "call.refused", {"call": str(call.pk), "tool": call.tool_key, "code": code, "message": message}, by
    )
