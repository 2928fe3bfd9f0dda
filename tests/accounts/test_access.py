"""Who may: granted, revoked, and never by being a superuser."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType

from accounts import access, actions
from accounts.models import AuditEvent, Membership, Role, User, Workspace
from agentapp.kernel.errors import Conflict, InvalidInput, Misconfigured, NotFound
from tests.accounts.conftest import House

APPROVE = "accounts.approve_runs"
EDIT_USERS = "accounts.change_user"


def test_role_grants_hold_for_owner_only(house: House) -> None:
    held = [
        access.holds(user, APPROVE, house.workspace) for user in (house.owner, house.member, house.stranger)
    ]
    assert held == [True, False, False]
    assert access.holds(house.owner, "approve_runs", house.workspace)
    assert not access.holds(house.owner, APPROVE, house.elsewhere)
    assert not access.holds(house.owner, "activities.approve_runs", house.workspace)  # of another app


@pytest.mark.parametrize(
    ("role", "perms"),
    [
        (Role.BUSINESS, set()),
        (Role.DESIGNER, {"design_agents"}),
        (Role.APPROVER, {"approve_runs"}),
        (Role.AUDITOR, {"view_all_runs", "export_audit"}),
    ],
)
def test_each_role_holds_its_own_rights(house: House, role: Role, perms: set[str]) -> None:
    actions.member_add(house.workspace, house.member, [role])
    declared = [codename for codename, _name in Workspace._meta.permissions]
    assert {perm for perm in declared if access.holds(house.member, perm, house.workspace)} == perms


def test_superuser_holds_nothing(house: House, superuser: User) -> None:
    actions.member_add(house.workspace, superuser, [Role.BUSINESS])
    assert superuser.has_perm(APPROVE)  # what Django would say
    assert not access.holds(superuser, APPROVE, house.workspace)
    assert not access.may(superuser, APPROVE, house.workspace)
    assert access.permissions_in(superuser, house.workspace) == frozenset()
    assert not access.objects_with(superuser, [APPROVE], Workspace.objects.all()).exists()


def test_revocation_holds_at_the_next_call(house: House) -> None:
    access.grant(APPROVE, house.member, house.workspace)
    user = User.objects.get(pk=house.member.pk)
    assert access.holds(user, APPROVE, house.workspace)
    assert access.revoke(APPROVE, house.member, house.workspace)
    assert not access.holds(user, APPROVE, house.workspace)
    assert not access.revoke(APPROVE, house.member, house.workspace)


def test_group_permission_is_taken_back_at_once(house: House) -> None:
    group = access.group_create(house.workspace, "Editors")
    house.member.groups.add(group)
    assert access.grant(EDIT_USERS, group)
    assert not access.grant(EDIT_USERS, group)
    assert access.permissions_in(house.member, house.workspace) == {EDIT_USERS}
    assert access.may(house.member, EDIT_USERS, house.workspace)
    assert not access.may(house.owner, EDIT_USERS, house.workspace)
    assert access.revoke(EDIT_USERS, group)
    assert not access.may(house.member, EDIT_USERS, house.workspace)


def test_permissions_do_not_cross_workspaces(house: House) -> None:
    access.grant(EDIT_USERS, access.role_group(house.elsewhere, Role.APPROVER))
    actions.member_add(house.workspace, house.stranger, [Role.BUSINESS])
    assert access.permissions_in(house.stranger, house.elsewhere) == {EDIT_USERS}
    assert access.permissions_in(house.stranger, house.workspace) == frozenset()


def test_a_persons_own_django_permissions_do_not_count(house: House) -> None:
    permission = Permission.objects.get(codename="change_user", content_type__app_label="accounts")
    house.member.user_permissions.add(permission)
    plain = Group.objects.create(name="plain")
    plain.permissions.add(permission)
    house.member.groups.add(plain)
    assert not access.may(house.member, EDIT_USERS, house.workspace)


@pytest.mark.parametrize("end", ["deactivated", "removed", "membership off"])
def test_who_is_out_holds_nothing(house: House, end: str) -> None:
    access.grant(EDIT_USERS, access.role_group(house.workspace, Role.APPROVER))
    access.grant("view_all_runs", house.owner, house.workspace)
    stale = User.objects.get(pk=house.owner.pk)
    if end == "deactivated":
        User.objects.filter(pk=house.owner.pk).update(is_active=False)
    elif end == "removed":
        actions.member_remove(house.workspace, house.owner)
    else:
        Membership.objects.filter(user=house.owner).update(active=False)
    assert not access.is_member(stale, house.workspace)
    assert not access.holds(stale, APPROVE, house.workspace)
    assert not access.holds(stale, "view_all_runs", house.workspace)
    assert access.permissions_in(stale, house.workspace) == frozenset()
    assert not access.may(stale, EDIT_USERS, house.workspace)
    assert list(access.workspaces_of(stale)) == []
    assert house.owner not in access.who_holds(APPROVE, house.workspace)
    assert house.owner not in access.who_may(APPROVE, house.workspace)


def test_coming_back_brings_no_old_right(house: House) -> None:
    access.grant("view_all_runs", house.owner, house.workspace)
    actions.member_remove(house.workspace, house.owner)
    actions.member_add(house.workspace, house.owner, [Role.BUSINESS])
    assert not access.holds(house.owner, "view_all_runs", house.workspace)
    assert not access.holds(house.owner, APPROVE, house.workspace)


def test_a_group_row_left_behind_in_a_workspace_gives_nothing(house: House) -> None:
    house.stranger.groups.add(access.role_group(house.workspace, Role.APPROVER))
    assert not access.holds(house.stranger, APPROVE, house.workspace)
    assert house.stranger not in access.who_holds(APPROVE, house.workspace)


def test_a_group_counts_only_for_its_workspaces_members(house: House) -> None:
    """Also on an object that belongs to no workspace."""
    group = access.role_group(house.workspace, Role.APPROVER)
    access.grant("view_user", group, house.member)
    assert access.holds(house.owner, "view_user", house.member)
    house.stranger.groups.add(group)
    assert not access.holds(house.stranger, "view_user", house.member)
    assert list(access.who_holds("view_user", house.member)) == [house.owner]


def test_objects_with_wants_every_permission(house: House) -> None:
    everything = Workspace.objects.all()
    assert list(access.objects_with(house.owner, ["view_all_runs", "export_audit"], everything)) == [
        house.workspace
    ]
    assert list(access.objects_with(house.owner, ["view_all_runs", "design_agents"], everything)) == []
    assert list(access.objects_with(house.owner, ["auth.approve_runs"], everything)) == []


def test_who_holds_and_who_may(house: House) -> None:
    assert list(access.who_holds(APPROVE, house.workspace)) == [house.owner]
    assert list(access.who_may(APPROVE, house.workspace)) == [house.owner]
    access.grant(APPROVE, access.role_group(house.workspace, Role.BUSINESS))
    assert set(access.who_may(APPROVE, house.workspace)) == {house.owner, house.member}


def test_each_question_is_one_query(house: House, django_assert_num_queries) -> None:
    ContentType.objects.get_for_model(Workspace)
    for question in (
        lambda: access.holds(house.owner, APPROVE, house.workspace),
        lambda: access.permissions_in(house.owner, house.workspace),
        lambda: access.is_member(house.owner, house.workspace),
        lambda: list(access.objects_with(house.owner, [APPROVE], Workspace.objects.all())),
        lambda: list(access.who_holds(APPROVE, house.workspace)),
    ):
        with django_assert_num_queries(1):
            question()


def test_a_deleted_objects_grants_are_gone(house: House) -> None:
    membership = Membership.objects.get(user=house.stranger)
    access.grant("change_membership", house.stranger, membership)
    assert access.holds(house.stranger, "change_membership", membership)
    key = membership.pk
    membership.delete()
    again = Membership.objects.create(pk=key, user=house.stranger, workspace=house.elsewhere)
    assert not access.holds(house.stranger, "change_membership", again)


def test_bulk_deletion_takes_the_grants_too(house: House) -> None:
    membership = Membership.objects.get(user=house.stranger)
    access.grant("change_membership", access.role_group(house.elsewhere, Role.AUDITOR), membership)
    key = membership.pk
    Membership.objects.filter(pk=key).delete()
    again = Membership.objects.create(pk=key, user=house.stranger, workspace=house.elsewhere)
    assert not access.holds(house.stranger, "change_membership", again)


def test_a_group_of_another_workspace_is_refused(house: House) -> None:
    with pytest.raises(InvalidInput):
        access.grant(APPROVE, access.role_group(house.elsewhere, Role.APPROVER), house.workspace)


def test_what_grant_refuses(house: House) -> None:
    group = access.role_group(house.workspace, Role.BUSINESS)
    with pytest.raises(Misconfigured):
        access.grant("no_such_right", group, house.workspace)
    with pytest.raises(Misconfigured):
        access.grant("change_user", group)
    with pytest.raises(Misconfigured):
        access.grant("accounts.no_such_right", group)
    with pytest.raises(InvalidInput):
        access.grant(EDIT_USERS, house.member)
    with pytest.raises(InvalidInput):
        access.grant(EDIT_USERS, Group.objects.create(name="plain"))


def test_groups_by_name(house: House) -> None:
    group = access.group_create(house.workspace, "Credit desk")
    assert access.workspace_group(house.workspace, "Credit desk") == group
    assert access.workspace_group(house.workspace, "approver") == access.role_group(
        house.workspace, "approver"
    )
    with pytest.raises(NotFound):
        access.workspace_group(house.elsewhere, "Credit desk")
    with pytest.raises(Conflict):
        access.group_create(house.workspace, "Credit desk")


def test_rights_given_and_taken_are_recorded(house: House) -> None:
    access.grant(APPROVE, house.member, house.workspace, actor=house.owner)
    access.revoke(APPROVE, house.member, house.workspace, actor=house.owner)
    events = AuditEvent.objects.filter(stream=house.member.pk, type__startswith="right.").order_by("seq")
    assert [event.type for event in events] == ["right.granted", "right.revoked"]
    assert events[0].actor == house.owner
    assert events[0].workspace == house.workspace
    assert events[0].data["permission"] == APPROVE
    assert events[0].data["on"] == {"model": "accounts.workspace", "id": str(house.workspace.pk)}
