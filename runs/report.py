"""A run as one object, for programs: the shape of the API and of the command line's `--json`."""

from collections.abc import Collection
from decimal import Decimal
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from accounts.models import User
from runs.models import Confirmation, PlanPart, Question, Run, RunFailure, RunStep, ToolCall
from runs.searches import SearchReport, searches_seen
from runs.selectors import events_of
from runs.states import WAITING_OUTCOME, QuestionState


class CandidateReport(BaseModel):
    value: str
    label: str
    detail: str


class QuestionFieldReport(BaseModel):
    name: str
    type: str
    label: str
    because: str
    error: str
    candidates: list[CandidateReport]


class QuestionReport(BaseModel):
    id: UUID
    text: str
    fields: list[QuestionFieldReport]


class RunPart(BaseModel):
    id: UUID
    conversation: UUID
    activity: str | None
    revision: int | None
    state: str
    outcome: str
    error: str
    answer: str
    question: QuestionReport | None


class StepReport(BaseModel):
    key: str
    state: str
    verdict: str
    attempts: int
    intention: str
    next_intention: str


class ArgumentReport(BaseModel):
    value: Any
    provenance: str
    origin: str


class ToolCallReport(BaseModel):
    id: UUID
    tool: str
    risk: str
    state: str
    error: str
    arguments: dict[str, ArgumentReport]
    result: Any


class ConfirmationReport(BaseModel):
    id: UUID
    tool_call: UUID
    state: str
    digest: str
    preview: dict[str, Any]


class EventReport(BaseModel):
    seq: int
    type: str


class UsageReport(BaseModel):
    model_calls: int
    tool_calls: int
    output_tokens: int
    context_bytes: int
    active_seconds: Decimal


class FailureReport(BaseModel):
    """One failure of the model: premature_end, imagined_result or scope."""

    kind: str
    step: str
    detail: str


class PlanPartReport(BaseModel):
    """One part of a message that asked for several things. `run` is empty until it begins."""

    position: int
    activity: str
    words: str
    needs: int | None
    state: str
    run: UUID | None


class RunReport(BaseModel):
    """Everything a program may want to know of a run."""

    run: RunPart
    steps: list[StepReport]
    tool_calls: list[ToolCallReport]
    confirmations: list[ConfirmationReport]
    events: list[EventReport]
    usage: UsageReport
    model: str
    failures: list[FailureReport]
    plan: list[PlanPartReport]
    searches: list[SearchReport]


def run_report(run: Run, reader: User, *, hidden: Collection[str] = ()) -> RunReport:
    """Return the report of `run` for `reader`. Who may read it was checked where the run was fetched.

    Of the tools in `hidden` neither arguments, results nor previews are told.
    """
    return RunReport(
        run=_run_part(run),
        steps=[_step(step) for step in run.steps.select_related("step")],
        tool_calls=[
            tool_call_report(call, hidden=call.tool_key in hidden)
            for call in run.calls.prefetch_related("arguments")
        ],
        confirmations=[
            _confirmation(item)
            for item in run.confirmations.select_related("call")
            if item.call.tool_key not in hidden
        ],
        events=[EventReport(seq=event.seq, type=event.type) for event in events_of(run)],
        usage=UsageReport(
            model_calls=run.model_calls,
            tool_calls=run.tool_calls,
            output_tokens=run.output_tokens,
            context_bytes=run.context_bytes,
            active_seconds=Decimal(str(round(run.active_seconds, 3))),
        ),
        model=run.model,
        failures=[_failure(item) for item in run.failures.select_related("step__step")],
        plan=_plan(run) if run.plan_id else [],
        searches=searches_seen(run, reader),
    )


def _failure(item: RunFailure) -> FailureReport:
    return FailureReport(kind=item.kind, step=item.step.step.key if item.step else "", detail=item.detail)


def _plan(run: Run) -> list[PlanPartReport]:
    runs = {
        part: pk
        for pk, part in Run.objects.filter(plan=run.plan_id).order_by("-id").values_list("pk", "part")
    }
    return [
        PlanPartReport(
            position=item.position,
            activity=item.activity.key,
            words=item.words,
            needs=item.needs,
            state=item.state,
            run=runs.get(item.position),
        )
        for item in PlanPart.objects.filter(plan=run.plan_id).select_related("activity")
    ]


def _run_part(run: Run) -> RunPart:
    question = run.questions.filter(state=QuestionState.OPEN).prefetch_related("fields__candidates").first()
    return RunPart(
        id=run.pk,
        conversation=run.conversation_id,
        activity=run.activity.key if run.activity else None,
        revision=run.revision.number if run.revision else None,
        state=run.state,
        outcome=shown_outcome(run),
        error=run.error_code,
        answer=run.answer,
        question=question_report(question) if question else None,
    )


def shown_outcome(run: Run) -> str:
    """Return the run's outcome; of one that waits, the outcome of its waiting; empty while it works."""
    return run.outcome or str(WAITING_OUTCOME.get(run.state, ""))


def question_report(question: Question) -> QuestionReport:
    """Return a question as a form asks it."""
    return QuestionReport(
        id=question.pk,
        text=question.text,
        fields=[
            QuestionFieldReport(
                name=field.name,
                type=field.kind,
                label=field.label,
                because=field.because,
                error=field.error,
                candidates=[
                    CandidateReport(value=item.value, label=item.label, detail=item.detail)
                    for item in field.candidates.all()
                ],
            )
            for field in question.fields.all()
        ],
    )


def _step(step: RunStep) -> StepReport:
    return StepReport(
        key=step.step.key,
        state=step.state,
        verdict=step.verdict,
        attempts=step.attempts,
        intention=step.intention,
        next_intention=step.next_intention,
    )


def tool_call_report(call: ToolCall, *, hidden: bool = False) -> ToolCallReport:
    """Return one tool call with its final arguments; `hidden`: without them and its result."""
    return ToolCallReport(
        id=call.pk,
        tool=call.tool_key,
        risk=call.risk,
        state=call.state,
        error=call.error_code,
        arguments={
            item.name: ArgumentReport(value=item.value, provenance=item.provenance, origin=item.origin)
            for item in call.arguments.all()
            if not hidden
        },
        result=None if hidden else call.result,
    )


def _confirmation(item: Confirmation) -> ConfirmationReport:
    return ConfirmationReport(
        id=item.pk, tool_call=item.call_id, state=item.state, digest=item.digest, preview=item.preview
    )
