"""A standing answers what `accounts.access` answers, for everybody and at once."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group

from accounts import access, actions
from accounts.models import Membership, Role, User
from accounts.standing import standing
from activities.models import McpServer
from tests.accounts.conftest import House

PERMS = ("view_all_runs", "approve_runs", "design_agents", "export_audit")


def out_of_here(house: House) -> None:
    Membership.objects.filter(user=house.owner).update(active=False)


def inactive(house: House) -> None:
    User.objects.filter(pk=house.owner.pk).update(is_active=False)


def direct_grant(house: House) -> None:
    access.grant("design_agents", house.member, house.workspace)


def plain_group(house: House) -> None:
    group = Group.objects.create(name="plain")
    access.grant("approve_runs", group, house.workspace)
    house.member.groups.add(group)
    house.stranger.groups.add(group)


def left_in_a_group(house: House) -> None:
    house.stranger.groups.add(access.role_group(house.workspace, Role.APPROVER))


def member_of_both(house: House) -> None:
    access.grant("accounts.view_user", access.role_group(house.elsewhere, Role.APPROVER))
    access.grant("accounts.add_user", access.role_group(house.workspace, Role.BUSINESS))
    actions.member_add(house.workspace, house.stranger, [Role.BUSINESS])


def superuser(house: House) -> None:
    User.objects.update(is_superuser=True, is_staff=True)


def revoked(house: House) -> None:
    access.revoke("approve_runs", access.role_group(house.workspace, Role.APPROVER), house.workspace)


def server_here(house: House) -> None:
    """Object permissions on servers of the workspace count among the permissions there, and only there."""
    mine, theirs = (
        McpServer.objects.create(workspace=place, key=key, name=key, url="https://example.org")
        for place, key in ((house.workspace, "mine"), (house.elsewhere, "theirs"))
    )
    access.grant("activities.use_mcpserver", house.member, mine)
    access.grant("activities.use_mcpserver", house.member, theirs)
    access.grant("activities.use_mcpserver", access.role_group(house.workspace, Role.APPROVER), mine)
    house.stranger.groups.add(access.role_group(house.workspace, Role.APPROVER))
    assert mine.permission in standing(house.member, house.workspace).permissions


def server_without_membership(house: House) -> None:
    server_here(house)
    out_of_here(house)
    User.objects.filter(pk=house.member.pk).update(is_active=False)


SITUATIONS = [
    out_of_here,
    inactive,
    direct_grant,
    plain_group,
    left_in_a_group,
    member_of_both,
    superuser,
    revoked,
    server_here,
    server_without_membership,
]


@pytest.mark.parametrize("change", SITUATIONS, ids=lambda change: change.__name__)
def test_it_answers_as_access_does(house: House, change: Callable[[House], None]) -> None:
    change(house)
    for workspace in (house.workspace, house.elsewhere):
        for user in (house.owner, house.member, house.stranger):
            found = standing(user, workspace, [workspace])
            assert found.member == access.is_member(user, workspace)
            assert found.permissions == access.permissions_in(user, workspace)
            held = {perm for perm in PERMS if found.holds(perm, workspace)}
            assert held == {perm for perm in PERMS if access.holds(user, perm, workspace)}


def test_it_is_one_query(house: House, django_assert_num_queries) -> None:
    with django_assert_num_queries(1):
        standing(house.owner, house.workspace, [house.workspace])
