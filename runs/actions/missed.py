"""Saying what there was for a request that was refused or handed over: “there was something for this”."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.models import ActorKind, User
from activities.actions.authority import designs_workspace
from activities.models import DiscoveryLog
from activities.models.discovery import DiscoveryStage
from agentapp.kernel.errors import Conflict, InvalidInput, NotAllowed, NotFound
from runs.deciders import is_decider_of
from runs.journal import Journal, write_events
from runs.models import Missed, Run
from runs.models.missed import MissCause
from runs.nameable import Nameable, nameable
from runs.protection import Vault
from runs.selectors import run_for
from runs.specs import card_key
from runs.states import Outcome


def missed_name(*, user: User, run_id: UUID, value: str) -> Missed:
    """Put on record that the activity or tool `value` was there for a request, and who says so.

    Only what `user` may use can be named. Raises NotFound, InvalidInput for what is not among it, Conflict
    for a request that was neither refused nor handed over, or that was shown it.
    """
    run = run_to_name(user, run_id)
    with transaction.atomic():
        locked = Run.objects.select_for_update(of=("self",)).select_related("workspace").get(pk=run.pk)
        card = _card(user, locked, value)
        row = _missed(locked, card)
        if row.named_by_id is None:
            row.named_by, row.named_at = user, timezone.now()
            row.struck_by = row.struck_at = None
            row.save()
            journal = Journal()
            journal.event("run.missed", _told(locked, row, card), ActorKind.PERSON)
            write_events(locked, journal, user)
    return row


@transaction.atomic
def missed_strike(row: Missed, *, user: User) -> None:
    """Take what was found later out of the count: it was another request after all.

    What a person named or a prompt expected is not struck. Raises NotAllowed, Conflict.
    """
    if not designs_workspace(user, row.workspace):
        raise NotAllowed(_("You may not design agents in this workspace."))
    open_rows = Missed.objects.filter(cause=MissCause.FOUND_LATER, named_by=None, struck_at=None)
    if not open_rows.filter(pk=row.pk).update(struck_by=user, struck_at=timezone.now()):
        raise Conflict(_("This one counts: somebody said so, or it was struck already."))
    audit.record(
        stream=row.workspace_id,
        type="missed.struck",
        workspace=row.workspace_id,
        actor=user,
        actor_kind=ActorKind.PERSON,
        data={"stage": row.stage, "key": row.key, "run": row.run_id},
    )


def run_to_name(user: User, run_id: UUID) -> Run:
    """Return a refused or escalated request: one's own, one decides on, or of a workspace one designs.

    Raises NotFound, Conflict.
    """
    run = (
        Run.objects.select_related("workspace", "user", "activity__revision__agent").filter(pk=run_id).first()
    )
    if run is None or run.trial or not has_a_say(user, run):
        raise NotFound(_("There is no such run."))
    if run.outcome != Outcome.DECLINED and not run.escalations.exists():
        raise Conflict(_("Only of a request that was refused or handed over can this be said."))
    return run


def has_a_say(user: User, run: Run) -> bool:
    if run.user_id == user.pk:
        return run_for(user, run.pk) == run
    return is_decider_of(user, run) or designs_workspace(user, run.workspace)


def names_tools(user: User, run: Run) -> bool:
    """True where a tool can be named: by who decides or designs; others know activities only."""
    return run.activity_id is not None and (
        is_decider_of(user, run) or designs_workspace(user, run.workspace)
    )


def _card(user: User, run: Run, value: str) -> Nameable:
    found = nameable(user, run.workspace, tools=names_tools(user, run))
    card = next((item for item in found if item.value == value), None)
    if card is None:
        raise InvalidInput(
            _("Choose one of those you may use."), fields={"missed": _("Choose one of these.")}
        )
    if card.stage is DiscoveryStage.ROUTE and run.activity and card.key == card_key(run.activity):
        raise Conflict(_("This request was led there."))
    return card


def _missed(run: Run, card: Nameable) -> Missed:
    """Return the row of this request and card, a new one if it was not known yet. Raises Conflict."""
    known = Missed.objects.filter(run=run, stage=card.stage, key=card.key).first()
    if known is not None:
        return known
    log = _search(run, card)
    return Missed(
        workspace=run.workspace,
        run=run,
        log=log,
        stage=card.stage,
        key=card.key,
        label=card.name[:200],
        query=log.query if log else _words(run),
        language=run.language,
        cause=MissCause.NAMED,
        searched_at=log.at if log else run.created_at,
    )


def _told(run: Run, row: Missed, card: Nameable) -> dict[str, str]:
    """Return what the run's event says: its user reads it, who may not use what somebody else named."""
    if row.named_by_id != run.user_id:
        return {"stage": card.stage.value, "missed": str(row.pk)}
    return {"stage": card.stage.value, "key": card.key, "name": card.name}


def _words(run: Run) -> str:
    """Return what was asked, with tokens for what is protected: others will read it."""
    vault = Vault.of(run)
    return vault.hide(vault.project_words("\n".join(run.messages.values_list("text", flat=True))))


def _search(run: Run, card: Nameable) -> DiscoveryLog | None:
    """Return the run's last search of this stage. Raises Conflict when a search for tools showed it."""
    found = DiscoveryLog.objects.filter(run_id=run.pk, stage=card.stage)
    if (
        card.stage is DiscoveryStage.TOOLS
        and found.filter(candidates__key=card.key, candidates__shown=True).exists()
    ):
        raise Conflict(_("This tool was shown; the step did not use it."))
    return found.order_by("-pk").first()
