"""Rights on agents and activities: who gives which, to whom, and that it is on record."""

import pytest
from django.contrib.auth.models import Group

from accounts import access
from accounts.models import AuditEvent, Role
from activities.actions import agent_import
from activities.granting import grantable, holders, right_grant, right_revoke
from activities.models import Revision
from agentapp.kernel.errors import InvalidInput, NotAllowed
from tests.support.blueprints import activity, agent, use
from tests.support.world import World


@pytest.fixture
def draft(world: World) -> Revision:
    parts = agent(activity(use("find_items")), activity(use("find_items"), key="second"))
    return agent_import(parts, workspace=world.workspace, actor=world.designer)


def test_it_is_held_until_taken_back_and_on_record(world: World, draft: Revision) -> None:
    assert right_grant("use_agent", world.member, draft.agent, actor=world.designer)
    assert not right_grant("use_agent", world.member, draft.agent, actor=world.designer)
    assert access.holds(world.member, "activities.use_agent", draft.agent)
    assert right_revoke("use_agent", world.member, draft.agent, actor=world.designer)
    assert not access.holds(world.member, "activities.use_agent", draft.agent)
    events = AuditEvent.objects.filter(stream=world.member.pk, type__startswith="right.").order_by("seq")
    assert [event.type for event in events] == ["right.granted", "right.revoked"]
    assert {event.actor_id for event in events} == {world.designer.pk}


def test_all_that_is_held_is_listed(world: World, draft: Revision) -> None:
    identity = draft.activities.get(key="handle").identity
    right_grant("use_agent", world.keepers, draft.agent, actor=world.designer)
    right_grant("use_activity", world.member, identity, actor=world.designer)
    held = holders([draft.agent, identity])
    assert [each.name for each in held[str(draft.agent.pk), "use_agent"]] == ["Store keepers"]
    assert [each.key for each in held[str(identity.pk), "use_activity"]] == [f"user:{world.member.pk}"]
    assert len(held) == 2


def test_a_designer_of_one_part_gives_use_and_design_of_it_only(world: World, draft: Revision) -> None:
    own, other = (draft.activities.get(key=key).identity for key in ("handle", "second"))
    right_grant("design_activity", world.member, own, actor=world.designer)
    assert grantable(world.member, own) == ("use_activity", "design_activity")
    assert grantable(world.member, other) == grantable(world.member, draft.agent) == ()
    assert right_grant("use_activity", world.owner, own, actor=world.member)
    for right, on in (("approve_activity", own), ("use_activity", other), ("use_agent", draft.agent)):
        with pytest.raises(NotAllowed):
            right_grant(right, world.owner, on, actor=world.member)
        with pytest.raises(NotAllowed):
            right_revoke(right, world.owner, on, actor=world.member)


def test_nobody_else_gives_anything(world: World, draft: Revision) -> None:
    for user in (world.owner, world.member, world.stranger, world.root):
        with pytest.raises(NotAllowed):
            right_grant("use_agent", world.member, draft.agent, actor=user)
    assert holders([draft.agent]) == {}


def test_nobody_gives_themselves_the_right_to_approve(world: World, draft: Revision) -> None:
    own_group = access.role_group(world.workspace, Role.DESIGNER)
    for to in (world.designer, own_group):
        with pytest.raises(NotAllowed, match="yourself"):
            right_grant("approve_agent", to, draft.agent, actor=world.designer)
    assert right_grant("approve_agent", world.owner, draft.agent, actor=world.designer)


def test_strangers_and_their_groups_are_given_nothing(world: World, draft: Revision) -> None:
    theirs = access.role_group(world.elsewhere, Role.AUDITOR)
    for to in (world.stranger, theirs, Group.objects.create(name="nobody's")):
        with pytest.raises(InvalidInput):
            right_grant("use_agent", to, draft.agent, actor=world.designer)


def test_a_right_of_something_else_is_refused(world: World, draft: Revision) -> None:
    for right in ("use_activity", "delete_agent", "view_agent", ""):
        with pytest.raises(InvalidInput):
            right_grant(right, world.member, draft.agent, actor=world.designer)
