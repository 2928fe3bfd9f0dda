"""Conversations, and messages that become runs or answer a question."""

from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import access
from accounts.models import ActorKind, User, Workspace
from activities.discovery.language import language_of
from agentapp.kernel.compiled import Compiled
from agentapp.kernel.errors import Conflict, InvalidInput, NotAllowed
from agentapp.kernel.gathering import gathering
from agentapp.kernel.rows import change, insert
from agentapp.kernel.text import clean_text, fold, shorten, words
from runs.jobs import run_defer, run_queue
from runs.journal import Journal, write_events
from runs.models import Confirmation, Conversation, Message, Question, Run
from runs.selectors import conversation_for
from runs.states import ACTIVE_RUN_STATES, ConfirmationState, QuestionState, RunState, change_state

MAX_MESSAGE = 8_000
_SENT_BEFORE = Compiled(
    lambda conversation, client_id: Message.objects.select_related("run").filter(
        conversation=conversation, client_id=client_id
    ),
    2,
)
_ACTIVE = Compiled(
    lambda conversation: (
        Run.objects.select_for_update(of=("self",))
        .select_related("workspace")
        .filter(conversation=conversation, state__in=ACTIVE_RUN_STATES)
    )
)


@dataclass(frozen=True)
class Posted:
    """The stored message and its run. `repeated`: it was there already; `answered`: it answers a question."""

    message: Message
    run: Run
    repeated: bool = False
    answered: bool = False


def conversation_create(*, user: User, workspace: Workspace) -> Conversation:
    """Open an empty conversation. Raises NotAllowed for who is no member."""
    if not access.is_member(user, workspace):
        raise NotAllowed(_("You are not a member of this workspace."))
    return Conversation.objects.create(user=user, workspace=workspace)


def message_post(*, user: User, conversation_id: UUID, text: str, client_id: UUID) -> Posted:
    """Store a message and start its run, or take it as the answer to the open question, in one transaction.

    The same `client_id` again gives the same message and starts nothing. Raises NotFound,
    InvalidInput for an empty or too long text, Conflict ("run_active", "confirmation_pending").
    """
    cleaned = _checked_text(text)
    with transaction.atomic(), gathering():
        locked = conversation_for(user, conversation_id, locked=True)
        before = _SENT_BEFORE.first(locked.pk, client_id)
        if before is not None and before.run is not None:
            return Posted(before, before.run, repeated=True)
        active = _ACTIVE.first(locked.pk)
        message = Message(conversation=locked, client_id=client_id, text=cleaned)
        if active is not None:
            return _answer_with(message, active, user)
        return _start_with(message, locked, user)


def _checked_text(text: str) -> str:
    cleaned = clean_text(text).strip()
    if not cleaned:
        raise InvalidInput(_("Write what you want to do; an empty message starts nothing."), field="text")
    if len(cleaned) > MAX_MESSAGE:
        raise InvalidInput(
            _("This message has %(length)d characters; at most %(limit)d can be sent. Nothing was sent.")
            % {"length": len(cleaned), "limit": MAX_MESSAGE},
            field="text",
        )
    return cleaned


def _start_with(message: Message, conversation: Conversation, user: User) -> Posted:
    run = Run(
        workspace=conversation.workspace,
        conversation=conversation,
        user=user,
        language=language_of(words(message.text), user.language),
        time_zone=user.time_zone,
        raw_consent=user.raw_disclosure,
    )
    try:
        insert([run])
    except IntegrityError as error:  # a run that waited for its turn took it at this moment
        raise _still_working() from error
    _store(message, run, conversation)
    journal = Journal()
    journal.event("run.created", {"message": str(message.pk), "language": run.language}, ActorKind.PERSON)
    write_events(run, journal, user)
    run_defer(run)
    return Posted(message, run)


def _answer_with(message: Message, run: Run, user: User) -> Posted:
    if run.state == RunState.AWAITING and _awaits_decider(run):
        raise Conflict(
            _("Somebody is deciding on your last request. Wait for that, or begin a new conversation."),
            reason="run_active",
        )
    if run.state == RunState.AWAITING:
        raise Conflict(
            _("An action waits for your decision. Confirm or refuse it first; a message does not decide it."),
            reason="confirmation_pending",
        )
    question = Question.objects.select_for_update().filter(run=run, state=QuestionState.OPEN).first()
    if run.state != RunState.NEEDS_INPUT or question is None:
        raise _still_working()
    _store(message, run, message.conversation)
    answer_question(question, run, user, by_words=True)
    return Posted(message, run, answered=True)


def _still_working() -> Conflict:
    return Conflict(
        _("I am still working on your last request. Wait for it or stop it, then send this again."),
        reason="run_active",
    )


def _awaits_decider(run: Run) -> bool:
    """True when what is pending is for somebody who decided on an escalation and acts themselves."""
    pending = Confirmation.objects.filter(run=run, state=ConfirmationState.PENDING)
    return pending.filter(call__by__isnull=False).exists()


def answer_question(question: Question, run: Run, user: User, *, by_words: bool) -> None:
    """Close the question and give the run back to the workers, in the current transaction."""
    journal = Journal()
    change_state(question, QuestionState.ANSWERED, answered_at=timezone.now())
    journal.event("run.answered", {"question": str(question.pk), "by_words": by_words}, ActorKind.PERSON)
    run_queue(run)
    write_events(run, journal, user)


def _store(message: Message, run: Run, conversation: Conversation) -> None:
    message.run = run
    insert([message])
    told = {
        "title": conversation.title or shorten(message.text, 80),
        "search_text": f"{conversation.search_text}\n{fold(message.text)}"[-100_000:],
        "updated_at": timezone.now(),
    }
    change(conversation, told)
