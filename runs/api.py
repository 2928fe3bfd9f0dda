"""Conversations and runs for programs. Each route parses, calls one action or selector, and answers."""

from typing import Any
from uuid import UUID

from ninja import Query, Router

from accounts.api import IN_WORKSPACE, ApiRequest, signed_in, workspace_of
from accounts.models import Scope
from agentapp.kernel.text import clean_text
from runs import actions, selectors
from runs.api_schemas import (
    ActivityOut,
    AnswerIn,
    ConfirmationOut,
    ConversationDetail,
    ConversationOut,
    ConversationPage,
    DecisionIn,
    EventPage,
    MessageIn,
    PostedOut,
    QuestionOut,
    RunOut,
    RunPage,
    Since,
    Window,
)
from runs.api_views import (
    RUN_RELATIONS,
    activity_out,
    confirmation_out,
    conversation_out,
    events_out,
    message_out,
    page,
    question_out,
    run_out,
)
from runs.report import RunReport, ToolCallReport, run_report

READ: dict[str, Any] = {"auth": signed_in(Scope.READ)}
WRITE: dict[str, Any] = {"auth": signed_in(Scope.WRITE)}
DECIDE: dict[str, Any] = {"auth": signed_in(Scope.DECIDE)}
HERE: dict[str, Any] = {"openapi_extra": IN_WORKSPACE}

router = Router()


@router.get(
    "/activities",
    response=list[ActivityOut],
    tags=["activities"],
    summary="What I may ask for",
    **READ,
    **HERE,
)
def activity_list(request: ApiRequest) -> list[ActivityOut]:
    offered = selectors.offered_activities(request.auth, workspace_of(request))
    return [activity_out(item, request.auth.language) for item in offered]


@router.get(
    "/conversations",
    response=ConversationPage,
    tags=["conversations"],
    summary="My conversations",
    **READ,
    **HERE,
)
def conversation_list(request: ApiRequest, window: Query[Window], q: str = "") -> ConversationPage:
    mine = selectors.conversations_of(request.auth, workspace_of(request), clean_text(q))
    rows, following = page(mine.select_related("workspace"), window)
    return ConversationPage(items=[conversation_out(row) for row in rows], next=following)


@router.post(
    "/conversations",
    response={201: ConversationOut},
    tags=["conversations"],
    summary="Begin a conversation",
    **WRITE,
    **HERE,
)
def conversation_create(request: ApiRequest) -> ConversationOut:
    return conversation_out(actions.conversation_create(user=request.auth, workspace=workspace_of(request)))


@router.get(
    "/conversations/{uuid:conversation_id}",
    response=ConversationDetail,
    tags=["conversations"],
    summary="A conversation with its latest messages",
    **READ,
)
def conversation_read(
    request: ApiRequest, conversation_id: UUID, window: Query[Window]
) -> ConversationDetail:
    conversation = selectors.conversation_for(request.auth, conversation_id)
    rows, following = page(conversation.messages.all(), window)
    runs = conversation.runs.filter(pk__in=[row.run_id for row in rows]).select_related(*RUN_RELATIONS)
    return ConversationDetail(
        **conversation_out(conversation).model_dump(),
        messages=[message_out(row) for row in reversed(rows)],
        runs=[run_out(run) for run in runs.order_by("pk")],
        next=following,
    )


@router.post(
    "/conversations/{uuid:conversation_id}/messages",
    response={202: PostedOut},
    tags=["conversations"],
    summary="Post a message",
    **WRITE,
)
def message_post(request: ApiRequest, conversation_id: UUID, body: MessageIn) -> PostedOut:
    posted = actions.message_post(
        user=request.auth, conversation_id=conversation_id, text=body.text, client_id=body.client_id
    )
    return PostedOut(
        message=message_out(posted.message),
        run=run_out(posted.run),
        repeated=posted.repeated,
        answered=posted.answered,
    )


@router.get("/runs", response=RunPage, tags=["runs"], summary="Runs I may see", **READ, **HERE)
def run_list(request: ApiRequest, window: Query[Window]) -> RunPage:
    visible = selectors.runs_visible_to(request.auth, workspace_of(request))
    rows, following = page(visible.select_related(*RUN_RELATIONS), window)
    return RunPage(items=[run_out(row) for row in rows], next=following)


@router.get("/runs/{uuid:run_id}", response=RunReport, tags=["runs"], summary="A run, whole", **READ)
def run_read(request: ApiRequest, run_id: UUID) -> RunReport:
    return _report(request, run_id)


@router.get(
    "/runs/{uuid:run_id}/tool-calls",
    response=list[ToolCallReport],
    tags=["runs"],
    summary="A run's tool calls",
    **READ,
)
def run_tool_calls(request: ApiRequest, run_id: UUID) -> list[ToolCallReport]:
    return _report(request, run_id).tool_calls


@router.get(
    "/runs/{uuid:run_id}/confirmations",
    response=list[ConfirmationOut],
    tags=["runs"],
    summary="A run's confirmations, oldest first",
    **READ,
)
def run_confirmations(request: ApiRequest, run_id: UUID) -> list[ConfirmationOut]:
    run = selectors.run_for(request.auth, run_id)
    hidden = selectors.hidden_tools(request.auth, run)
    found = run.confirmations.select_related("call")
    return [confirmation_out(item) for item in found if item.call.tool_key not in hidden]


@router.get(
    "/runs/{uuid:run_id}/questions",
    response=list[QuestionOut],
    tags=["runs"],
    summary="A run's questions, oldest first",
    **READ,
)
def run_questions(request: ApiRequest, run_id: UUID) -> list[QuestionOut]:
    asked = selectors.run_for(request.auth, run_id).questions.prefetch_related("fields__candidates")
    return [question_out(item) for item in asked]


@router.get(
    "/runs/{uuid:run_id}/events",
    response=EventPage,
    tags=["runs"],
    summary="A run's events, in order",
    **READ,
)
def run_events(request: ApiRequest, run_id: UUID, part: Query[Since]) -> EventPage:
    events = selectors.events_of(selectors.run_for(request.auth, run_id), part.since)[: part.limit]
    return EventPage(items=events_out(events), last=events[-1].seq if events else part.since)


@router.post("/runs/{uuid:run_id}/stop", response={202: RunOut}, tags=["runs"], summary="Stop a run", **WRITE)
def run_stop(request: ApiRequest, run_id: UUID) -> RunOut:
    return run_out(actions.run_stop(user=request.auth, run_id=run_id))


@router.post(
    "/questions/{uuid:question_id}/answer",
    response={202: RunOut},
    tags=["decisions"],
    summary="Answer a question",
    **WRITE,
)
def question_answer(request: ApiRequest, question_id: UUID, body: AnswerIn) -> RunOut:
    return run_out(actions.question_answer(user=request.auth, question_id=question_id, values=body.values))


@router.post(
    "/confirmations/{uuid:confirmation_id}/decide",
    response=ConfirmationOut,
    tags=["decisions"],
    summary="Confirm or refuse an action",
    **DECIDE,
)
def confirmation_decide(request: ApiRequest, confirmation_id: UUID, body: DecisionIn) -> ConfirmationOut:
    return confirmation_out(
        actions.confirmation_decide(
            user=request.auth,
            confirmation_id=confirmation_id,
            decision=body.decision,
            digest=body.digest,
        )
    )


def _report(request: ApiRequest, run_id: UUID) -> RunReport:
    """Return a run as who asks may see it: who only decides on it sees what their own rights show."""
    run = selectors.run_for(request.auth, run_id)
    return run_report(run, request.auth, hidden=selectors.hidden_tools(request.auth, run))
