"""Invariant 2: permission before search, permission again at execution, also for administrators."""

import pytest

from accounts import access
from accounts import actions as accounts
from accounts.models import User
from activities.rights import may_use, offered_activities, standing_for
from activities.tools import ToolContext
from agentapp.kernel.errors import NotAllowed, NotFound
from runs import actions
from runs.llm.scripted import calls
from tests.support.blueprints import activity, step, use
from tests.support.stage import effects, stage
from tests.support.store import COMMIT, PERMISSIONS, WRITE
from tests.support.world import World, act, pending, refusals_of, states_of

ORDER = {"item": "A-100", "amount": "5", "priority": "low", "note": None}


def everyone(world: World) -> dict[str, User]:
    return {name: getattr(world, name) for name in ("owner", "member", "stranger", "root")}


def test_only_who_holds_the_right_is_offered_the_activity(world: World) -> None:
    world.publish(activity(use("find_items")))
    offered = {name: len(offered_activities(user, world.workspace)) for name, user in everyone(world).items()}
    assert offered == {"owner": 1, "member": 0, "stranger": 0, "root": 0}


def test_only_who_holds_the_right_may_use_the_activity(world: World) -> None:
    world.publish(activity(use("find_items")))
    chosen = world.activity()
    allowed = {
        name: may_use(standing_for(user, chosen, world.workspace), chosen, world.workspace)
        for name, user in everyone(world).items()
    }
    assert allowed == {"owner": True, "member": False, "stranger": False, "root": False}


def test_a_right_on_one_activity_opens_that_one_only(world: World) -> None:
    world.publish(activity(use("find_items")), activity(use("find_items"), key="other"))
    access.grant("activities.use_activity", world.keepers, world.activity("other").identity)
    access.revoke("activities.use_agent", world.keepers, world.activity().revision.agent)
    assert [item.key for item in offered_activities(world.owner, world.workspace)] == ["other"]


def test_an_activity_whose_tool_is_not_permitted_is_not_offered(world: World) -> None:
    world.publish(activity(use("order")))
    access.revoke(COMMIT, world.keepers)
    assert offered_activities(world.owner, world.workspace) == []


def test_the_right_to_its_tools_alone_does_not_open_an_activity(world: World) -> None:
    world.publish(activity(use("find_items")))
    group = access.group_create(world.workspace, "Tools")
    for name in PERMISSIONS:
        access.grant(name, group)
    chosen = world.activity()
    for user in (world.member, world.root):
        user.groups.add(group)
        assert offered_activities(user, world.workspace) == []
        assert not may_use(standing_for(user, chosen, world.workspace), chosen, world.workspace)


def test_nothing_is_sent_to_a_model_for_who_may_nothing(world: World) -> None:
    """The catalogue is filtered before anything is scored: with nothing left, no model is asked."""
    world.publish(activity(use("find_items")))
    for user in (world.member, world.root):
        run = world.play(world.post("handle it", user))
        assert (run.outcome, run.model_calls) == ("declined", 0)


def test_a_stranger_cannot_open_a_conversation(world: World) -> None:
    with pytest.raises(NotAllowed):
        actions.conversation_create(user=world.stranger, workspace=world.workspace)


def test_a_tool_without_its_permission_is_neither_shown_nor_run(world: World) -> None:
    world.publish(activity(use("find_items"), use("reserve"), steps=[step("find_items", "reserve")]))
    access.revoke(WRITE, world.keepers)
    run = world.run(act("reserve", {"item": "A-100", "quantity": 1}), act("find_items", {"words": None}))
    shown = {function.name for function in world.requests()[0].functions}
    assert "store_reserve" not in shown
    assert refusals_of(run) == ["permission", ""]
    assert effects() == []


def test_a_right_taken_back_between_reply_and_execution_stops_the_call(world: World) -> None:
    """The first of two calls of one reply takes the right of the second away, while it runs."""
    world.publish(activity(use("find_items"), use("reserve"), steps=[step("reserve", "find_items")]))

    def revoke(_context: ToolContext, _params: object) -> None:
        access.revoke(WRITE, world.keepers)

    stage.on("find_items", revoke)
    run = world.run(
        calls(("store_find_items", {"words": None}), ("store_reserve", {"item": "A-100", "quantity": 1})),
        act("reserve", {"item": "A-200", "quantity": 1}),
        act("reserve", {"item": "A-200", "quantity": 1}),
        act("reserve", {"item": "A-200", "quantity": 1}),
    )
    assert refusals_of(run)[:2] == ["", "permission"]
    assert effects() == []
    assert run.state == "escalated"


@pytest.mark.parametrize("how", ["tool", "agent", "membership", "account"])
def test_a_right_taken_back_between_approval_and_execution_stops_the_call(world: World, how: str) -> None:
    revision = world.publish(activity(use("order")))
    run = world.run(act("order", ORDER))
    world.confirm(run)
    if how == "tool":
        access.revoke(COMMIT, world.keepers)
    elif how == "agent":
        access.revoke("activities.use_agent", world.keepers, revision.agent)
    elif how == "membership":
        accounts.member_remove(world.workspace, world.owner)
    else:
        accounts.user_administer(world.owner, {"is_active": False})
    run = world.play(run, *[act("order", ORDER)] * 2)
    assert refusals_of(run)[0] == "permission"
    assert stage.sent == []
    assert run.outcome != "succeeded"


def test_being_an_administrator_gives_nothing_at_the_gate(world: World) -> None:
    """A superuser whose run was already routed is refused like anybody without the right."""
    world.publish(activity(use("order")))
    run = world.start()
    type(run).objects.filter(pk=run.pk).update(user=world.root)
    run = world.play(run)
    assert (run.outcome, run.error_code) == ("failed", "permission")
    assert stage.sent == []


def test_an_administrator_who_lost_the_right_after_approval_is_refused(world: World) -> None:
    world.publish(activity(use("order")))
    run = world.run(act("order", ORDER))
    world.confirm(run)
    accounts.user_administer(world.owner, {"is_superuser": True, "is_staff": True})
    access.revoke(COMMIT, world.keepers)
    run = world.play(run, *[act("order", ORDER)] * 2)
    assert refusals_of(run)[0] == "permission"
    assert stage.sent == []


def test_only_the_owner_decides_stops_and_answers(world: World) -> None:
    world.publish(activity(use("order")))
    run = world.run(act("order", ORDER))
    (card,) = pending(run)
    for user in (world.member, world.stranger, world.root):
        with pytest.raises(NotFound):
            actions.confirmation_decide(
                user=user, confirmation_id=card.pk, decision="confirm", digest=card.digest
            )
        with pytest.raises(NotFound):
            actions.run_stop(user=user, run_id=run.pk)
        with pytest.raises(NotFound):
            actions.message_post(
                user=user, conversation_id=run.conversation_id, text="yes", client_id=card.pk
            )
    assert states_of(run) == ["awaiting"]
    assert stage.sent == []
