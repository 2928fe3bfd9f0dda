"""Trying a revision out: what a designer may start and continue. Nothing of it has an effect outside."""

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import access, audit
from accounts.models import User
from activities.actions.authority import designed_keys, designs_agent
from activities.discovery.language import language_of
from activities.models import Agent, Revision
from agentapp.kernel.errors import Conflict, InvalidInput, NotAllowed, NotFound
from agentapp.kernel.ids import uuid7
from agentapp.kernel.text import clean_text, words
from runs.actions.messages import MAX_MESSAGE, answer_question
from runs.jobs import run_defer
from runs.journal import Journal, write_events
from runs.models import Conversation, Message, Question, Run
from runs.states import QuestionState, RunState


def trial_start(
    *,
    actor: User | None,
    as_user: User,
    revision: Revision,
    prompt: str,
    language: str = "",
    queue: bool = False,
    chaining: bool | None = None,
) -> Run:
    """Make a trial of `prompt` on `revision`, as `as_user` would be served.

    It is on behalf of `actor`, else of the operator. The caller drives it (`runs.trials.driving`); with
    `queue` a worker does. Without a `language`, the prompt's is found as in the chat; without `chaining`,
    the activity says whether intentions are declared. Both people stand in
    the audit history. Raises NotAllowed for an actor without design rights, InvalidInput for an empty or too
    long prompt or a user who is no member.
    """
    agent = revision.agent
    check_may_try(actor, agent)
    text = _checked(prompt)
    if not access.is_member(as_user, agent.workspace):
        raise InvalidInput(_("This person is no member of the workspace."), field="as_user")
    with transaction.atomic():
        conversation = Conversation.objects.create(
            workspace=agent.workspace, user=actor or as_user, trial=True
        )
        run = Run.objects.create(
            workspace=agent.workspace,
            conversation=conversation,
            user=as_user,
            revision=revision,
            trial_by=actor,
            chaining=chaining,
            language=language or language_of(words(text), as_user.language),
            time_zone=as_user.time_zone,
            # Consent is one's own: nobody gives it for somebody else.
            raw_consent=as_user.raw_disclosure and as_user == actor,
        )
        message = Message.objects.create(conversation=conversation, run=run, client_id=uuid7(), text=text)
        _record_start(run, message, actor)
        if queue:
            run_defer(run)
    return run


def trial_answer(*, actor: User, run: Run, text: str) -> Run:
    """Answer the open question of one's own trial in words, as the tried person would. The caller drives it.

    Raises NotFound for a run that is not this actor's trial, Conflict when no question is open.
    """
    cleaned = _checked(text)
    with transaction.atomic():
        locked = trial_for(actor, run, lock=True)
        question = Question.objects.select_for_update().filter(run=locked, state=QuestionState.OPEN).first()
        if locked.state != RunState.NEEDS_INPUT or question is None:
            raise Conflict(_("This question is no longer open."), state=locked.state)
        Message.objects.create(conversation=locked.conversation, run=locked, client_id=uuid7(), text=cleaned)
        answer_question(question, locked, actor, by_words=True)
    return locked


def trial_for(actor: User, run: Run, *, lock: bool = False) -> Run:
    """Return a trial that `actor` may read: their own, of an agent they may still design. Raises NotFound."""
    rows = Run.objects.select_related(
        "workspace", "user", "trial_by", "activity", "revision__agent__workspace"
    )
    rows = rows.select_for_update(of=("self",)) if lock else rows
    found = rows.filter(pk=run.pk, trial=True, trial_by=actor).first()
    if found is None or found.revision is None or not may_try(actor, found.revision.agent):
        raise NotFound(_("There is no such trial."))
    return found


def may_try(actor: User | None, agent: Agent) -> bool:
    """True when `actor`, else the operator, may design this agent or one of its activities."""
    if actor is None or designs_agent(actor, agent):
        return True
    return bool(designed_keys(actor, agent))


def check_may_try(actor: User | None, agent: Agent) -> None:
    """Raise NotAllowed for who may not design this agent."""
    if not may_try(actor, agent):
        raise NotAllowed(_("You may not try this agent."))


def _checked(prompt: str) -> str:
    text = clean_text(prompt).strip()
    if not text:
        raise InvalidInput(_("Write what a person would ask for."), field="prompt")
    if len(text) > MAX_MESSAGE:
        raise InvalidInput(
            _("At most %(limit)d characters are allowed.") % {"limit": MAX_MESSAGE}, field="prompt"
        )
    return text


def _record_start(run: Run, message: Message, actor: User | None) -> None:
    assert run.revision is not None  # noqa: S101 - a trial has its revision from the start
    journal = Journal()
    tried = {
        "as_user": str(run.user_id),
        "agent": run.revision.agent.key,
        "revision": run.revision.number,
        "revision_id": str(run.revision_id),
    }
    kind = audit.kind_of(actor)
    journal.event("trial.started", tried, kind)
    journal.event("run.created", {"message": str(message.pk), "language": run.language}, kind)
    write_events(run, journal, actor)
