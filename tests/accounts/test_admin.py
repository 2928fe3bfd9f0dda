"""The administration: what staff may do to others, and that nobody edits the history."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from accounts import access, actions, tokens
from accounts.models import AuditEvent, Membership, Role, User, Workspace, WorkspaceGroup
from agentapp.kernel.errors import NotSignedIn
from tests.accounts.conftest import PASSWORD, House, make_user


def url(model: str, page: str, *args: object) -> str:
    return reverse(f"admin:accounts_{model}_{page}", args=args)


@pytest.fixture
def root(house: House, superuser: User) -> Client:
    client = Client()
    client.force_login(superuser)
    return client


@pytest.fixture
def clerk(house: House) -> Client:
    """Staff with every right of this app, but no superuser."""
    user = make_user("Clerk", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="accounts"))
    client = Client()
    client.force_login(user)
    return client


def user_form(user: User, **changes: object) -> dict[str, object]:
    values = {"email": user.email, "full_name": user.full_name, "language": "en", "time_zone": "UTC"}
    return values | {"is_active": "on"} | changes


MODELS = ["user", "workspace", "membership", "workspacegroup", "apitoken", "auditevent", "auditseal"]


@pytest.mark.parametrize("model", MODELS)
def test_lists_open_for_staff_only(house: House, root: Client, client: Client, model: str) -> None:
    actions.token_create(house.owner, "ci", ["read"])
    assert root.get(url(model, "changelist")).status_code == 200
    client.force_login(house.owner)
    assert client.get(url(model, "changelist")).status_code == 302


def test_a_new_person_is_created_and_recorded(root: Client) -> None:
    sent = {
        "email": "New@Example.org", "full_name": "New", "language": "fr", "time_zone": "Europe/Paris",
        "usable_password": "true", "password1": PASSWORD, "password2": PASSWORD,
    }  # fmt: skip
    assert root.get(url("user", "add")).status_code == 200
    assert root.post(url("user", "add"), sent).status_code == 302
    user = User.objects.get(email="new@example.org")
    assert user.check_password(PASSWORD)
    assert (user.language, user.is_staff, user.is_superuser) == ("fr", False, False)
    assert AuditEvent.objects.get(stream=user.pk).type == "user.created"
    assert User.objects.filter(full_name="New").count() == 1


def test_the_hash_is_not_shown(house: House, root: Client) -> None:
    page = root.get(url("user", "change", house.owner.pk)).content.decode()
    assert house.owner.password[:12] not in page
    assert "Set a new password" in page


def test_a_person_is_changed_and_it_is_recorded(house: House, root: Client) -> None:
    sent = user_form(house.member, full_name="Maxine", user_permissions=[])
    assert root.post(url("user", "change", house.member.pk), sent).status_code == 302
    assert User.objects.get(pk=house.member.pk).full_name == "Maxine"
    assert AuditEvent.objects.get(type="user.changed").data == {"full_name": "Maxine"}
    assert access.is_member(house.member, house.workspace)
    assert house.member.groups.exists()


def test_staff_do_not_raise_themselves_or_others(house: House, clerk: Client) -> None:
    me = User.objects.get(email="clerk@example.org")
    everything = [str(pk) for pk in Permission.objects.values_list("pk", flat=True)]
    flags = {"is_superuser": "on", "is_staff": "on", "user_permissions": everything}
    for user in (me, house.member):
        held = set(user.user_permissions.values_list("pk", flat=True))
        clerk.post(url("user", "change", user.pk), user_form(user, **flags))
        after = User.objects.get(pk=user.pk)
        assert not after.is_superuser
        assert after.is_staff == (user == me)
        assert set(after.user_permissions.values_list("pk", flat=True)) == held


def test_staff_do_not_touch_other_staff(house: House, superuser: User, clerk: Client) -> None:
    assert clerk.post(url("user", "change", superuser.pk), user_form(superuser)).status_code == 403
    password = reverse("admin:auth_user_password_change", args=[superuser.pk])
    sent = {"usable_password": "true", "password1": "another good phrase", "password2": "another good phrase"}
    assert clerk.post(password, sent).status_code == 403
    assert User.objects.get(pk=superuser.pk).check_password(PASSWORD)


def test_a_password_set_by_an_administrator_is_recorded(house: House, clerk: Client) -> None:
    page = reverse("admin:auth_user_password_change", args=[house.member.pk])
    sent = {"usable_password": "true", "password1": "another good phrase", "password2": "another good phrase"}
    assert clerk.get(page).status_code == 200
    assert clerk.post(page, sent).status_code == 302
    assert User.objects.get(pk=house.member.pk).check_password("another good phrase")
    event = AuditEvent.objects.get(type="user.password_set")
    assert (event.stream, event.actor.email) == (house.member.pk, "clerk@example.org")


def test_a_password_set_by_an_administrator_takes_the_tokens_away(house: House, clerk: Client) -> None:
    """Whoever had the password may have made a token with it."""
    token, _secret = actions.token_create(house.member, "ci", ["read"])
    others, _secret = actions.token_create(house.owner, "ci", ["read"])
    page = reverse("admin:auth_user_password_change", args=[house.member.pk])
    sent = {"usable_password": "true", "password1": "another good phrase", "password2": "another good phrase"}
    assert clerk.post(page, sent).status_code == 302
    token.refresh_from_db()
    others.refresh_from_db()
    assert token.revoked_at is not None
    assert others.revoked_at is None
    event = AuditEvent.objects.get(type="token.revoked")
    assert (event.stream, event.actor.email) == (house.member.pk, "clerk@example.org")


@pytest.mark.parametrize(
    "model", ["user", "workspace", "membership", "workspacegroup", "apitoken", "auditevent"]
)
def test_nothing_is_deleted(house: House, root: Client, model: str) -> None:
    actions.token_create(house.owner, "ci", ["read"])
    rows = {"user": User, "workspace": Workspace, "membership": Membership, "workspacegroup": WorkspaceGroup}
    pk = rows[model].objects.first().pk if model in rows else 1
    assert root.post(url(model, "delete", pk), {"post": "yes"}).status_code == 403


def test_a_workspace_is_created_with_its_groups(root: Client) -> None:
    assert root.get(url("workspace", "add")).status_code == 200
    sent = {"name": "Sales", "slug": "sales", "default_language": "fr"}
    assert root.post(url("workspace", "add"), sent).status_code == 302
    workspace = Workspace.objects.get(slug="sales")
    assert workspace.workspace_groups.count() == len(Role)
    page = root.get(url("workspace", "change", workspace.pk)).content.decode()
    assert "sales/approver" in page
    assert "here/approver" not in page


def test_a_member_is_added_changed_and_removed(house: House, root: Client) -> None:
    group = actions.group_create(house.workspace, "Desk")
    assert root.get(url("membership", "add")).status_code == 200
    sent = {"user": house.stranger.pk, "workspace": house.workspace.pk, "active": "on", "roles": ["approver"]}
    assert root.post(url("membership", "add"), sent | {"groups": [group.pk]}).status_code == 302
    assert access.holds(house.stranger, "approve_runs", house.workspace)
    assert house.stranger.groups.filter(pk=group.pk).exists()
    membership = Membership.objects.get(user=house.stranger, workspace=house.workspace)
    change = url("membership", "change", membership.pk)
    assert root.get(change).status_code == 200
    assert root.post(change, {"active": "on", "roles": ["business"]}).status_code == 302
    assert not access.holds(house.stranger, "approve_runs", house.workspace)
    assert not house.stranger.groups.filter(pk=group.pk).exists()
    assert root.post(change, {"roles": ["business"]}).status_code == 302
    assert not access.is_member(house.stranger, house.workspace)


def test_a_group_of_another_workspace_is_not_taken(house: House, root: Client) -> None:
    group = actions.group_create(house.elsewhere, "Desk")
    sent = {"user": house.stranger.pk, "workspace": house.workspace.pk, "active": "on", "groups": [group.pk]}
    assert root.post(url("membership", "add"), sent).status_code == 200
    assert not access.is_member(house.stranger, house.workspace)


def test_group_rights_are_given_and_recorded(house: House, root: Client) -> None:
    right = Permission.objects.get(codename="view_user")
    assert root.get(url("workspacegroup", "add")).status_code == 200
    sent = {"workspace": house.workspace.pk, "label": "Desk", "permissions": [right.pk]}
    assert root.post(url("workspacegroup", "add"), sent).status_code == 302
    group = access.workspace_group(house.workspace, "Desk")
    assert list(group.permissions.all()) == [right]
    change = url("workspacegroup", "change", group.workspace_group.pk)
    assert root.get(change).status_code == 200
    assert root.post(change, {}).status_code == 302
    assert not group.permissions.exists()
    told = AuditEvent.objects.filter(stream=house.workspace.pk, data__permission="accounts.view_user")
    assert [event.type for event in told.order_by("seq")] == ["right.granted", "right.revoked"]


def test_staff_give_no_rights_of_the_administration(house: House, clerk: Client) -> None:
    group = access.role_group(house.workspace, Role.BUSINESS)
    access.grant("accounts.view_user", group)
    right = Permission.objects.get(codename="change_user", content_type__app_label="accounts")
    change = url("workspacegroup", "change", group.workspace_group.pk)
    assert clerk.post(change, {"permissions": [right.pk]}).status_code == 200  # not among the choices
    assert clerk.post(change, {}).status_code == 302
    assert [each.codename for each in group.permissions.all()] == ["view_user"]  # nor taken away


def test_the_history_is_only_looked_at(house: House, root: Client) -> None:
    event = AuditEvent.objects.filter(workspace=None).first()
    assert root.get(url("auditevent", "change", event.pk)).status_code == 200
    assert root.post(url("auditevent", "change", event.pk), {"type": "x"}).status_code == 403
    assert root.post(url("auditevent", "add"), {"type": "x"}).status_code == 403
    again = AuditEvent.objects.get(pk=event.pk)
    assert again.type == event.type


def test_the_history_of_a_workspace_is_for_its_auditors(house: House, root: Client, superuser: User) -> None:
    def shown() -> set[object]:
        return {
            event.workspace_id for event in root.get(url("auditevent", "changelist")).context["cl"].queryset
        }

    assert shown() == {None}
    actions.member_add(house.workspace, superuser, [Role.AUDITOR])
    assert shown() == {None, house.workspace.pk}


def test_tokens_are_revoked_only(house: House, root: Client, clerk: Client) -> None:
    token, secret = actions.token_create(house.owner, "ci", ["read"])
    page = root.get(url("apitoken", "change", token.pk))
    assert token.hash not in page.content.decode()
    assert root.post(url("apitoken", "change", token.pk), {"name": "x"}).status_code == 403
    assert root.post(url("apitoken", "add"), {"name": "x"}).status_code == 403
    sent = {"action": "revoke", "_selected_action": [str(token.pk)]}
    assert clerk.post(url("apitoken", "changelist"), sent).status_code == 302
    with pytest.raises(NotSignedIn):
        tokens.authenticate(secret, "read")
