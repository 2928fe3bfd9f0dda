"""Who may do what. The only module that knows guardian.

Two kinds of rights, and no third:

* a *permission in a workspace* ("billing.refund_invoice"): held through the workspace's groups;
* an *object permission* ("approve_runs" on this workspace): granted to a person or a group on one object.

Both need an active person with an active membership. Being a superuser opens the administration and gives
nothing here. Nothing is cached: every question is one query, so a revocation holds from the next call on.

A model says which workspace its objects belong to by a `workspace` foreign key, or by a class attribute
`workspace_path` ("revision__agent__workspace"). For a model with neither, membership of any workspace is
enough to use what was granted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, models, transaction
from django.db.models import CharField, Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat
from django.utils.translation import gettext as _
from guardian.models import GroupObjectPermission, UserObjectPermission

from accounts import audit
from accounts.models import Membership, Role, User, Workspace, WorkspaceGroup
from accounts.standing import ScopedPermission, scoped_permissions
from agentapp.kernel.compiled import Compiled
from agentapp.kernel.errors import Conflict, InvalidInput, Misconfigured, NotFound

M = TypeVar("M", bound=models.Model)

#: What a role may do on its workspace.
ROLE_GRANTS: dict[Role, tuple[str, ...]] = {
    Role.BUSINESS: (),
    Role.DESIGNER: ("design_agents",),
    Role.APPROVER: ("approve_runs",),
    Role.AUDITOR: ("view_all_runs", "export_audit"),
}


@dataclass(frozen=True)
class Grant:
    """A right (codename) that a person or a group was given on one object, by its key as text."""

    codename: str
    to: User | Group
    object_key: str


def is_member(user: User, workspace: Workspace) -> bool:
    """True when `user` is active and an active member of `workspace`."""
    return _IS_MEMBER.found(user.pk, workspace.pk)


def workspaces_of(user: User) -> QuerySet[Workspace]:
    """Return the workspaces `user` is an active member of, by name."""
    return Workspace.objects.filter(pk__in=_active_memberships(user).values("workspace"))


def own_workspaces(user: User) -> list[Workspace]:
    """Return what `workspaces_of` finds, read now: every page asks it."""
    return _WORKSPACES.rows(user.pk)


def workspaces_where(user: User, perm: str) -> list[Workspace]:
    """Return the workspaces in which `user` holds `perm` ("app_label.codename"), by name."""
    return [each for each in own_workspaces(user) if may(user, perm, each)]


def role_group(workspace: Workspace, role: Role | str) -> Group:
    """Return the group of a role in a workspace. Raises NotFound when the workspace has none."""
    try:
        return Group.objects.get(workspace_group__workspace=workspace, workspace_group__role=Role(role))
    except Group.DoesNotExist:
        raise NotFound(_("This workspace has no group for that role."), role=str(role)) from None


def workspace_group(workspace: Workspace, name: str) -> Group:
    """Return a group of `workspace` by its role or its label. Raises NotFound when there is none."""
    named = Q(workspace_group__role=name) if name in Role.values else Q(workspace_group__label=name)
    found = Group.objects.filter(named, workspace_group__workspace=workspace).first()
    if found is None:
        raise NotFound(_("This workspace has no group named “%(name)s”.") % {"name": name}, name=name)
    return found


def group_create(
    workspace: Workspace, label: str, *, role: Role | str = "", actor: User | None = None
) -> Group:
    """Create a group of `workspace`. Raises Conflict when one with this label exists.

    Without `actor` the operator did it.
    """
    try:
        with transaction.atomic():
            group = Group.objects.create(name=f"{workspace.slug}/{label}")
            WorkspaceGroup.objects.create(workspace=workspace, group=group, role=role, label=label)
            _record("group.created", workspace, actor, {"group": label, "role": str(role)})
    except IntegrityError as error:
        raise Conflict(_("This workspace has a group of that name already."), label=label) from error
    return group


def grant(perm: str, to: User | Group, on: models.Model | None = None, *, actor: User | None = None) -> bool:
    """Give a right: on one object, or, without `on`, everywhere in the workspace of the group `to`.

    `perm` is a codename, or "app_label.codename" (required without `on`). Returns False when it was held
    already. Raises Misconfigured for a permission that does not exist, InvalidInput for a group of another
    workspace.
    """
    with transaction.atomic():
        changed = _grant_everywhere(perm, to) if on is None else _grant_on(perm, to, on)
        if changed:
            _record_right("right.granted", perm, to, on, actor)
    return changed


def revoke(perm: str, to: User | Group, on: models.Model | None = None, *, actor: User | None = None) -> bool:
    """Take back what `grant` gave. Returns False when it was not held."""
    with transaction.atomic():
        changed = _revoke_everywhere(perm, to) if on is None else _revoke_on(perm, to, on)
        if changed:
            _record_right("right.revoked", perm, to, on, actor)
    return changed


def grants_on(objects: Sequence[models.Model]) -> list[Grant]:
    """Return every right given on these objects of one or several models, people first, then groups."""
    keys = [str(each.pk) for each in objects]
    found: list[Grant] = []
    for rows, holder, joined in (
        (UserObjectPermission, "user", ["user"]),
        (GroupObjectPermission, "group", ["group__workspace_group"]),
    ):
        given = rows.objects.filter(object_pk__in=keys).select_related("permission", *joined)
        kinds = {_content_type(type(each)) for each in objects}
        found += [
            Grant(row.permission.codename, getattr(row, holder), row.object_pk)
            for row in given.filter(content_type__in=kinds).order_by(holder, "permission__codename")
        ]
    return found


def holds(user: User, perm: str, on: models.Model) -> bool:
    """True when `user` has the object permission `perm` on `on`, directly or by a group."""
    return _holding(perm, type(on)).found(user.pk, on.pk)


def objects_with(user: User, perms: Sequence[str], queryset: QuerySet[M]) -> QuerySet[M]:
    """Narrow `queryset` to the objects on which `user` holds every permission of `perms`, in SQL."""
    queryset = queryset.filter(_membership_condition(user, queryset.model))
    for perm in perms:
        queryset = queryset.filter(_grant_condition(user, perm, queryset.model))
    return queryset


def permissions_in(user: User, workspace: Workspace) -> frozenset[str]:
    """Return the permissions ("billing.refund_invoice") `user` holds through this workspace's groups.

    With them the scoped ones ("app.codename:key"), held on objects of this workspace.
    """
    name = Concat("content_type__app_label", Value("."), "codename", output_field=CharField())
    held = _group_permissions(user, workspace).annotate(held=name).values_list("held", flat=True)
    scoped = (_scoped_names(user, workspace, each) for each in scoped_permissions())
    return frozenset(held.union(*scoped))


def _scoped_names(user: User, workspace: Workspace, scoped: ScopedPermission) -> QuerySet[Any, str]:
    here = scoped.model._default_manager.filter(workspace=workspace).order_by()
    name = Concat(Value(f"{scoped.name}:"), Cast("pk", CharField()), output_field=CharField())
    return objects_with(user, [scoped.name], here).annotate(held=name).values_list("held", flat=True)


def may(user: User, perm: str, workspace: Workspace) -> bool:
    """True when `user` holds `perm` ("app_label.codename") in `workspace`.

    Either through the workspace's groups, or, for the workspace's own permissions, granted on it.
    """
    app_label, codename = _split(perm)
    if _through_groups(app_label, codename).found(user.pk, workspace.pk):
        return True
    return app_label == Workspace._meta.app_label and holds(user, codename, workspace)


def who_holds(perm: str, on: models.Model) -> QuerySet[User]:
    """Return the active people who hold the object permission `perm` on `on`."""
    rows = {"object_pk": str(on.pk), **_permission(perm, type(on))}
    direct = UserObjectPermission.objects.filter(**rows).values("user")
    groups = GroupObjectPermission.objects.filter(**rows).values("group")
    by_group = _live_group_rows().filter(group__in=groups).values("user")
    return _members_for(on).filter(Q(pk__in=direct) | Q(pk__in=by_group))


def who_may(perm: str, workspace: Workspace) -> QuerySet[User]:
    """Return the active people for whom `may` is true."""
    app_label, codename = _split(perm)
    groups = Group.objects.filter(
        workspace_group__workspace=workspace,
        permissions__content_type__app_label=app_label,
        permissions__codename=codename,
    )
    condition = Q(pk__in=User.objects.filter(groups__in=groups).values("pk"))
    if app_label == Workspace._meta.app_label:
        condition |= Q(pk__in=who_holds(codename, workspace).values("pk"))
    return _members_for(workspace).filter(condition)


def forget_object(instance: models.Model) -> None:
    """Delete every grant on an object that is going away: whoever gets its key later gets nothing."""
    if instance.pk is None:
        return
    rows = {"content_type": _content_type(type(instance)), "object_pk": str(instance.pk)}
    UserObjectPermission.objects.filter(**rows).delete()
    GroupObjectPermission.objects.filter(**rows).delete()


def forget_member(user: User, workspace: Workspace) -> None:
    """Take a person out of every group of `workspace` and drop what was granted to them on it."""
    user.groups.remove(*Group.objects.filter(workspace_group__workspace=workspace))
    UserObjectPermission.objects.filter(
        user=user, content_type=_content_type(Workspace), object_pk=str(workspace.pk)
    ).delete()


def _active_memberships(user: User) -> QuerySet[Membership]:
    # By key and in the database: the instance at hand may be older than the deactivation.
    return Membership.objects.filter(user=user.pk, active=True, user__is_active=True).order_by()


_IS_MEMBER = Compiled.existing(
    lambda user, workspace: _active_memberships(User(pk=user)).filter(workspace=workspace), 2
)


_WORKSPACES: Compiled[Workspace, Workspace] = Compiled(lambda user: workspaces_of(User(pk=user)))


def _membership_condition(user: User, model: type[models.Model]) -> Q:
    path = _workspace_path(model)
    memberships = _active_memberships(user)
    if path is None:
        return Q(Exists(memberships))
    return Q(**{f"{path}__in": memberships.values("workspace")})


def _workspace_path(model: type[models.Model]) -> str | None:
    if model is Workspace:
        return "pk"
    path: str | None = getattr(model, "workspace_path", None)
    if path is None and any(field.name == "workspace" for field in model._meta.get_fields()):
        return "workspace"
    return path


def _members_for(on: models.Model) -> QuerySet[User]:
    """Return the active people whose membership counts for `on`."""
    path = _workspace_path(type(on))
    memberships = Membership.objects.filter(active=True)
    if path is not None:
        memberships = memberships.filter(workspace__in=type(on)._base_manager.filter(pk=on.pk).values(path))
    return User.objects.filter(is_active=True, pk__in=memberships.values("user"))


def _grant_condition(user: User, perm: str, model: type[models.Model]) -> Q:
    rows = _permission(perm, model)
    # The keys are text in guardian's tables; casting those few rows lets the model's index be used.
    key = Cast("object_pk", model._meta.pk.__class__())
    direct = UserObjectPermission.objects.filter(user=user.pk, **rows)
    groups = _live_group_rows().filter(user=user.pk).values("group")
    by_group = GroupObjectPermission.objects.filter(group__in=groups, **rows)
    keys = [found.annotate(key=key).values("key") for found in (direct, by_group)]
    return Q(pk__in=keys[0]) | Q(pk__in=keys[1])


def _live_group_rows() -> QuerySet[Any]:
    """Return who is in which group, where it counts: a group of no workspace, or one they are active in."""
    here = Membership.objects.filter(
        user=OuterRef("user"), active=True, workspace=OuterRef("group__workspace_group__workspace")
    )
    return User.groups.through._default_manager.filter(Q(group__workspace_group=None) | Q(Exists(here)))


def _group_permissions(user: User, workspace: Workspace) -> QuerySet[Permission]:
    return (
        Permission.objects.filter(group__user=user.pk, group__workspace_group__workspace=workspace.pk)
        .filter(Exists(_active_memberships(user).filter(workspace=workspace.pk)))
        .order_by()
        .distinct()
    )


@cache
def _through_groups(app_label: str, codename: str) -> Compiled[Permission, int]:
    """By user and workspace: the permission, where a group of the workspace gives it."""
    wanted = {"content_type__app_label": app_label, "codename": codename}
    return Compiled.existing(
        lambda user, workspace: _group_permissions(User(pk=user), Workspace(pk=workspace)).filter(**wanted),
        2,
    )


@cache
def _holding(perm: str, model: type[models.Model]) -> Compiled[models.Model, Any]:
    """By user and object: the object, where the user holds the permission on it."""
    rows = model._base_manager
    return Compiled.existing(lambda user, on: objects_with(User(pk=user), [perm], rows.filter(pk=on)), 2)


def _content_type(model: type[models.Model]) -> ContentType:
    return ContentType.objects.get_for_model(model)


def _split(perm: str) -> tuple[str, str]:
    app_label, dot, codename = perm.partition(".")
    if not dot:
        raise Misconfigured(f"Write the permission {perm!r} with its app, like billing.refund_invoice.")
    return app_label, codename


def _permission(perm: str, model: type[models.Model]) -> dict[str, Any]:
    """Return the look-ups of rows that give a permission of `model`; one of another app matches nothing.

    By name: compiled queries outlive the numbers of content types.
    """
    app_label, _dot, codename = perm.rpartition(".")
    kind = (model._meta.concrete_model or model)._meta
    wanted = {
        "permission__codename": codename,
        "permission__content_type__app_label": kind.app_label,
        "permission__content_type__model": kind.model_name,
        "content_type": F("permission__content_type"),
    }
    return wanted | ({"permission__content_type__app_label__exact": app_label} if app_label else {})


def _find_permission(perm: str, model: type[models.Model] | None) -> Permission:
    if model is None:
        app_label, codename = _split(perm)
        found = Permission.objects.filter(content_type__app_label=app_label, codename=codename)
    else:
        app_label, _dot, codename = perm.rpartition(".")
        found = Permission.objects.filter(content_type=_content_type(model), codename=codename)
        found = found.filter(content_type__app_label=app_label) if app_label else found
    permission = found.first()
    if permission is None:
        about = f" on {model._meta.label}" if model else ""
        raise Misconfigured(f"There is no permission {perm!r}{about}. Declare it in the model's Meta.")
    return permission


def _grant_on(perm: str, to: User | Group, on: models.Model) -> bool:
    _require_same_workspace(to, on)
    permission = _find_permission(perm, type(on))
    rows: Any = UserObjectPermission if isinstance(to, User) else GroupObjectPermission
    key = {"user": to} if isinstance(to, User) else {"group": to}
    values = {"permission": permission, "content_type": permission.content_type, "object_pk": str(on.pk)}
    _row, created = rows.objects.get_or_create(**key, **values)
    return bool(created)


def _revoke_on(perm: str, to: User | Group, on: models.Model) -> bool:
    rows: Any = UserObjectPermission if isinstance(to, User) else GroupObjectPermission
    key = {"user": to} if isinstance(to, User) else {"group": to}
    gone, _by_model = rows.objects.filter(**key, object_pk=str(on.pk), **_permission(perm, type(on))).delete()
    return bool(gone)


def _grant_everywhere(perm: str, to: User | Group) -> bool:
    group, permission = _require_workspace_group(to).group, _find_permission(perm, None)
    if group.permissions.filter(pk=permission.pk).exists():
        return False
    group.permissions.add(permission)
    return True


def _revoke_everywhere(perm: str, to: User | Group) -> bool:
    group, permission = _require_workspace_group(to).group, _find_permission(perm, None)
    if not group.permissions.filter(pk=permission.pk).exists():
        return False
    group.permissions.remove(permission)
    return True


def _require_workspace_group(to: User | Group) -> WorkspaceGroup:
    found = WorkspaceGroup.objects.filter(group=to.pk).first() if isinstance(to, Group) else None
    if found is None:
        raise InvalidInput(_("A right that is not about one object is given to a group of a workspace."))
    return found


def _require_same_workspace(to: User | Group, on: models.Model) -> None:
    """A group of one workspace gets nothing on another's objects."""
    path = _workspace_path(type(on))
    if isinstance(to, User) or path is None:
        return
    owner = WorkspaceGroup.objects.filter(group=to).values_list("workspace", flat=True).first()
    theirs = type(on)._base_manager.filter(pk=on.pk).values_list(path, flat=True).first()
    if owner is not None and owner != theirs:
        raise InvalidInput(_("This group belongs to another workspace."))


def _record_right(
    event_type: str, perm: str, to: User | Group, on: models.Model | None, actor: User | None
) -> None:
    data = {
        "permission": perm,
        "to": {"kind": "user" if isinstance(to, User) else "group", "id": to.pk, "name": str(to)},
        "on": None if on is None else {"model": on._meta.label_lower, "id": on.pk},
    }
    _record(
        event_type, _workspace_concerned(to, on), actor, data, person=to if isinstance(to, User) else None
    )


def _workspace_concerned(to: User | Group, on: models.Model | None) -> Workspace | None:
    path = _workspace_path(type(on)) if on is not None else None
    if on is not None and path is not None:
        return Workspace.objects.filter(pk__in=type(on)._base_manager.filter(pk=on.pk).values(path)).first()
    return Workspace.objects.filter(workspace_groups__group=to.pk).first() if isinstance(to, Group) else None


def _record(
    event_type: str,
    workspace: Workspace | None,
    actor: User | None,
    data: dict[str, Any],
    *,
    person: User | None = None,
) -> None:
    """Record in the stream of the person concerned, else of the workspace."""
    about = person or workspace
    if about is None:
        raise Misconfigured(f"{event_type}: a right concerns a person or a workspace.")
    audit.record(
        stream=about.pk,
        type=event_type,
        workspace=workspace,
        actor=actor,
        data=data,
    )
