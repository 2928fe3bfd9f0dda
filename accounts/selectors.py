"""What is shown about people, workspaces and their history."""

from typing import Any
from uuid import UUID

from django.contrib.auth.models import Group
from django.db.models import Q, QuerySet

from accounts import access
from accounts.models import ApiToken, AuditEvent, Membership, Role, User, Workspace, WorkspaceGroup


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """Return a person's tokens that are not revoked, newest first."""
    return ApiToken.objects.filter(user=user, revoked_at=None).order_by("-created_at")


def members_of(workspace: Workspace) -> QuerySet[User]:
    """Return the active members, by name."""
    return User.objects.filter(
        is_active=True, memberships__workspace=workspace, memberships__active=True
    ).order_by("full_name", "email")


def groups_of(workspace: Workspace) -> list[Group]:
    """Return the groups of a workspace."""
    rows = WorkspaceGroup.objects.filter(workspace=workspace).select_related("group")
    return [row.group for row in rows]


def roles_in(user: User, workspace: Workspace) -> list[Role]:
    """Return the roles of an active member, in the order of `Role`; none for anybody else."""
    active = Membership.objects.filter(user=user, workspace=workspace, active=True, user__is_active=True)
    if not active.exists():
        return []
    held = workspace.workspace_groups.filter(group__user=user).exclude(role="").values_list("role", flat=True)
    held_roles = set(held)
    return [role for role in Role if role.value in held_roles]


def events_of(stream: UUID, *, after: int = 0) -> QuerySet[AuditEvent]:
    """Return the events of a run or an object, in order, with a number above `after`."""
    return AuditEvent.objects.filter(stream=stream, seq__gt=after).select_related("actor").order_by("seq")


def history_of(workspace: Workspace, filters: dict[str, Any] | None = None) -> QuerySet[AuditEvent]:
    """Return a workspace's history, newest first. `filters`: type (a beginning), actor, since, until."""
    found = AuditEvent.objects.filter(workspace=workspace).select_related("actor").order_by("-id")
    names = {"type": "type__startswith", "actor": "actor", "since": "at__gte", "until": "at__lt"}
    conditions = {names[name]: value for name, value in (filters or {}).items() if value}
    return found.filter(Q(**conditions)) if conditions else found


def audited_workspaces(user: User) -> QuerySet[Workspace]:
    """Return the workspaces whose history `user` may look at."""
    return access.objects_with(user, ["view_all_runs"], Workspace.objects.all())
