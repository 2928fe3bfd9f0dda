"""Making agents, changing what is true of all their revisions, and importing."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User, Workspace
from activities.actions.authority import require_design, require_workspace
from activities.actions.drafts import fill, new_draft
from activities.actions.publishing import worked_on
from activities.actions.recording import record
from activities.blueprint import AgentBlueprint
from activities.models import Agent, Revision, RevisionState
from activities.models.fields import Texts
from agentapp.kernel.errors import Conflict, InvalidInput, NotAllowed

AGENT_FIELDS = ("name", "description", "second_person")


@transaction.atomic
def agent_create(
    *, workspace: Workspace, key: str, name: Texts, actor: User | None, description: Texts | None = None
) -> Agent:
    """Make an agent without any revision. Raises NotAllowed, InvalidInput, Conflict for a taken key."""
    require_workspace(actor, workspace)
    if Agent.objects.filter(workspace=workspace, key=key).exists():
        raise Conflict(_("This workspace has an agent with the key “%(key)s”.") % {"key": key})
    agent = Agent(workspace=workspace, key=key, name=name, description=description or {})
    try:
        agent.full_clean(validate_constraints=False)
    except ValidationError as error:
        raise InvalidInput(" ".join(error.messages), fields=error.message_dict) from error
    agent.save(force_insert=True)
    record(agent, "agent.created", actor, {"key": key, "name": name})
    return agent


@transaction.atomic
def agent_update(agent: Agent, *, actor: User | None, **changes: Any) -> Agent:
    """Change an agent's name, description or whether a second person publishes. Raises NotAllowed.

    Whoever worked on an open draft cannot lift the second person from it.
    """
    require_design(actor, agent)
    unknown = sorted(set(changes) - set(AGENT_FIELDS))
    if unknown:
        raise InvalidInput(_("This cannot be changed here."), fields=unknown)
    locked = Agent.objects.select_for_update(of=("self",)).select_related("workspace").get(pk=agent.pk)
    changed = {name: value for name, value in changes.items() if getattr(locked, name) != value}
    if changed.get("second_person") is False:
        _require_no_open_work(locked, actor)
    before = {name: getattr(locked, name) for name in changed}
    for name, value in changed.items():
        setattr(locked, name, value)
    if changed:
        locked.save(update_fields=list(changed))
        record(locked, "agent.changed", actor, {"before": before, "after": changed})
    return locked


@transaction.atomic
def agent_import(
    blueprint: AgentBlueprint, *, workspace: Workspace, actor: User | None, note: str = ""
) -> Revision:
    """Write `blueprint` as a new draft of its agent, making the agent if it is new. Never publishes.

    Raises NotAllowed, and InvalidInput for a name that refers to nothing; then nothing is written.
    """
    agent = Agent.objects.filter(workspace=workspace, key=blueprint.key).first()
    if agent is None:
        require_workspace(actor, workspace)
        agent = Agent.objects.create(
            workspace=workspace, key=blueprint.key, name=blueprint.name, description=blueprint.description
        )
    require_design(actor, agent)
    revision = new_draft(agent, actor, note)
    fill(revision, blueprint)
    record(revision, "revision.imported", actor, {"activities": [part.key for part in blueprint.activities]})
    return revision


def _require_no_open_work(agent: Agent, actor: User | None) -> None:
    drafts = agent.revisions.filter(state=RevisionState.DRAFT).select_related("agent")
    if actor is not None and any(worked_on(draft, actor) for draft in drafts):
        raise NotAllowed(_("You have worked on an open draft of this agent: somebody else decides this."))
