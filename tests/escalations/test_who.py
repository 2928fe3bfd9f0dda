"""Who decides: the step's group, else the workspace's, else those who may approve; never a stranger."""

import pytest

from accounts import access
from accounts.models import User
from agentapp.kernel.errors import Conflict, NotFound
from runs import actions, deciders
from runs.models import Escalation
from runs.selectors import escalation_for, escalations_for, run_for
from tests.escalations.hands import approver, escalated, opened
from tests.support.world import LABEL, World


def waiting(world: World, user: User) -> list[Escalation]:
    return list(escalations_for(user, world.workspace))


def test_owner_member_stranger_and_superuser_do_not_decide(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    escalation = opened(run)
    assert waiting(world, erin) == [escalation]
    for user in (world.owner, world.member, world.stranger, world.root):
        assert waiting(world, user) == []
        with pytest.raises(NotFound):
            escalation_for(user, escalation.pk)
        with pytest.raises(NotFound):
            actions.escalation_close(user=user, escalation_id=escalation.pk, reason="No.")
    for user in (world.member, world.stranger, world.root):
        with pytest.raises(NotFound):
            run_for(user, run.pk)


def test_the_steps_group_comes_first(world: World) -> None:
    keeper, erin = approver(world, "kim"), approver(world, "erin", "nobody")
    run = escalated(world, escalate_to=LABEL)
    assert opened(run).group == world.keepers
    assert waiting(world, keeper) == [opened(run)]
    assert waiting(world, erin) == []


def test_nobody_decides_on_their_own_request_where_another_person_is_required(world: World) -> None:
    approver(world, "kim")
    run = escalated(world, escalate_to=LABEL)
    assert world.owner.groups.contains(world.keepers)
    assert waiting(world, world.owner) == []
    with pytest.raises(NotFound):
        actions.escalation_supply(user=world.owner, escalation_id=opened(run).pk, instruction="Go on.")


def test_the_designer_may_let_them(world: World) -> None:
    run = escalated(world, escalate_to=LABEL, other_person=False)
    actions.escalation_supply(user=world.owner, escalation_id=opened(run).pk, instruction="Take A-100.")


def test_a_group_without_anybody_is_passed_over(world: World) -> None:
    erin = approver(world, "erin", "nobody")
    run = escalated(world, escalate_to=LABEL)  # its only member asked
    assert opened(run).group == world.workspace.escalation_group
    assert waiting(world, erin) == [opened(run)]


def test_without_groups_those_with_the_right_to_the_activity_decide(world: World) -> None:
    world.workspace.escalation_group = None
    world.workspace.save()
    run = escalated(world)
    assert opened(run).group is None
    assert waiting(world, world.member) == []
    access.grant("approve_activity", world.member, run.activity.identity)
    assert waiting(world, world.member) == [opened(run)]
    assert deciders.may_decide(world.member, opened(run))
    access.revoke("approve_activity", world.member, run.activity.identity)
    assert waiting(world, world.member) == []


def test_who_lost_the_right_does_not_decide(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    world.workspace.memberships.filter(user=erin).update(active=False)
    with pytest.raises(NotFound):
        actions.escalation_take(user=erin, escalation_id=opened(run).pk)


def test_who_took_it_keeps_others_away_until_it_is_taken_over(world: World) -> None:
    erin, frank = approver(world, "erin"), approver(world, "frank")
    run = escalated(world)
    escalation = opened(run)
    actions.escalation_take(user=erin, escalation_id=escalation.pk)
    with pytest.raises(Conflict, match="Erin"):
        actions.escalation_close(user=frank, escalation_id=escalation.pk, reason="No.")
    actions.escalation_take(user=frank, escalation_id=escalation.pk, over=True)
    with pytest.raises(Conflict, match="Frank"):
        actions.escalation_close(user=erin, escalation_id=escalation.pk, reason="No.")
    actions.escalation_close(user=frank, escalation_id=escalation.pk, reason="No.")
    with pytest.raises(Conflict, match="Frank already closed"):
        actions.escalation_supply(user=erin, escalation_id=escalation.pk, instruction="Go on.")
