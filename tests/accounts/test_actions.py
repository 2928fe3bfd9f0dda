"""People, workspaces and memberships: checked, changed and recorded together."""

import pytest
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from accounts import access, actions, audit, selectors
from accounts.models import AuditEvent, Membership, Role, User, Workspace
from agentapp.kernel.errors import InvalidInput, NotAllowed, NotFound
from tests.accounts.conftest import PASSWORD, House, make_user


def types(stream: object) -> list[str]:
    return [event.type for event in AuditEvent.objects.filter(stream=stream).order_by("seq")]


@pytest.mark.django_db
def test_e_mail_is_one_whatever_its_case() -> None:
    user = actions.user_create(email=" Ada@Example.ORG ", full_name="Ada", password=PASSWORD)
    assert user.email == "ada@example.org"
    assert User.objects.get(email="ADA@example.org") == user
    assert User.objects.get_by_natural_key("Ada@Example.org") == user
    with pytest.raises(InvalidInput) as caught:
        actions.user_create(email="ADA@EXAMPLE.ORG", full_name="Other", password=PASSWORD)
    assert "email" in caught.value.data["fields"]


@pytest.mark.django_db
def test_the_database_keeps_e_mail_in_lower_case() -> None:
    user = make_user("Ada")
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE accounts_user SET email = 'ADA@example.org' WHERE id = %s", [user.pk])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"email": "nonsense"}, "email"),
        ({"email": ""}, "email"),
        ({"full_name": ""}, "full_name"),
        ({"time_zone": "Mars/Olympus"}, "time_zone"),
        ({"time_zone": "../etc/passwd"}, "time_zone"),
        ({"language": "de"}, "language"),
        ({"password": "password"}, "password"),
        ({"password": "1234567890"}, "password"),
    ],
)
def test_bad_values_are_named_and_nothing_is_kept(fields: dict[str, str], named: str) -> None:
    values = {"email": "ada@example.org", "full_name": "Ada", "password": PASSWORD} | fields
    with pytest.raises(InvalidInput) as caught:
        actions.user_create(**values)
    assert named in caught.value.data["fields"]
    assert not User.objects.exists()
    assert not AuditEvent.objects.exists()


@pytest.mark.django_db
def test_the_first_superuser_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    call_command(
        "createsuperuser", "--noinput", "--email", "Root@Example.org", "--full_name", "Root", verbosity=0
    )
    user = User.objects.get(email="root@example.org")
    assert user.is_superuser
    assert user.check_password(PASSWORD)
    event = AuditEvent.objects.get(stream=user.pk)
    assert (event.type, event.actor_kind) == ("user.created", "operator")


@pytest.mark.django_db
def test_texts_are_cleaned() -> None:
    user = actions.user_create(email="a\x00da@example.org", full_name="A\x00da \ud800")
    user.refresh_from_db()
    assert (user.email, user.full_name) == ("ada@example.org", "Ada \ufffd")


def test_a_workspace_comes_with_its_groups(house: House) -> None:
    groups = {each.role for each in house.workspace.workspace_groups.all()}
    assert groups == {role.value for role in Role}
    assert house.workspace.escalation_group == access.role_group(house.workspace, Role.APPROVER)
    with pytest.raises(InvalidInput):
        actions.workspace_create(slug="here", name="Again")


def test_roles_are_exactly_what_was_said(house: House) -> None:
    group = actions.group_create(house.workspace, "Desk")
    actions.member_add(house.workspace, house.owner, [Role.BUSINESS], groups=[group])
    assert selectors.roles_in(house.owner, house.workspace) == [Role.BUSINESS]
    actions.member_add(house.workspace, house.owner, [Role.AUDITOR, "designer"])
    assert selectors.roles_in(house.owner, house.workspace) == [Role.DESIGNER, Role.AUDITOR]
    assert house.owner.groups.filter(pk=group.pk).exists()  # not said, not touched
    actions.member_add(house.workspace, house.owner, [Role.AUDITOR], groups=[])
    assert not house.owner.groups.filter(pk=group.pk).exists()
    with pytest.raises(InvalidInput):
        actions.member_add(house.workspace, house.owner, ["king"])
    foreign = actions.group_create(house.elsewhere, "Desk")
    with pytest.raises(InvalidInput):
        actions.member_add(house.workspace, house.owner, [], groups=[foreign])


def test_removing_a_member(house: House) -> None:
    actions.member_remove(house.workspace, house.owner)
    assert not access.is_member(house.owner, house.workspace)
    assert not house.owner.groups.exists()
    assert list(selectors.members_of(house.workspace)) == [house.member]
    with pytest.raises(NotFound):
        actions.member_remove(house.workspace, house.owner)


def test_rights_of_the_administration_are_needed(house: House, superuser: User) -> None:
    clerk = make_user("Clerk", is_staff=True)
    attempts = {
        "add_user": lambda actor: actions.user_create(email=f"{actor.pk}@x.org", full_name="X", actor=actor),
        "add_workspace": lambda actor: actions.workspace_create(slug=str(actor.pk), name="X", actor=actor),
        "change_membership": lambda actor: actions.member_add(house.workspace, house.member, [], actor=actor),
        "add_workspacegroup": lambda actor: actions.group_create(house.workspace, str(actor.pk), actor=actor),
        "change_user": lambda actor: actions.user_administer(house.member, {"full_name": "X"}, actor=actor),
        "change_workspace": lambda actor: actions.workspace_administer(
            house.workspace, {"name": "X"}, actor=actor
        ),
    }
    for codename, attempt in attempts.items():
        for actor in (house.owner, house.stranger, clerk):
            with pytest.raises(NotAllowed):
                attempt(actor)
        clerk.user_permissions.add(
            Permission.objects.get(codename=codename, content_type__app_label="accounts")
        )
        attempt(User.objects.get(pk=clerk.pk))
        attempt(superuser)


def test_staff_make_no_superusers_and_no_staff(house: House) -> None:
    clerk = make_user("Clerk", is_staff=True)
    clerk.user_permissions.set(Permission.objects.filter(content_type__app_label="accounts"))
    clerk = User.objects.get(pk=clerk.pk)
    root = make_user("Root", is_staff=True, is_superuser=True)
    for flag in ("is_staff", "is_superuser"):
        with pytest.raises(NotAllowed):
            actions.user_create(email="x@x.org", full_name="X", actor=clerk, **{flag: True})
        with pytest.raises(NotAllowed):
            actions.user_administer(clerk, {flag: True}, actor=clerk)
    with pytest.raises(NotAllowed):
        actions.user_administer(root, {"email": "mine@x.org"}, actor=clerk)
    actions.user_administer(house.member, {"is_active": False}, actor=clerk)
    assert not User.objects.get(pk=house.member.pk).is_active


def test_everything_is_recorded_in_one_chain_each(house: House) -> None:
    actions.profile_update(house.owner, language="fr", raw_disclosure=True)
    actions.profile_update(house.owner, language="fr")  # nothing changed, nothing to tell
    actions.password_change(house.owner, current=PASSWORD, new="another good phrase")
    actions.member_remove(house.workspace, house.member)
    assert types(house.owner.pk) == ["user.created", "user.profile_changed", "user.password_changed"]
    changed = AuditEvent.objects.get(type="user.profile_changed")
    assert changed.data == {"language": "fr", "raw_disclosure": True}
    assert (changed.actor, changed.actor_kind) == (house.owner, "person")
    told = types(house.workspace.pk)
    assert told[0] == "workspace.created"
    assert told.count("group.created") == 4
    assert told[-3:] == ["member.added", "member.added", "member.removed"]
    assert AuditEvent.objects.filter(stream=house.workspace.pk, workspace=house.workspace).count() == len(
        told
    )
    assert all(found.ok for found in audit.verify_all())
    assert "another good phrase" not in str(list(AuditEvent.objects.values_list("data")))


@pytest.mark.django_db(transaction=True)
def test_a_failed_record_takes_the_change_back(monkeypatch: pytest.MonkeyPatch) -> None:
    user = make_user("Ada")

    def broken(**_values: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(audit, "record", broken)
    with pytest.raises(ZeroDivisionError):
        actions.profile_update(user, full_name="Changed")
    assert User.objects.get(pk=user.pk).full_name == "Ada"


def test_profile_refuses_what_is_not_ones_own_to_change(house: House) -> None:
    for changes in ({"is_staff": True}, {"is_superuser": True}, {"email": "x@x.org"}, {"password": "x"}):
        with pytest.raises(InvalidInput):
            actions.profile_update(house.member, **changes)
    with pytest.raises(InvalidInput):
        actions.profile_update(house.member, time_zone="Paris")


def test_password_needs_the_current_one_and_a_good_new_one(house: House) -> None:
    with pytest.raises(InvalidInput) as caught:
        actions.password_change(house.owner, current="wrong", new="another good phrase")
    assert "current" in caught.value.data["fields"]
    with pytest.raises(InvalidInput):
        actions.password_change(house.owner, current=PASSWORD, new="12345678")
    assert User.objects.get(pk=house.owner.pk).check_password(PASSWORD)


def test_group_permissions_set_touches_only_what_was_offered(house: House) -> None:
    group = actions.group_create(house.workspace, "Desk")
    offered = Permission.objects.filter(content_type__app_label="accounts", codename__endswith="_user")
    view = offered.get(codename="view_user")
    access.grant("accounts.add_workspace", group)
    access.grant("accounts.add_user", group)
    actions.group_permissions_set(group, wanted=[view], among=offered)
    names = {actions.permission_name(each) for each in group.permissions.select_related("content_type")}
    assert names == {"accounts.add_workspace", "accounts.view_user"}


def test_an_escalation_group_is_ones_own(house: House) -> None:
    theirs = access.role_group(house.elsewhere, Role.APPROVER)
    with pytest.raises(InvalidInput):
        actions.workspace_administer(house.workspace, {"escalation_group": theirs})
    ours = access.role_group(house.workspace, Role.DESIGNER)
    actions.workspace_administer(house.workspace, {"escalation_group": ours})
    assert Workspace.objects.get(pk=house.workspace.pk).escalation_group == ours


def test_a_membership_is_one_row(house: House) -> None:
    actions.member_remove(house.workspace, house.member)
    actions.member_add(house.workspace, house.member)
    assert Membership.objects.filter(user=house.member, workspace=house.workspace).count() == 1
