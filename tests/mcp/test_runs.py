"""A run calls a server's tool: through the whole gate, after a confirmation, with the call's own key."""

from typing import Any

import pytest

from accounts import access
from activities.actions import agent_import
from activities.checks import problems
from activities.mcp import actions
from activities.mcp.actions import ParamPart
from activities.mcp.reading import tools_read
from activities.mcp.source import McpSource
from activities.models import McpServer, McpTool, Revision
from activities.rights import offered_activities
from activities.tools import registry
from agentapp.kernel.errors import InvalidInput
from runs.llm.base import Purpose
from runs.llm.scripted import Line, call
from runs.models import Run
from runs.selectors import events_of
from runs.states import CallState, Outcome
from tests.mcp.conftest import ORDER, SEARCH, Shop, review, tool
from tests.support.blueprints import activity, agent, step
from tests.support.world import World, calls_of, final, pending, refusals_of
from tests.trials.trying import chosen, try_out

AGENTS = {name: {"source": "agent"} for name in ("item_id", "amount", "note", "express")}
WANTED = {"item_id": "A-100", "amount": "12.5", "note": None, "express": True}


def ordering(**more: Any) -> dict[str, Any]:
    """An activity whose one step may place an order at the shop."""
    bound = {"tool": "mcp.shop.place_order", "params": AGENTS}
    acting = step(key="act", passes_when="has(facts.place_order)") | {"tools": ["mcp.shop.place_order"]}
    return activity(
        bound,
        steps=[acting],
        outputs=[
            {
                "name": "order",
                "label": {"en": "Order"},
                "source": "fact",
                "fact": "facts.place_order.order_id",
            }
        ],
        template={"en": "Ordered: {{ output.order }}."},
        **more,
    )


def order(arguments: Any = None) -> Line:
    return call("mcp_shop_place_order", arguments or WANTED, purpose=Purpose.STEP)


@pytest.fixture
def published(world: World, reviewed: McpTool) -> Revision:
    return world.publish(ordering())


def test_a_confirmed_call_reaches_the_server_once_with_exactly_what_was_shown(
    world: World, shop: Shop, published: Revision
) -> None:
    run = world.run(order())
    (waiting,) = pending(run)
    assert not shop.calls
    lines = {line["label"]: line["value"] for line in waiting.preview["lines"]}
    assert lines == {"item_id": "A-100", "amount": "12.5", "express": "yes"}
    assert "The shop" in waiting.preview["summary"]
    world.confirm(run)
    run = world.play(run)
    assert (run.outcome, run.answer) == (Outcome.SUCCEEDED, "Ordered: PO-7.")
    (made,) = calls_of(run)
    assert shop.calls == [
        {
            "call": "place_order",
            "arguments": {"item_id": "A-100", "amount": 12.5, "express": True},
            "key": made.idempotency_key,
        }
    ]
    assert made.idempotency_key
    assert made.result == {"order_id": "PO-7", "total": "12.5"}


def test_a_contract_made_in_one_language_serves_another(
    world: World, shop: Shop, reviewed: McpTool, published: Revision
) -> None:
    """What a server's schema becomes is the same in every language; only reasons are translated."""
    first = world.run(order())
    world.confirm(first)
    assert world.play(first).outcome == Outcome.SUCCEEDED
    run = world.start()
    Run.objects.filter(pk=run.pk).update(language="fr")
    run = world.play(run, order())
    (waiting,) = pending(run)
    assert "exactement" in waiting.preview["summary"]
    world.confirm(run)
    assert world.play(run).outcome == Outcome.SUCCEEDED


DELIVER = {
    "name": "deliver",
    "description": "Delivers an item.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "item_id": {"type": "string"},
            "to": {
                "type": "object",
                "description": "Where to.",
                "properties": {"message": {"type": "string"}, "floor": {"type": "integer"}},
                "required": ["message"],
            },
        },
        "required": ["item_id"],
    },
}


def test_an_object_is_bound_shown_and_refused_field_by_field_and_sent_as_one(
    world: World, shop: Shop, server: McpServer
) -> None:
    shop.offer(DELIVER, answers={"deliver": {"text": "On its way."}})
    tools_read(server, actor=world.designer)
    params = {"item_id": ParamPart(agent=True, reference="store.item")}
    review(world, tool(server, "deliver"), params=params)
    access.grant("activities.use_mcpserver", world.keepers, server)
    bound = {
        "tool": "mcp.shop.deliver",
        "params": {name: {"source": "agent"} for name in ("item_id", "to__message", "to__floor")},
    }
    acting = step(key="act", passes_when="has(facts.deliver)") | {"tools": ["mcp.shop.deliver"]}
    world.publish(activity(bound, steps=[acting], template={"en": "{{ facts.deliver.text }}"}))

    def deliver(message: str | None) -> Line:
        arguments = {"item_id": "A-100", "to__message": message, "to__floor": 3}
        return call("mcp_shop_deliver", arguments, purpose=Purpose.STEP)

    run = world.run(deliver(None), deliver("Ring twice"))
    assert refusals_of(run)[0] == "tool_argument"
    (waiting,) = pending(run)
    lines = {line["label"]: line["value"] for line in waiting.preview["lines"]}
    assert lines == {"item_id": "A-100", "to.message": "Ring twice", "to.floor": "3"}
    world.confirm(run)
    assert world.play(run).outcome == Outcome.SUCCEEDED
    assert shop.calls[0]["arguments"] == {"item_id": "A-100", "to": {"message": "Ring twice", "floor": 3}}


def test_a_refused_call_never_leaves(world: World, shop: Shop, published: Revision) -> None:
    run = world.run(order())
    world.confirm(run, "refuse")
    run = world.play(run)
    assert run.outcome == Outcome.REFUSED
    assert not shop.calls


def test_a_reference_from_nowhere_is_refused(world: World, shop: Shop, published: Revision) -> None:
    run = world.run(order({**WANTED, "item_id": "A-300"}), order())
    assert refusals_of(run)[0] == "ungrounded"
    assert not shop.calls


def test_until_a_designer_sets_it_no_agent_gives_a_reference(world: World, server: McpServer) -> None:
    review(world, tool(server, "place_order"), params={})
    access.grant("activities.use_mcpserver", world.keepers, server)
    draft = world.draft(ordering())
    assert any("item_id" in problem.place for problem in problems(draft))


def test_who_lacks_the_right_on_the_server_is_neither_shown_nor_allowed(
    world: World, shop: Shop, reviewed: McpTool, published: Revision
) -> None:
    run = world.start()
    access.revoke("activities.use_mcpserver", world.keepers, reviewed.server)
    run = world.play(run, order(), order(), order())
    assert set(refusals_of(run)) == {"permission"}
    assert not any("mcp_shop_place_order" in _functions(request) for request in world.requests())
    assert not shop.calls


def test_a_right_that_is_taken_back_after_the_confirmation_counts(
    world: World, shop: Shop, reviewed: McpTool, published: Revision
) -> None:
    run = world.run(order())
    world.confirm(run)
    access.revoke("activities.use_mcpserver", world.keepers, reviewed.server)
    run = world.play(run, order(), order())
    assert refusals_of(run)[0] == "permission"
    assert not shop.calls


@pytest.mark.parametrize(
    "by", ["a designer", "a changed definition", "a reading in use", "the server's switch"]
)
def test_what_is_taken_out_of_use_after_the_confirmation_is_not_executed(
    world: World, shop: Shop, reviewed: McpTool, published: Revision, by: str
) -> None:
    run = world.run(order())
    world.confirm(run)
    if by == "a designer":
        actions.tool_quarantine(reviewed, actor=world.designer)
    elif by == "the server's switch":
        actions.server_update(reviewed.server, actor=world.designer, enabled=False)
    else:
        shop.offer({**ORDER, "description": "Something else."}, SEARCH)
        if by == "a changed definition":
            tools_read(reviewed.server, actor=None)
        else:
            McpServer.objects.update(read_at=None)
    run = world.play(run)
    assert ended(run) == (Outcome.FAILED, "contract_changed")
    assert not shop.calls


def test_a_run_stops_by_name_before_the_model_is_asked_for_what_is_gone(
    world: World, reviewed: McpTool, published: Revision
) -> None:
    run = world.start()
    actions.tool_quarantine(reviewed, actor=world.designer)
    run = world.play(run)
    assert ended(run) == (Outcome.FAILED, "contract_changed")
    assert not world.requests()


def test_an_activity_that_needs_what_is_in_quarantine_is_not_offered(
    world: World, reviewed: McpTool, published: Revision
) -> None:
    assert [each.key for each in offered_activities(world.owner, world.workspace)] == ["handle"]
    actions.tool_quarantine(reviewed, actor=world.designer)
    assert offered_activities(world.owner, world.workspace) == []


def test_other_words_and_a_new_name_leave_runs_alone(
    world: World, reviewed: McpTool, published: Revision
) -> None:
    run = world.run(order())
    world.confirm(run)
    review(world, tool(reviewed.server, "place_order"), summary="Says it better.", tags=["orders"])
    now = registry.get(reviewed.key)
    assert now is not None
    assert (now.summary, now.tags) == ("Says it better.", ("orders",))
    run = world.play(run)
    assert run.outcome == Outcome.SUCCEEDED


def test_a_step_that_is_open_to_the_server_finds_and_calls_its_tool(
    world: World, shop: Shop, reviewed: McpTool
) -> None:
    acting = step(key="act", passes_when="has(facts.place_order)", opens=[{"to": "server:shop"}])
    world.publish(activity(steps=[acting]))
    run = world.run(order())
    assert "mcp_shop_place_order" in _functions(world.requests()[-1])
    world.confirm(run)
    run = world.play(run)
    assert run.outcome == Outcome.SUCCEEDED
    assert len(shop.calls) == 1


def test_what_one_process_puts_in_quarantine_no_other_knows_as_a_tool(
    world: World, reviewed: McpTool
) -> None:
    """Each process keeps contracts of its own; what it keeps is not asked whether it still holds."""
    here, there = McpSource(), McpSource()
    assert here.get(reviewed.key) is not None
    assert there.get(reviewed.key) is there.get(reviewed.key)
    actions.tool_quarantine(reviewed, actor=world.designer)
    assert here.get(reviewed.key) is None
    assert there.get(reviewed.key) is None
    assert not list(there)
    assert not there.many([reviewed.key])


def test_another_workspaces_tool_is_no_tool_here(
    world: World, shop: Shop, reviewed: McpTool, published: Revision
) -> None:
    """An attacker who got a binding, and even the right, into their own workspace."""
    McpServer.objects.filter(pk=reviewed.server_id).update(workspace=world.elsewhere)
    McpServer.objects.filter(pk=reviewed.server_id).update(version=99)
    access.grant("activities.use_mcpserver", world.owner, McpServer.objects.get(pk=reviewed.server_id))
    run = world.start()
    run = world.play(run, order(), order(), order())
    assert set(refusals_of(run)) <= {"not_in_step", "contract_changed"}
    assert not shop.calls
    with pytest.raises(InvalidInput):
        agent_import(agent(ordering(key="mine"), key="mine"), workspace=world.workspace, actor=world.designer)


def ended(run: Run) -> tuple[str, str]:
    """How the run ended, and the name of the reason in its history."""
    last = next(event for event in reversed(events_of(run)) if event.type == "run.finished")
    return run.outcome, last.data["code"]


def _functions(request: Any) -> list[str]:
    return [function.name for function in request.functions]


@pytest.mark.parametrize("reads", [False, True], ids=["acting", "only reading"])
def test_a_trial_shows_the_call_and_calls_no_server(
    world: World, shop: Shop, server: McpServer, reads: bool
) -> None:
    params = {"item_id": ParamPart(agent=True, reference="store.item")}
    risk = "low" if reads else "high"
    review(world, tool(server, "place_order"), params=params, risk=risk, reads_only=reads)
    access.grant("activities.use_mcpserver", world.keepers, server)
    run = try_out(world, world.draft(ordering()), chosen(), order())
    (made,) = calls_of(run)
    assert made.state == CallState.SIMULATED
    assert final(made)["item_id"] == "A-100"
    assert made.result == {"order_id": "simulated", "total": None}
    assert not shop.calls
