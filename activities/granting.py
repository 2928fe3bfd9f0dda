"""Giving and taking back rights on agents, activities and MCP servers: to use, design, publish and approve.

Who designs everything in a workspace gives every right there. Who designs one agent or activity gives the
rights to use and to design it, never to publish or approve. Nobody gives themselves, or a group they
are in, the right to approve.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import Group
from django.db import transaction
from django.utils.translation import gettext as _

from accounts import access
from accounts.models import User, Workspace
from activities.actions.authority import DESIGN_ACTIVITY, designs_agent, designs_workspace
from activities.models import ActivityIdentity, Agent, McpServer
from agentapp.kernel.errors import InvalidInput, NotAllowed

Subject = Agent | ActivityIdentity | McpServer
RIGHTS: dict[type, tuple[str, ...]] = {
    Agent: ("use_agent", "design_agent", "publish_agent", "approve_agent"),
    ActivityIdentity: ("use_activity", "design_activity", "approve_activity"),
    McpServer: ("use_mcpserver",),
}
#: What a designer of one agent or activity may give on it.
_OF_A_DESIGNER = {"use_agent", "design_agent", "use_activity", "design_activity"}
_APPROVING = {"approve_agent", "approve_activity"}


@dataclass(frozen=True)
class Holder:
    """A person or group that was given a right. `key` is "user:<id>" or "group:<id>"."""

    key: str
    kind: str
    name: str


@transaction.atomic
def right_grant(right: str, to: User | Group, on: Subject, *, actor: User | None) -> bool:
    """Give a right; False when it was held already. Audited. Raises NotAllowed, InvalidInput."""
    _check(right, to, on, actor)
    if isinstance(to, User) and not access.is_member(to, _workspace_of(on)):
        raise InvalidInput(_("This person is not a member of this workspace."))
    if right in _APPROVING and actor is not None and _includes(to, actor):
        raise NotAllowed(_("You cannot give yourself the right to approve. Ask another designer."))
    return access.grant(f"activities.{right}", to, on, actor=actor)


@transaction.atomic
def right_revoke(right: str, to: User | Group, on: Subject, *, actor: User | None) -> bool:
    """Take a right back; False when it was not held. Audited. Raises NotAllowed, InvalidInput."""
    _check(right, to, on, actor)
    return access.revoke(f"activities.{right}", to, on, actor=actor)


def grantable(actor: User | None, on: Subject) -> tuple[str, ...]:
    """Return the rights on `on` that `actor` may give and take back."""
    rights = RIGHTS[type(on)]
    if designs_workspace(actor, _workspace_of(on)):
        return rights
    return tuple(right for right in rights if right in _OF_A_DESIGNER) if _designs(actor, on) else ()


def holders(subjects: Sequence[Subject]) -> dict[tuple[str, str], list[Holder]]:
    """Return who was given what, by (key of the subject as text, right); in two queries."""
    found: dict[tuple[str, str], list[Holder]] = defaultdict(list)
    for grant in access.grants_on(subjects):
        kind = "user" if isinstance(grant.to, User) else "group"
        holder = Holder(f"{kind}:{grant.to.pk}", kind, _name(grant.to))
        found[grant.object_key, grant.codename].append(holder)
    return dict(found)


def _check(right: str, to: User | Group, on: Subject, actor: User | None) -> None:
    if right not in RIGHTS[type(on)]:
        raise InvalidInput(_("There is no such right here."), right=right)
    if right not in grantable(actor, on):
        raise NotAllowed(_("You may not give or take back this right."))
    if isinstance(to, Group):
        _check_group(to, on)


def _check_group(to: Group, on: Subject) -> None:
    owner = getattr(to, "workspace_group", None)
    if owner is None or owner.workspace_id != _workspace_of(on).pk:
        raise InvalidInput(_("This group belongs to another workspace."))


def _workspace_of(on: Subject) -> Workspace:
    return on.agent.workspace if isinstance(on, ActivityIdentity) else on.workspace


def _designs(actor: User | None, on: Subject) -> bool:
    if isinstance(on, McpServer):
        return False  # only who designs everything in the workspace sees to servers
    if designs_agent(actor, on if isinstance(on, Agent) else on.agent):
        return True
    return isinstance(on, ActivityIdentity) and actor is not None and access.holds(actor, DESIGN_ACTIVITY, on)


def _includes(to: User | Group, person: User) -> bool:
    return to.pk == person.pk if isinstance(to, User) else person.groups.filter(pk=to.pk).exists()


def _name(to: User | Group) -> str:
    if isinstance(to, User):
        return to.full_name or to.email
    owner = getattr(to, "workspace_group", None)
    return owner.label if owner else to.name
