"""Who may design and publish, as the actions ask it. Without an actor the operator acts."""

from django.utils.translation import gettext as _

from accounts import access
from accounts.models import User, Workspace
from activities.models import ActivityIdentity, Agent
from agentapp.kernel.errors import NotAllowed

DESIGN = "activities.design_agent"
DESIGN_ACTIVITY = "activities.design_activity"
PUBLISH = "activities.publish_agent"
EVERYWHERE = "accounts.design_agents"


def designs_workspace(actor: User | None, workspace: Workspace) -> bool:
    """True when `actor` may design and publish every agent of `workspace`, and make new ones."""
    return actor is None or access.holds(actor, EVERYWHERE, workspace)


def designs_agent(actor: User | None, agent: Agent) -> bool:
    """True when `actor` may change every part of this agent's drafts."""
    return actor is None or designs_workspace(actor, agent.workspace) or access.holds(actor, DESIGN, agent)


def designed_keys(actor: User | None, agent: Agent) -> frozenset[str]:
    """Return the keys of the activities that `actor` may change one by one."""
    if actor is None:
        return frozenset()
    theirs = access.objects_with(actor, [DESIGN_ACTIVITY], ActivityIdentity.objects.filter(agent=agent))
    return frozenset(theirs.values_list("key", flat=True))


def require_workspace(actor: User | None, workspace: Workspace) -> None:
    if not designs_workspace(actor, workspace):
        raise NotAllowed(_("You may not design agents in this workspace."))


def require_design(actor: User | None, agent: Agent) -> None:
    if not designs_agent(actor, agent):
        raise NotAllowed(_("You may not change this agent."))


def require_publish(actor: User | None, agent: Agent) -> None:
    if not designs_workspace(actor, agent.workspace) and not access.holds(_person(actor), PUBLISH, agent):
        raise NotAllowed(_("You may not publish this agent's revisions."))


def _person(actor: User | None) -> User:
    assert actor is not None, "the operator designs everywhere"  # noqa: S101 - narrows the type
    return actor
