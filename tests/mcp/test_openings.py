"""A step open to an MCP server: its reviewed tools, for who may use the server, as they were when shown."""

from accounts import access
from activities.mcp import actions
from activities.models import McpServer, McpTool
from activities.rights import offered_activities
from runs.models import Run
from runs.states import Outcome
from tests.mcp.conftest import Shop
from tests.mcp.test_runs import order
from tests.openings.opened import open_activity, opening, shown
from tests.support.world import World, calls_of, pending, refusals_of

AT_THE_SHOP = [opening("server:shop")]


def ordering(world: World) -> Run:
    world.publish(open_activity(opens=AT_THE_SHOP, passes_when="has(facts.place_order)"))
    return world.run(order())


def test_a_servers_reviewed_tool_is_opened_confirmed_and_called(
    world: World, shop: Shop, reviewed: McpTool
) -> None:
    run = ordering(world)
    assert shown(world.requests()[0]) == {"mcp_shop_place_order"}, "what is not reviewed is not there"
    assert run.state == "awaiting_confirmation"
    assert len(pending(run)) == 1
    assert not shop.calls
    world.confirm(run)
    run = world.play(run)
    assert run.outcome == Outcome.SUCCEEDED
    assert len(shop.calls) == 1


def test_who_may_not_use_the_server_is_offered_nothing(
    world: World, server: McpServer, reviewed: McpTool
) -> None:
    world.publish(open_activity(opens=AT_THE_SHOP))
    assert len(offered_activities(world.owner, world.workspace)) == 1
    access.revoke("activities.use_mcpserver", world.keepers, server)
    assert offered_activities(world.owner, world.workspace) == []


def test_a_tool_put_in_quarantine_after_it_was_shown_stops_the_run_by_name(
    world: World, shop: Shop, reviewed: McpTool
) -> None:
    world.publish(open_activity(opens=AT_THE_SHOP, passes_when="has(facts.place_order)"))
    away = lambda _request: actions.tool_quarantine(reviewed, actor=world.designer)  # noqa: E731
    run = world.run(order().but(check=away))
    assert (run.outcome, run.error_code) == (Outcome.FAILED, "contract_changed")
    assert not shop.calls


def test_a_tool_put_in_quarantine_while_it_awaits_its_confirmation_is_not_called(
    world: World, shop: Shop, reviewed: McpTool
) -> None:
    run = ordering(world)
    actions.tool_quarantine(reviewed, actor=world.designer)
    world.confirm(run)
    run = world.play(run)
    assert run.outcome == Outcome.FAILED
    assert refusals_of(run) == ["contract_changed"]
    assert not shop.calls
    assert [call.state for call in calls_of(run)] == ["refused"]
