"""Every state, every outcome, every allowed transition. Nothing else in the product spells them.

A transition is a compare-and-set: it changes a row only where the old state still holds, raises
TransitionLost where it does not, and the caller writes its audit event in the same transaction.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from agentapp.kernel.errors import TransitionLost
from agentapp.kernel.rows import change


class RunState(models.TextChoices):
    QUEUED = "queued", _("queued")  #: Its job is waiting for a worker.
    WORKING = "working", _("working")  #: A worker holds its lease.
    NEEDS_INPUT = "needs_input", _("waiting for an answer")  #: A question is open.
    AWAITING = "awaiting_confirmation", _("waiting for a confirmation")  #: A confirmation is pending.
    ESCALATED = "escalated", _("escalated")  #: A step is open and somebody else decides.
    TURN = "waiting_turn", _("waiting for its turn")  #: It may go on once the conversation's other run ended.
    FINISHED = "finished", _("finished")  #: It has an outcome; nothing more happens.


class Outcome(models.TextChoices):
    SUCCEEDED = "succeeded", _("succeeded")
    SIMULATED = "simulated", _("tried out")  #: A trial reached its end; nothing was executed.
    NOTHING_TO_DO = "nothing_to_do", _("nothing to do")
    NEEDS_INPUT = "needs_input", _("needs an answer")
    AWAITING_CONFIRMATION = "awaiting_confirmation", _("awaits a confirmation")
    REFUSED = "refused", _("refused")
    DECLINED = "declined", _("declined")
    ESCALATED = "escalated", _("escalated")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("stopped")
    EXPIRED = "expired", _("expired")
    GUARDRAIL = "stopped_by_guardrail", _("stopped by a limit")


#: Outcomes of a run that is not finished: they follow from its state.
WAITING_OUTCOME: Mapping[str, Outcome] = {
    RunState.NEEDS_INPUT: Outcome.NEEDS_INPUT,
    RunState.AWAITING: Outcome.AWAITING_CONFIRMATION,
    RunState.ESCALATED: Outcome.ESCALATED,
}

#: A conversation holds at most one run in these states.
ACTIVE_RUN_STATES = (RunState.QUEUED, RunState.WORKING, RunState.NEEDS_INPUT, RunState.AWAITING)
#: A run in these states has, or is owed, a worker.
DRIVEN_RUN_STATES = (RunState.QUEUED, RunState.WORKING)


class StepState(models.TextChoices):
    PENDING = "pending", _("to come")
    ENGAGED = "engaged", _("in progress")
    PASSED = "passed", _("passed")
    STOPPED = "stopped", _("stopped")  #: The stop condition held: there is nothing to do.
    ESCALATED = "escalated", _("escalated")  #: Open, in somebody else's hands.
    ABANDONED = "abandoned", _("abandoned")  #: The run ended before the step was passed.


class Verdict(models.TextChoices):
    PASS = "pass", _("passed")
    ADJUST = "adjust", _("adjust")
    STOP = "stop", _("nothing to do")
    ESCALATE = "escalate", _("escalate")


class CallState(models.TextChoices):
    PROPOSED = "proposed", _("proposed")
    AWAITING = "awaiting", _("awaiting confirmation")
    ADMITTED = "admitted", _("admitted")
    EXECUTING = "executing", _("executing")
    SUCCEEDED = "succeeded", _("done")
    FAILED = "failed", _("failed")  #: The tool said no; nothing was changed.
    REFUSED = "refused", _("refused")  #: The gate or a person said no; nothing was started.
    UNKNOWN = "unknown", _("outcome unknown")  #: It was started and its outcome is not known.
    SIMULATED = "simulated", _("simulated")  #: In a trial: the gate let it through, and it was not started.


#: A call in these states gave a fact.
FRUITFUL_CALL_STATES = (CallState.SUCCEEDED, CallState.SIMULATED)


class ConfirmationState(models.TextChoices):
    PENDING = "pending", _("pending")
    CONFIRMED = "confirmed", _("confirmed")
    REFUSED = "refused", _("refused")
    EXPIRED = "expired", _("expired")
    VOID = "void", _("void")  #: The run ended, or the arguments changed, before a decision.


class QuestionState(models.TextChoices):
    OPEN = "open", _("open")
    ANSWERED = "answered", _("answered")
    EXPIRED = "expired", _("expired")
    VOID = "void", _("void")


class EscalationState(models.TextChoices):
    OPEN = "open", _("open")
    RESUMED = "resumed", _("resumed")  #: The step goes on with what the decider said.
    SOLVED = "solved", _("solved")  #: What the decider did passed the step.
    CLOSED = "closed", _("closed")  #: Not done, for the reason given.


class DecisionKind(models.TextChoices):
    """What somebody did with an escalation."""

    TAKE = "take", _("taken")
    SUPPLY = "supply", _("answered")
    ACT = "act", _("acted")
    PASS_ON = "pass_on", _("passed on")
    CLOSE = "close", _("closed")


class PartState(models.TextChoices):
    """Of a part of a plan; once it began, its run says the rest."""

    PENDING = "pending", _("to come")
    STARTED = "started", _("begun")
    HELD = "held", _("held")  #: What it builds on was not done.
    STOPPED = "stopped", _("stopped")  #: Stop was pressed before it began.


class Declaration(models.TextChoices):
    """What became of the intention an agent declares with a step's first action. Never part of a verdict."""

    GIVEN = "given", _("declared")
    UNRELATED = "unrelated", _("declared something else")
    MISSING = "missing", _("not declared")


_RUN: Mapping[str, frozenset[str]] = {
    RunState.QUEUED: frozenset({RunState.WORKING, RunState.FINISHED}),
    RunState.WORKING: frozenset(
        {RunState.QUEUED, RunState.NEEDS_INPUT, RunState.AWAITING, RunState.ESCALATED, RunState.FINISHED}
    ),
    RunState.NEEDS_INPUT: frozenset({RunState.QUEUED, RunState.FINISHED}),
    RunState.AWAITING: frozenset({RunState.QUEUED, RunState.FINISHED}),
    RunState.ESCALATED: frozenset({RunState.QUEUED, RunState.TURN, RunState.FINISHED}),
    RunState.TURN: frozenset({RunState.QUEUED, RunState.FINISHED}),
}
_STEP: Mapping[str, frozenset[str]] = {
    StepState.PENDING: frozenset({StepState.ENGAGED, StepState.ABANDONED}),
    StepState.ENGAGED: frozenset(
        {StepState.PASSED, StepState.STOPPED, StepState.ESCALATED, StepState.ABANDONED}
    ),
    StepState.ESCALATED: frozenset({StepState.ENGAGED, StepState.ABANDONED}),
}
_CALL: Mapping[str, frozenset[str]] = {
    CallState.PROPOSED: frozenset({CallState.AWAITING, CallState.ADMITTED, CallState.REFUSED}),
    CallState.AWAITING: frozenset({CallState.ADMITTED, CallState.REFUSED}),
    CallState.ADMITTED: frozenset({CallState.EXECUTING, CallState.REFUSED, CallState.SIMULATED}),
    CallState.EXECUTING: frozenset({CallState.SUCCEEDED, CallState.FAILED, CallState.UNKNOWN}),
}
_CONFIRMATION: Mapping[str, frozenset[str]] = {
    ConfirmationState.PENDING: frozenset(
        {
            ConfirmationState.CONFIRMED,
            ConfirmationState.REFUSED,
            ConfirmationState.EXPIRED,
            ConfirmationState.VOID,
        }
    ),
}
_QUESTION: Mapping[str, frozenset[str]] = {
    QuestionState.OPEN: frozenset({QuestionState.ANSWERED, QuestionState.EXPIRED, QuestionState.VOID}),
}
_ESCALATION: Mapping[str, frozenset[str]] = {
    EscalationState.OPEN: frozenset(
        {EscalationState.RESUMED, EscalationState.SOLVED, EscalationState.CLOSED}
    ),
}
_PART: Mapping[str, frozenset[str]] = {
    PartState.PENDING: frozenset({PartState.STARTED, PartState.HELD, PartState.STOPPED}),
    PartState.HELD: frozenset({PartState.PENDING, PartState.STOPPED}),
}
_TABLES: Mapping[str, Mapping[str, frozenset[str]]] = {
    "Run": _RUN,
    "RunStep": _STEP,
    "ToolCall": _CALL,
    "Confirmation": _CONFIRMATION,
    "Question": _QUESTION,
    "Escalation": _ESCALATION,
    "PlanPart": _PART,
}


def allowed(kind: str, old: str, new: str) -> bool:
    """True when the table of `kind` (a model's name) has the transition."""
    return new in _TABLES[kind].get(old, frozenset())


def change_state(
    row: models.Model,
    new: str,
    *,
    via: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    **values: Any,
) -> None:
    """Move `row` to state `new` and set `values`, only where its state (and `where`) still hold.

    `via` names the states passed on the way within the same transaction; each hop must be allowed.

    Raises TransitionLost when the table forbids the move or another process made one first; then nothing
    was changed. While writes are gathered, the second is raised when they are sent. The instance carries the
    new values.
    """
    kind, old = type(row).__name__, row.state  # type: ignore[attr-defined]
    hops = [old, *via, new]
    if not all(allowed(kind, one, other) for one, other in pairwise(hops)):
        raise TransitionLost(f"{kind} {row.pk} cannot go from {' to '.join(hops)}.", state=old)
    lost = TransitionLost(f"{kind} {row.pk} was no longer {old}.", state=old)
    change(row, {"state": new, **values}, where={"state": old, **(where or {})}, lost=lost)
