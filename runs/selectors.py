"""What may be read of conversations and runs, and by whom. Missing and invisible look the same."""

from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts import access
from accounts.models import AuditEvent, User, Workspace
from activities.rights import offered_activities
from activities.tools import registry
from agentapp.kernel.compiled import Compiled
from agentapp.kernel.errors import NotFound
from agentapp.kernel.text import fold
from runs.deciders import complete, is_decider_of, seen_by, waiting_for
from runs.models import Confirmation, Conversation, Escalation, Question, Run

__all__ = [
    "confirmation_for",
    "conversation_for",
    "conversations_of",
    "escalation_for",
    "escalations_for",
    "events_of",
    "hidden_tools",
    "offered_activities",
    "question_for",
    "run_for",
    "runs_visible_to",
]


def conversations_of(user: User, workspace: Workspace, query: str = "") -> QuerySet[Conversation]:
    """Return the user's conversations here, the latest first; with `query`, those that hold all its words.

    Trials are nobody's conversations: neither here nor in any other reading of this module.
    """
    found = Conversation.objects.filter(user=user, workspace=workspace, trial=False).exclude(title="")
    for word in fold(query).split()[:10]:
        found = found.filter(search_text__contains=word)
    return found


def _own(rows: QuerySet[Conversation]) -> Compiled[Conversation, Conversation]:
    theirs = rows.select_related("workspace", "user").filter(trial=False)
    return Compiled(lambda conversation, user: theirs.filter(pk=conversation, user=user), 2)


_OWN = _own(Conversation.objects.all())
_OWN_LOCKED = _own(Conversation.objects.select_for_update(of=("self",)))


def conversation_for(user: User, conversation_id: UUID, *, locked: bool = False) -> Conversation:
    """Return one's own conversation, its row locked if asked for. Raises NotFound."""
    found = (_OWN_LOCKED if locked else _OWN).first(conversation_id, user.pk)
    if found is None or not access.is_member(user, found.workspace):
        raise NotFound(_("There is no such conversation."))
    return found


def runs_visible_to(user: User, workspace: Workspace) -> QuerySet[Run]:
    """Return the runs of a workspace that `user` may read: their own, everybody's for an auditor."""
    if not access.is_member(user, workspace):
        return Run.objects.none()
    rows = Run.objects.filter(workspace=workspace, trial=False)
    return rows if access.may(user, "accounts.view_all_runs", workspace) else rows.filter(user=user)


def may_see_run(user: User, run: Run) -> bool:
    """True for the run's person, an auditor, and who decides, or decided, on one of its escalations."""
    if runs_visible_to(user, run.workspace).filter(pk=run.pk).exists():
        return True
    return is_decider_of(user, run)


def hidden_tools(user: User, run: Run) -> frozenset[str]:
    """Return the tools whose results `user` may not see in a run they only decide on: own rights count."""
    if runs_visible_to(user, run.workspace).filter(pk=run.pk).exists():
        return frozenset()
    held = access.permissions_in(user, run.workspace)
    keys = run.calls.values_list("tool_key", flat=True)
    contracts = {key: registry.get(key) for key in set(keys)}
    return frozenset(
        key for key, contract in contracts.items() if contract is None or contract.permission not in held
    )


def escalations_for(user: User, workspace: Workspace) -> QuerySet[Escalation]:
    """Return the open escalations that `user` may decide on here, the most urgent first."""
    return complete(waiting_for(user, workspace)).order_by("due_at", "id")


def escalation_for(user: User, escalation_id: UUID) -> Escalation:
    """Return an escalation that waits for the user, or that they had a hand in. Raises NotFound."""
    found = complete(Escalation.objects.filter(pk=escalation_id)).first()
    if found is None or not seen_by(user, found.run.workspace).filter(pk=found.pk).exists():
        raise NotFound(_("There is no such escalation."))
    return found


def run_for(user: User, run_id: UUID) -> Run:
    """Return a run the user may read. Raises NotFound."""
    run = (
        Run.objects.select_related("workspace", "user", "conversation", "activity", "revision__agent")
        .filter(pk=run_id)
        .first()
    )
    if run is None or not may_see_run(user, run):
        raise NotFound(_("There is no such run."))
    return run


def _of_own_run(user: User) -> Q:
    return Q(run__user=user, run__workspace__in=access.workspaces_of(user), run__trial=False)


def _to_decide(user: User, confirmation: UUID) -> QuerySet[Confirmation]:
    rows = Confirmation.objects.select_related("run", "call").filter(pk=confirmation)
    theirs = rows.filter(Q(_of_own_run(user), call__by=None) | Q(call__by=user))
    return theirs.filter(run__workspace__in=access.workspaces_of(user))


_TO_DECIDE = Compiled(lambda user, confirmation: _to_decide(User(pk=user), confirmation), 2)


def question_for(user: User, question_id: UUID) -> Question:
    """Return a question of one's own run. Raises NotFound."""
    found = Question.objects.select_related("run").filter(_of_own_run(user), pk=question_id).first()
    if found is None:
        raise NotFound(_("There is no such question."))
    return found


def confirmation_for(user: User, confirmation_id: UUID) -> Confirmation:
    """Return a confirmation that is the user's to decide: of their own run, or of what they do themselves in
    somebody else's. Raises NotFound.
    """
    found = _TO_DECIDE.first(user.pk, confirmation_id)
    if found is None:
        raise NotFound(_("There is no such confirmation."))
    return found


def events_of(run: Run, since: int = 0) -> list[AuditEvent]:
    """Return the run's events after number `since`, in order."""
    return list(AuditEvent.objects.filter(stream=run.pk, seq__gt=since).order_by("seq"))
