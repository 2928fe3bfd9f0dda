"""The model's three failures, named by code from what it did, and counted in the run's record.

A name is given, never argued: it comes from the gate's refusal, from a reply without a call, or from a text
that says more than the facts. It adds nothing to a verdict and takes nothing from one.
"""

from uuid import UUID

from activities.models.procedure import ToolChoice
from agentapp.kernel.text import shorten
from runs.engine import claims
from runs.engine.controller import judge
from runs.engine.known import known_text
from runs.journal import Journal
from runs.llm.base import ModelReply
from runs.models import FailureKind, ModelCall, RunFailure, RunStep, ToolCall
from runs.models.escalation import EscalationReason
from runs.states import Verdict
from runs.view import RunView

#: In so many rounds of one step a model may reach outside it; then somebody else decides.
SCOPE_ROUNDS = 3
#: So many replies without a call are told where the step stands; the next one ends it.
TOLD = 1

_OF_REFUSAL = {
    "not_in_step": FailureKind.SCOPE,
    "not_agent_controlled": FailureKind.SCOPE,
    "outside_limits": FailureKind.SCOPE,
    "ungrounded": FailureKind.IMAGINED_RESULT,
    "unknown_token": FailureKind.IMAGINED_RESULT,
}
_REASONS = {kind.value: EscalationReason(kind.value) for kind in FailureKind}


def of_refusal(code: str) -> FailureKind | None:
    """Return the failure that a gate's refusal stands for, None when it is no failure of the model."""
    return _OF_REFUSAL.get(code)


def of_reply(view: RunView, step: RunStep, reply: ModelReply) -> FailureKind | None:
    """Return the failure that a reply is: it ends while the step is open. None when it does not.

    It is an imagined result when it names what no fact holds, or says that it worked after calls that did
    not pass the step.
    """
    if reply.calls or reply.finish_reason in ("length", "content_filter"):
        return None
    if judge(step.step, view.scope(step), acted=_may_end(view, step)).verdict != Verdict.ADJUST:
        return None
    acted = bool(view.calls_of(step))
    text = view.vault.restore(reply.text)
    if acted and claims.claims_success(text):
        return FailureKind.IMAGINED_RESULT
    if claims.strange_identifier(text, known_text(view)):
        return FailureKind.IMAGINED_RESULT
    return FailureKind.PREMATURE_END


def _may_end(view: RunView, step: RunStep) -> bool:
    """A step that may act and does not can still pass by what is known already."""
    return bool(step.step.tool_choice == ToolChoice.AUTO)


def record_failure(
    view: RunView,
    kind: FailureKind,
    detail: str,
    journal: Journal,
    *,
    step: RunStep | None = None,
    model_call_id: UUID | None = None,
    call: ToolCall | None = None,
) -> None:
    """Write one failure down, in the current transaction."""
    detail = view.vault.hide(shorten(detail, 500))
    RunFailure.objects.create(
        run=view.run, step=step, model_call_id=model_call_id, call=call, kind=kind, detail=detail
    )
    told = {"kind": kind.value, "detail": detail}
    journal.event("failure.named", {**told, "step": step.step.key} if step else told)


def ends_in(rounds: list[ModelCall]) -> list[ModelCall]:
    """Return the rounds in which the model stopped while the step was open."""
    return [row for row in rounds if row.error_code in _REASONS]


def patience_lost(rounds: list[ModelCall], calls: list[ToolCall]) -> EscalationReason | None:
    """Return why the model is not asked again: it stopped once too often, or keeps reaching outside."""
    stops = ends_in(rounds)
    if len(stops) > TOLD:
        return _REASONS[stops[-1].error_code]
    own = [call for call in calls if call.by_id is None]
    outside = {call.model_call_id for call in own if of_refusal(call.error_code) is FailureKind.SCOPE}
    return EscalationReason.SCOPE if len(outside) >= SCOPE_ROUNDS else None


def reason_of_last(rounds: list[ModelCall], calls: list[ToolCall]) -> EscalationReason:
    """Return the name of the last round's failure; of none, that the attempts are used up."""
    if not rounds:
        return EscalationReason.ATTEMPTS
    last = rounds[-1]
    if last.error_code in _REASONS:
        return _REASONS[last.error_code]
    for call in calls:
        kind = of_refusal(call.error_code)
        if call.model_call_id == last.pk and kind is not None:
            return _REASONS[kind.value]
    return EscalationReason.ATTEMPTS
