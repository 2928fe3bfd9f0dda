"""Publishing and retiring revisions."""

from django.db import transaction
from django.utils import timezone
from django.utils.formats import localize
from django.utils.translation import gettext as _

from accounts.models import AuditEvent, User
from activities.actions.authority import require_publish
from activities.actions.recording import WORKED, record
from activities.discovery import index
from activities.evaluations import latest_pass_rate
from activities.models import Revision, RevisionState
from activities.publishing import Problem, problems
from agentapp.kernel.errors import Conflict, InvalidInput, NotAllowed


@transaction.atomic
def revision_publish(revision: Revision, *, actor: User | None) -> Revision:
    """Publish a draft; the agent's published revision, if any, is retired in the same transaction.

    Raises NotAllowed, also where a second person must do it; Conflict when it is no draft; InvalidInput with
    `data["problems"]`.
    """
    require_publish(actor, revision.agent)
    locked = _locked(revision)
    if locked.state != RevisionState.DRAFT:
        raise Conflict(_("Only a draft can be published."))
    _require_second_person(locked, actor)
    _require_sound(locked)
    for current in Revision.objects.select_for_update().filter(
        agent=locked.agent_id, state=RevisionState.PUBLISHED
    ):
        _retire(current, actor)
    locked.state = RevisionState.PUBLISHED
    locked.published_at = timezone.now()
    locked.published_by = actor
    locked.save(update_fields=["state", "published_at", "published_by"])
    record(locked, "revision.published", actor, {"number": locked.number})
    _refresh_cards(locked)
    return locked


@transaction.atomic
def revision_retire(revision: Revision, *, actor: User | None) -> Revision:
    """Retire a published revision: no new run starts on it. Raises NotAllowed, Conflict."""
    require_publish(actor, revision.agent)
    locked = _locked(revision)
    if locked.state != RevisionState.PUBLISHED:
        raise Conflict(_("Only a published revision can be retired."))
    _retire(locked, actor)
    _refresh_cards(locked)
    return locked


def publishing_problems(revision: Revision) -> list[Problem]:
    """Return every reason why `revision` cannot be published, whoever asks for it."""
    return [*problems(revision), *_pass_rate_problems(revision)]


def worked_on(revision: Revision, person: User) -> bool:
    """True when `person` made this draft or has changed it."""
    if person.pk in (revision.created_by_id, revision.changed_by_id):
        return True
    return AuditEvent.objects.filter(stream=revision.pk, type__in=WORKED, actor_id=person.pk).exists()


def _locked(revision: Revision) -> Revision:
    found = Revision.objects.select_for_update(of=("self",)).select_related("agent__workspace")
    return found.get(pk=revision.pk)


def _require_second_person(revision: Revision, actor: User | None) -> None:
    if revision.agent.second_person and actor is not None and worked_on(revision, actor):
        raise NotAllowed(
            _("You have worked on this draft. This agent is published by a second person: ask a colleague."),
            second_person=True,
        )


def _require_sound(revision: Revision) -> None:
    found = publishing_problems(revision)
    if found:
        raise InvalidInput(
            _("This revision cannot be published yet: %(first)s")
            % {"first": f"{found[0].place}: {found[0].message}"},
            problems=[f"{problem.place}: {problem.message}" for problem in found],
        )


def _pass_rate_problems(revision: Revision) -> list[Problem]:
    required = revision.required_pass_rate
    if required is None:
        return []
    reached = latest_pass_rate(revision)
    if reached is not None and reached >= required:
        return []
    sentence = (
        _("%(required)s%% of its test prompts must pass. Run an evaluation of it as it is now.")
        if reached is None
        else _("%(reached)s%% of its test prompts pass, %(required)s%% must. Mend what fails.")
    )
    return [Problem(str(revision), sentence % {"required": localize(required), "reached": localize(reached)})]


def _retire(revision: Revision, actor: User | None) -> None:
    revision.state = RevisionState.RETIRED
    revision.save(update_fields=["state"])
    record(revision, "revision.retired", actor, {"number": revision.number})


def _refresh_cards(revision: Revision) -> None:
    """Bring the cards of the agent's activities up to what is published now."""
    keys = [str(identity) for identity in revision.agent.identities.select_related("agent")]
    index.refresh(revision.agent.workspace, keys)
