"""What may be done about people, workspaces, memberships and tokens.

Every action checks the right of `actor`, changes, and records in one transaction. Without an `actor` the
operator acts: a command or a shell on the server. Administration rights are Django's model permissions; they
have nothing to do with what a person may do in a run (`accounts.access`).
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Group, Permission
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import access, audit, tokens
from accounts.models import (
    ApiToken,
    Language,
    Membership,
    Role,
    Scope,
    User,
    Workspace,
)
from agentapp.kernel.errors import InvalidInput, NotAllowed, NotFound
from agentapp.kernel.text import clean_text

PROFILE_FIELDS = ("full_name", "language", "time_zone", "raw_disclosure")
SUPERUSER_FIELDS = {"is_staff", "is_superuser", "user_permissions"}
TOKENS_PER_USER = 50


@transaction.atomic
def user_create(
    *,
    email: str,
    full_name: str,
    password: str | None = None,
    language: str = Language.ENGLISH,
    time_zone: str = "UTC",
    is_staff: bool = False,
    is_superuser: bool = False,
    actor: User | None = None,
) -> User:
    """Create a person. Without a password they cannot sign in yet. Raises InvalidInput naming the fields."""
    _require(actor, "accounts.add_user")
    _require_superuser_for(actor, is_staff or is_superuser)
    user = User(
        email=email,
        full_name=full_name,
        language=language,
        time_zone=time_zone,
        is_staff=is_staff,
        is_superuser=is_superuser,
    )
    _set_password(user, password)
    _validate(user)
    user.save(force_insert=True)
    about = {"email": user.email, "is_staff": is_staff, "is_superuser": is_superuser}
    _record("user.created", user, actor, about)
    return user


@transaction.atomic
def user_administer(user: User, changes: Mapping[str, Any], *, actor: User | None = None) -> User:
    """Change what an administrator may change of a person. Rights of the administration take a superuser."""
    _require(actor, "accounts.change_user")
    _require_superuser_for(actor, bool(set(changes) & SUPERUSER_FIELDS))
    user = User.objects.select_for_update().get(pk=user.pk)
    _require_superuser_for(actor, user.is_staff and actor is not None and actor.pk != user.pk)
    about = dict(changes)
    if "user_permissions" in about:
        chosen = about.pop("user_permissions")
        user.user_permissions.set(chosen)
        about["user_permissions"] = sorted(permission_name(each) for each in chosen)
    for name in set(changes) - {"user_permissions"}:
        setattr(user, name, changes[name])
    _validate(user)
    user.save()
    if about:
        _record("user.changed", user, actor, about)
    return user


@transaction.atomic
def password_was_set(user: User, *, actor: User | None) -> None:
    """Record that an administrator gave a person a new password. What they had before is no key any more."""
    _record("user.password_set", user, actor, {})
    _revoke_all(user, actor)


@transaction.atomic
def workspace_create(
    *,
    slug: str,
    name: str,
    default_language: str = Language.ENGLISH,
    actor: User | None = None,
) -> Workspace:
    """Create a workspace with a group for each role; escalations go to its approvers until changed."""
    _require(actor, "accounts.add_workspace")
    workspace = Workspace(slug=slug, name=name, default_language=default_language)
    _validate(workspace)
    workspace.save(force_insert=True)
    _record("workspace.created", workspace, actor, {"slug": slug, "name": name}, workspace)
    for role, grants in access.ROLE_GRANTS.items():
        group = access.group_create(workspace, role.value, role=role, actor=actor)
        for perm in grants:
            access.grant(perm, group, workspace, actor=actor)
    workspace.escalation_group = access.role_group(workspace, Role.APPROVER)
    workspace.save(update_fields=["escalation_group"])
    return workspace


@transaction.atomic
def workspace_administer(
    workspace: Workspace, changes: Mapping[str, Any], *, actor: User | None = None
) -> Workspace:
    """Change a workspace's name, language or escalation group (one of its own)."""
    _require(actor, "accounts.change_workspace")
    group = changes.get("escalation_group")
    if group is not None and not workspace.workspace_groups.filter(group=group).exists():
        raise InvalidInput(_("This group belongs to another workspace."))
    for name, value in changes.items():
        setattr(workspace, name, value)
    _validate(workspace)
    workspace.save(update_fields=list(changes))
    if changes:
        about = {**changes, "escalation_group": group.name} if group else dict(changes)
        _record("workspace.changed", workspace, actor, about, workspace)
    return workspace


@transaction.atomic
def group_create(workspace: Workspace, label: str, *, actor: User | None = None) -> Group:
    """Create a custom group. Raises Conflict when the workspace has one of that name."""
    _require(actor, "accounts.add_workspacegroup")
    return access.group_create(workspace, label, actor=actor)


@transaction.atomic
def group_permissions_set(
    group: Group,
    *,
    wanted: Iterable[Permission],
    among: QuerySet[Permission],
    actor: User | None = None,
) -> None:
    """Give a workspace's group exactly the permissions `wanted` of those `among`; others stay as they are."""
    _require(actor, "accounts.change_workspacegroup")
    held, chosen = set(among.filter(group=group)), set(wanted)
    for permission in chosen - held:
        access.grant(permission_name(permission), group, actor=actor)
    for permission in held - chosen:
        access.revoke(permission_name(permission), group, actor=actor)


@transaction.atomic
def member_add(
    workspace: Workspace,
    user: User,
    roles: Collection[Role | str] = (Role.BUSINESS,),
    *,
    groups: Iterable[Group] | None = None,
    actor: User | None = None,
) -> Membership:
    """Make `user` a member with exactly these roles; with `groups`, of exactly these custom groups too."""
    _require(actor, "accounts.change_membership")
    wanted = sorted({_role(role) for role in roles})
    membership, _created = Membership.objects.update_or_create(
        user=user, workspace=workspace, defaults={"active": True}
    )
    about: dict[str, Any] = {"user": user.pk, "roles": wanted}
    here = Group.objects.filter(workspace_group__workspace=workspace)
    _set_groups(user, here.exclude(workspace_group__role=""), here.filter(workspace_group__role__in=wanted))
    if groups is not None:
        custom = [_own_group(workspace, group) for group in groups]
        _set_groups(user, here.filter(workspace_group__role=""), custom)
        about["groups"] = sorted(group.name for group in custom)
    _record("member.added", workspace, actor, about, workspace)
    return membership


@transaction.atomic
def member_remove(workspace: Workspace, user: User, *, actor: User | None = None) -> None:
    """End a membership: from the next check on, nothing in the workspace is theirs. Raises NotFound."""
    _require(actor, "accounts.change_membership")
    ended = Membership.objects.filter(user=user, workspace=workspace, active=True).update(active=False)
    if not ended:
        raise NotFound(_("This person is not a member of this workspace."))
    access.forget_member(user, workspace)
    _record("member.removed", workspace, actor, {"user": user.pk}, workspace)


@transaction.atomic
def profile_update(user: User, **changes: Any) -> User:
    """Change a person's own profile: any of `PROFILE_FIELDS`. Raises InvalidInput naming the fields."""
    unknown = sorted(set(changes) - set(PROFILE_FIELDS))
    if unknown:
        raise InvalidInput(_("This cannot be changed here."), fields=unknown)
    user = User.objects.select_for_update().get(pk=user.pk)
    changed = {name: value for name, value in changes.items() if getattr(user, name) != value}
    for name, value in changed.items():
        setattr(user, name, value)
    _validate(user)
    if changed:
        user.save(update_fields=list(changed))
        _record("user.profile_changed", user, user, changed)
    return user


@transaction.atomic
def password_change(user: User, *, current: str, new: str, revoke_tokens: bool = False) -> User:
    """Change one's own password, and revoke one's tokens if that is wanted.

    Raises InvalidInput for a wrong current one or a weak new one.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    if not user.check_password(current):
        raise InvalidInput(_("The current password is not right."), fields={"current": ["wrong"]})
    _set_password(user, new)
    user.save(update_fields=["password"])
    _record("user.password_changed", user, user, {})
    if revoke_tokens:
        _revoke_all(user, user)
    return user


@transaction.atomic
def token_create(
    user: User,
    name: str,
    scopes: Collection[Scope | str],
    *,
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """Create a personal token and return it with its secret, which nothing can show again."""
    wanted = _scopes(scopes)
    if expires_at is not None and expires_at <= timezone.now():
        raise InvalidInput(_("The token would be expired already."), fields={"expires_at": ["past"]})
    if ApiToken.objects.filter(user=user, revoked_at=None).count() >= TOKENS_PER_USER:
        raise InvalidInput(_("You have too many tokens. Revoke those you do not use."))
    minted = tokens.mint()
    token = ApiToken(user=user, name=name.strip(), prefix=minted.prefix, hash=minted.hash)
    token.scopes, token.expires_at = wanted, expires_at
    _validate(token)
    token.save(force_insert=True)
    about = {"token": token.pk, "name": token.name, "scopes": wanted, "expires_at": expires_at}
    _record("token.created", user, user, about)
    return token, minted.secret


@transaction.atomic
def token_revoke(actor: User | None, token_id: UUID) -> None:
    """Revoke a token: one's own, or anybody's for those who administrate tokens. Raises NotFound.

    Revoking twice is no error and recorded once.
    """
    token = ApiToken.objects.select_related("user").filter(pk=token_id).first()
    if token is None or not _may_revoke(actor, token):
        raise NotFound(_("There is no such token."))
    _revoke(token, actor)


def _revoke(token: ApiToken, actor: User | None) -> None:
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        _record("token.revoked", token.user, actor, {"token": token.pk, "name": token.name})


def _revoke_all(user: User, actor: User | None) -> None:
    for token in ApiToken.objects.select_related("user").filter(user=user, revoked_at=None).order_by("pk"):
        _revoke(token, actor)


def _may_revoke(actor: User | None, token: ApiToken) -> bool:
    return actor is None or actor.pk == token.user_id or actor.has_perm("accounts.change_apitoken")


def _require(actor: User | None, perm: str) -> None:
    """Raise NotAllowed unless the operator acts, or somebody who administrates this."""
    if actor is not None and not (actor.is_staff and actor.has_perm(perm)):
        raise NotAllowed(_("You may not do this. Ask an administrator."))


def _require_superuser_for(actor: User | None, reserved: bool) -> None:
    if reserved and actor is not None and not actor.is_superuser:
        raise NotAllowed(_("Only a superuser may do this."))


def _set_password(user: User, password: str | None) -> None:
    if password is not None:
        try:
            validate_password(password, user)
        except ValidationError as error:
            raise InvalidInput(" ".join(error.messages), fields={"password": error.messages}) from error
    user.set_password(password)


def _validate(instance: Model) -> None:
    """Clean the texts of `instance` and check its fields. Raises InvalidInput naming those that are wrong."""
    for field in instance._meta.concrete_fields:
        value = getattr(instance, field.attname)
        if isinstance(value, str):
            setattr(instance, field.attname, clean_text(value))
    try:
        instance.full_clean(validate_constraints=False)
    except ValidationError as error:
        fields = error.message_dict
        sentence = " ".join(message for messages in fields.values() for message in messages)
        raise InvalidInput(sentence, fields=fields) from error


def _role(role: Role | str) -> str:
    try:
        return Role(role).value
    except ValueError as error:
        raise InvalidInput(_("There is no role “%(role)s”.") % {"role": role}) from error


def _scopes(scopes: Collection[Scope | str]) -> list[str]:
    unknown = [scope for scope in scopes if scope not in Scope.values]
    if unknown or not scopes:
        raise InvalidInput(
            _("Choose at least one of: %(scopes)s.") % {"scopes": ", ".join(Scope.values)},
            fields={"scopes": ["unknown"]},
        )
    wanted = {Scope(scope).value for scope in scopes}
    return [scope for scope in Scope.values if scope in wanted]


def permission_name(permission: Permission) -> str:
    """Return "app_label.codename"."""
    return f"{permission.content_type.app_label}.{permission.codename}"


def _set_groups(user: User, among: QuerySet[Group], wanted: Iterable[Group]) -> None:
    """Make `user` a member of exactly the groups `wanted` of those `among`."""
    keep = [group.pk for group in wanted]
    user.groups.remove(*among.filter(user=user).exclude(pk__in=keep))
    user.groups.add(*keep)


def _own_group(workspace: Workspace, group: Group) -> Group:
    if not workspace.workspace_groups.filter(group=group, role="").exists():
        raise InvalidInput(_("This is not a custom group of this workspace."), group=group.name)
    return group


def _record(
    event_type: str,
    about: User | Workspace,
    actor: User | None,
    data: dict[str, Any],
    workspace: Workspace | None = None,
) -> None:
    audit.record(
        stream=about.pk,
        type=event_type,
        workspace=workspace,
        actor=actor,
        data=data,
    )
