"""The inbox for programs: what waits for me, one escalation, and deciding on it."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Query, Router
from pydantic import BaseModel, BeforeValidator, Field

from accounts.api import IN_WORKSPACE, ApiRequest, signed_in, workspace_of
from accounts.models import Scope
from agentapp.kernel.errors import InvalidInput
from agentapp.kernel.text import clean_text, clean_value
from runs import actions, selectors
from runs.api_schemas import Closed
from runs.models import Escalation, EscalationDecision
from runs.report import RunReport, run_report

READ: dict[str, Any] = {"auth": signed_in(Scope.READ)}
DECIDE: dict[str, Any] = {"auth": signed_in(Scope.DECIDE)}
HERE: dict[str, Any] = {"openapi_extra": IN_WORKSPACE}
MOST = 100

router = Router(tags=["inbox"])
Text = Annotated[str, BeforeValidator(lambda value: clean_text(value) if isinstance(value, str) else value)]
Values = Annotated[dict[str, Any], BeforeValidator(clean_value)]


class DecisionMade(BaseModel):
    """One thing somebody did with it."""

    kind: str
    by: UUID
    text: str
    values: dict[str, Any]
    tool_call: UUID | None
    at: datetime


class EscalationOut(BaseModel):
    """An open step in somebody's hands."""

    id: UUID
    run: UUID
    step: str
    state: str
    reason: str
    intention: str
    gap: str = Field(description="Written by code, from facts.")
    summary: str = Field(description="Written by the model: not verified.")
    group: str | None
    assignee: UUID | None = Field(description="The person it was passed on to.")
    taken_by: UUID | None
    due_at: datetime | None
    created_at: datetime
    closed_at: datetime | None
    closed_by: UUID | None
    closing_reason: str


class EscalationDetail(EscalationOut):
    decisions: list[DecisionMade]
    story: RunReport = Field(description="The run, whole; results of tools you may not use are left out.")


class EscalationPage(BaseModel):
    items: list[EscalationOut] = Field(description="The most urgent first.")


class InboxWindow(BaseModel):
    limit: int = Field(50, ge=1, le=MOST)


class DecideIn(Closed):
    """One decision; give what it needs and nothing else."""

    decision: Literal["take", "supply", "act", "pass_on", "close"]
    values: Values = Field({}, description="`supply`: missing inputs, name to value.")
    instruction: Text = Field("", description="`supply`: what the step should do.")
    tool: Text = Field("", description="`act`: the key of a tool of the step.")
    params: Values = Field({}, description="`act`: the parameters left to who acts.")
    to: Text = Field("", description="`pass_on`: `group:<id>` or `user:<id>`.")
    reason: Text = Field("", description="`close`: the person who asked reads it.")
    over: bool = Field(False, description="`take`: from who has it.")


_NEEDS = {
    "take": {"over"},
    "supply": {"values", "instruction"},
    "act": {"tool", "params"},
    "pass_on": {"to"},
    "close": {"reason"},
}


@router.get("/inbox", response=EscalationPage, summary="What waits for my decision", **READ, **HERE)
def inbox_list(request: ApiRequest, window: Query[InboxWindow]) -> EscalationPage:
    found = selectors.escalations_for(request.auth, workspace_of(request))
    return EscalationPage(items=[EscalationOut(**_fields(item)) for item in found[: window.limit]])


@router.get("/inbox/{uuid:escalation_id}", response=EscalationDetail, summary="An escalation, whole", **READ)
def inbox_read(request: ApiRequest, escalation_id: UUID) -> EscalationDetail:
    return _detail(request, selectors.escalation_for(request.auth, escalation_id))


@router.post(
    "/inbox/{uuid:escalation_id}/decide",
    response={202: EscalationDetail},
    summary="Decide on an escalation",
    **DECIDE,
)
def inbox_decide(request: ApiRequest, escalation_id: UUID, body: DecideIn) -> EscalationDetail:
    selectors.escalation_for(request.auth, escalation_id)
    foreign = body.model_fields_set - _NEEDS[body.decision] - {"decision"}
    if foreign:
        raise InvalidInput(
            f"{', '.join(sorted(foreign))} does not belong to this decision.",
            fields=dict.fromkeys(foreign, "Not part of this decision."),
        )
    _decide(request, escalation_id, body)
    return _detail(request, selectors.escalation_for(request.auth, escalation_id))


def _decide(request: ApiRequest, escalation_id: UUID, body: DecideIn) -> None:
    who: dict[str, Any] = {"user": request.auth, "escalation_id": escalation_id}
    match body.decision:
        case "take":
            actions.escalation_take(**who, over=body.over)
        case "supply":
            actions.escalation_supply(**who, values=body.values, instruction=body.instruction)
        case "act":
            actions.escalation_act(**who, tool=body.tool, params=body.params)
        case "pass_on":
            actions.escalation_pass_on(**who, to=body.to)
        case "close":
            actions.escalation_close(**who, reason=body.reason)


def _detail(request: ApiRequest, item: Escalation) -> EscalationDetail:
    report = run_report(item.run, request.auth, hidden=selectors.hidden_tools(request.auth, item.run))
    made = item.decisions.select_related("call")
    return EscalationDetail(**_fields(item), decisions=[_decision(row) for row in made], story=report)


def _decision(row: EscalationDecision) -> DecisionMade:
    return DecisionMade(
        kind=row.kind,
        by=row.by_id,
        text=row.text,
        values=row.values,
        tool_call=row.call_id,
        at=row.created_at,
    )


def _fields(item: Escalation) -> dict[str, Any]:
    return {
        "id": item.pk,
        "run": item.run_id,
        "step": item.step.step.key,
        "state": item.state,
        "reason": item.reason,
        "intention": item.intention,
        "gap": item.gap,
        "summary": item.summary,
        "group": item.group.name if item.group else None,
        "assignee": item.assignee_id,
        "taken_by": item.taken_by_id,
        "due_at": item.due_at,
        "created_at": item.created_at,
        "closed_at": item.closed_at,
        "closed_by": item.closed_by_id,
        "closing_reason": item.closing_reason,
    }
