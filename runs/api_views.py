"""From rows to what the API shows. No rule lives here."""

from collections.abc import Iterable
from typing import TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet

from accounts.models import AuditEvent
from activities.models import Activity
from activities.models.activity import PhraseKind
from activities.models.fields import in_language
from runs.api_schemas import (
    ActivityOut,
    CandidateOut,
    ConfirmationOut,
    ConversationOut,
    EventOut,
    MessageOut,
    QuestionFieldOut,
    QuestionOut,
    RunOut,
    Window,
)
from runs.models import Confirmation, Conversation, Message, Question, QuestionField, Run
from runs.report import shown_outcome

M = TypeVar("M", bound=Model)

#: What `run_out` follows, so that a list costs a constant number of queries.
RUN_RELATIONS = ("activity", "revision")


def page(rows: QuerySet[M], window: Window) -> tuple[list[M], UUID | None]:
    """Return one page of `rows`, newest first, and the cursor of the next (None on the last)."""
    if window.before is not None:
        rows = rows.filter(pk__lt=window.before)
    found = list(rows.order_by("-pk")[: window.limit + 1])
    following = found[window.limit - 1].pk if len(found) > window.limit else None
    return found[: window.limit], following


def activity_out(activity: Activity, language: str) -> ActivityOut:
    phrases = [item for item in activity.phrases.all() if item.kind == PhraseKind.EXAMPLE]
    mine = [item.text for item in phrases if item.language == language]
    return ActivityOut(
        key=activity.key,
        agent=activity.revision.agent.key,
        revision=activity.revision.number,
        name=in_language(activity.name, language),
        summary=in_language(activity.summary, language),
        examples=mine or [item.text for item in phrases],
    )


def conversation_out(conversation: Conversation) -> ConversationOut:
    return ConversationOut(
        id=conversation.pk,
        workspace=conversation.workspace.slug,
        title=conversation.title,
        created_at=conversation.created_at,
        updated_at=conversation.updated_at,
    )


def message_out(message: Message) -> MessageOut:
    return MessageOut(
        id=message.pk,
        run=message.run_id,
        client_id=message.client_id,
        author=message.author,
        text=message.text,
        created_at=message.created_at,
    )


def run_out(run: Run) -> RunOut:
    return RunOut(
        id=run.pk,
        conversation=run.conversation_id,
        user=run.user_id,
        activity=run.activity.key if run.activity else None,
        revision=run.revision.number if run.revision else None,
        state=run.state,
        outcome=shown_outcome(run),
        created_at=run.created_at,
        finished_at=run.finished_at,
    )


def confirmation_out(confirmation: Confirmation) -> ConfirmationOut:
    return ConfirmationOut(
        id=confirmation.pk,
        run=confirmation.run_id,
        tool_call=confirmation.call_id,
        state=confirmation.state,
        digest=confirmation.digest,
        preview=confirmation.preview,
        expires_at=confirmation.expires_at,
        decided_at=confirmation.decided_at,
    )


def question_out(question: Question) -> QuestionOut:
    return QuestionOut(
        id=question.pk,
        state=question.state,
        text=question.text,
        expires_at=question.expires_at,
        fields=[_field_out(item) for item in question.fields.all()],
    )


def _field_out(field: QuestionField) -> QuestionFieldOut:
    candidates = [
        CandidateOut(value=item.value, label=item.label, detail=item.detail)
        for item in field.candidates.all()
    ]
    return QuestionFieldOut(
        name=field.name,
        kind=field.kind,
        label=field.label,
        because=field.because,
        words=field.words,
        error=field.error,
        candidates=candidates,
    )


def events_out(events: Iterable[AuditEvent]) -> list[EventOut]:
    return [
        EventOut(seq=item.seq, type=item.type, at=item.at, actor_kind=item.actor_kind, data=item.data)
        for item in events
    ]
