"""What a designer does to agents and revisions. Every change is audited in its transaction."""

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import access, audit
from accounts.models import User, Workspace
from activities.blueprint import AgentBlueprint
from activities.importing import write_activity
from activities.models import Agent, Revision, RevisionState
from activities.publishing import problems
from agentapp.kernel.errors import Conflict, InvalidInput, NotAllowed


def agent_import(
    blueprint: AgentBlueprint, *, workspace: Workspace, actor: User, note: str = ""
) -> Revision:
    """Write `blueprint` as a new draft of its agent, making the agent if it is new.

    Raises NotAllowed, and InvalidInput for a name that refers to nothing; then nothing is written.
    """
    with transaction.atomic():
        agent = Agent.objects.filter(workspace=workspace, key=blueprint.key).first()
        _check_may_design(actor, workspace, agent)
        if agent is None:
            agent = Agent.objects.create(
                workspace=workspace, key=blueprint.key, name=blueprint.name, description=blueprint.description
            )
        last = agent.revisions.aggregate(last=Max("number"))["last"] or 0
        revision = Revision.objects.create(agent=agent, number=last + 1, created_by=actor, note=note)
        for position, part in enumerate(blueprint.activities):
            write_activity(revision, part, position)
        _record(
            revision, "revision.imported", actor, {"activities": [part.key for part in blueprint.activities]}
        )
    return revision


def revision_publish(revision: Revision, *, actor: User) -> Revision:
    """Publish a draft; the agent's published revision, if any, is retired in the same transaction.

    Raises NotAllowed, Conflict when it is no draft, InvalidInput with `data["problems"]`.
    """
    with transaction.atomic():
        _check_may_publish(actor, revision.agent)
        locked = Revision.objects.select_for_update().get(pk=revision.pk)
        if locked.state != RevisionState.DRAFT:
            raise Conflict(_("Only a draft can be published."))
        found = problems(locked)
        if found:
            raise InvalidInput(
                _("This revision cannot be published yet: %(first)s")
                % {"first": f"{found[0].place}: {found[0].message}"},
                problems=[f"{problem.place}: {problem.message}" for problem in found],
            )
        for current in Revision.objects.select_for_update().filter(
            agent=locked.agent, state=RevisionState.PUBLISHED
        ):
            _retire(current, actor)
        locked.state = RevisionState.PUBLISHED
        locked.published_at = timezone.now()
        locked.published_by = actor
        locked.save(update_fields=["state", "published_at", "published_by"])
        _record(locked, "revision.published", actor, {"number": locked.number})
    return locked


def revision_retire(revision: Revision, *, actor: User) -> Revision:
    """Retire a published revision: no new run starts on it. Raises NotAllowed, Conflict."""
    with transaction.atomic():
        _check_may_publish(actor, revision.agent)
        locked = Revision.objects.select_for_update().get(pk=revision.pk)
        if locked.state != RevisionState.PUBLISHED:
            raise Conflict(_("Only a published revision can be retired."))
        _retire(locked, actor)
    return locked


def _retire(revision: Revision, actor: User) -> None:
    revision.state = RevisionState.RETIRED
    revision.save(update_fields=["state"])
    _record(revision, "revision.retired", actor, {"number": revision.number})


def _record(revision: Revision, kind: str, actor: User, data: dict[str, object]) -> None:
    audit.record(
        stream=revision.pk,
        type=kind,
        workspace=revision.agent.workspace,
        actor=actor,
        actor_kind="person",
        data={"agent": revision.agent.key, **data},
    )


def _check_may_design(actor: User, workspace: Workspace, agent: Agent | None) -> None:
    if access.holds(actor, "accounts.design_agents", workspace):
        return
    if agent is not None and access.holds(actor, "activities.design_agent", agent):
        return
    raise NotAllowed(_("You may not change this agent."))


def _check_may_publish(actor: User, agent: Agent) -> None:
    if access.holds(actor, "accounts.design_agents", agent.workspace):
        return
    if not access.holds(actor, "activities.publish_agent", agent):
        raise NotAllowed(_("You may not publish this agent's revisions."))
