"""The designer's pages about MCP servers: added, read, reviewed, bound to a step; and who sees none of it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts import access
from accounts.models import AuditEvent, User
from activities.actions import revision_publish, tool_group_create
from activities.mcp.actions import server_delete
from activities.models import Card, McpServer, McpTool, McpToolState, Revision, RevisionState
from activities.tools import registry
from agentapp.kernel.errors import NotAllowed
from runs.models import Confirmation
from tests.desk.conftest import at, sign_in
from tests.desk.pages import fields_of, form_of
from tests.mcp.conftest import ORDER, SEARCH, Shop, tool
from tests.mcp.test_runs import order
from tests.openings.opened import open_activity, opening
from tests.support.blueprints import activity, step, use
from tests.support.world import World, pending

__all__ = ["sign_in"]


@pytest.fixture
def desk(world: World, sign_in: Callable[[User], Client]) -> Client:
    return sign_in(world.designer)


def text(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200, url
    return response.content.decode()


def settings_of(shop: Shop, world: World, **more: Any) -> dict[str, Any]:
    return {
        "workspace": world.workspace.pk,
        "name": "The shop",
        "key": "shop",
        "transport": "http",
        "url": shop.url,
        "hosts": "",
        "private_addresses": "on",
        "secrets": "Authorization: Bearer MCP_SECRET_HERE__TOKEN",
        "timeout_seconds": 20,
        "max_kilobytes": 500,
        "enabled": "on",
        **more,
    }


def test_from_the_server_to_a_confirmed_call(
    world: World, shop: Shop, desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A designer does everything in the administration; then a business user's run calls the tool."""
    monkeypatch.setenv("MCP_SECRET_HERE__TOKEN", "hush-hush")
    added = desk.post(at("activities_mcpserver_add"), settings_of(shop, world))
    server = McpServer.objects.get()
    assert added["location"] == at("activities_mcpserver_change", server.pk)
    page = desk.post(at("desk_server_read", server.pk), follow=True).content.decode()
    assert "2 new" in page
    assert "hush-hush" not in page
    found = tool(server, "place_order")
    address = at("desk_server_tool", found.pk)
    page = text(desk, address)
    assert "Orders items from the supplier." in page
    posted = fields_of(page)
    assert "param-item_id-agent" not in posted  # it may name a record: not the agent's until somebody says so
    assert posted["param-amount-agent"] == ["on"]
    posted |= {"param-item_id-agent": ["on"], "param-item_id-reference": ["store.item"]}
    posted |= {"tool-aliases_en": ["order it\nbuy it"], "tool-summary": ["Orders an item from the supplier."]}
    assert desk.post(address, posted).status_code == 302
    assert tool(server, "place_order").aliases == {"en": ["order it", "buy it"]}
    right = {"to": f"group:{world.keepers.pk}", "right": f"use_mcpserver:{server.pk}", "grant": "1"}
    assert desk.post(at("desk_server_rights", server.pk), right).status_code == 302

    draft = world.draft(activity(use("find_items"), steps=[step("find_items", key="find")]))
    part = draft.activities.get()
    tools = at("desk_tools", part.pk)
    assert "mcp.shop.place_order" in text(desk, tools)
    desk.post(tools, {"version": draft.version, "add": ["mcp.shop.place_order"]})
    binding = at("desk_tool", part.pk, "mcp.shop.place_order")
    chosen = form_of(text(desk, binding))
    chosen |= {f"param-{name}-source": ["agent"] for name in ("item_id", "amount", "note", "express")}
    assert desk.post(binding, chosen).status_code == 302
    made = part.steps.get()
    address = at("desk_step", part.pk, made.pk)
    saved = form_of(text(desk, address))
    saved |= {"tools": ["mcp.shop.place_order"], "passes_when": ["has(facts.place_order)"]}
    assert desk.post(address, saved).status_code == 302
    world.revision = revision_publish(Revision.objects.get(pk=draft.pk), actor=world.designer)

    run = world.run(order())
    (waiting,) = pending(run)
    assert {"label": "item_id", "value": "A-100"} in waiting.preview["lines"]
    assert not shop.calls
    world.confirm(run)
    run = world.play(run)
    assert (run.state, run.outcome) == ("finished", "succeeded")
    assert len(shop.calls) == 1
    assert Confirmation.objects.count() == 1


def test_a_changed_tool_shows_what_changed_and_can_be_reviewed_again(
    world: World, shop: Shop, desk: Client, server: McpServer, reviewed: McpTool
) -> None:
    shop.offer({**ORDER, "description": "Orders items. Now with a fee."}, SEARCH)
    page = desk.post(at("desk_server_read", server.pk), follow=True).content.decode()
    assert "1 changed" in page
    address = at("desk_server_tool", reviewed.pk)
    page = text(desk, address)
    assert "Now with a fee." in page
    assert "Orders items from the supplier." in page
    old = {**fields_of(page), "definition": [reviewed.definition_hash]}
    desk.post(address, old)
    assert tool(server, "place_order").state == McpToolState.QUARANTINED
    desk.post(address, fields_of(page))
    assert tool(server, "place_order").state == McpToolState.REVIEWED
    desk.post(at("desk_server_quarantine", reviewed.pk))
    assert registry.get(reviewed.key) is None


def test_of_two_who_review_at_once_the_second_looks_again(
    desk: Client, server: McpServer, reviewed: McpTool
) -> None:
    address = at("desk_server_tool", reviewed.pk)
    older = fields_of(text(desk, address)) | {"tool-when_not_to_use": ["Never."]}
    stricter = fields_of(text(desk, address))
    stricter.pop("param-item_id-agent")
    assert desk.post(address, stricter).status_code == 302
    again = desk.post(address, older)
    assert again.status_code == 200
    assert "Look at it again." in again.content.decode()
    assert tool(server, "place_order").when_not_to_use == ""
    assert not tool(server, "place_order").params.get(name="item_id").agent


def test_several_are_reviewed_as_the_page_showed_them(world: World, desk: Client, server: McpServer) -> None:
    tools = list(server.tools.all())
    ticked = [f"{each.pk}:{each.definition_hash}" for each in tools[:1]] + [f"{tools[1].pk}:another"]
    page = desk.post(at("desk_server_review", server.pk), {"tool": ticked}, follow=True).content.decode()
    assert "1 tool is reviewed" in page
    states = [each.state for each in server.tools.all()]
    assert sorted(states) == ["pending", "reviewed"]
    kept = registry.get(tools[0].key)
    assert kept is not None
    assert kept.risk.value == "high"


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"url": "http://10.0.0.1/mcp", "hosts": ""}, "MCP_PRIVATE_HOSTS"),
        ({"transport": "stdio", "command": "/bin/sh -c 'true'"}, "MCP_COMMANDS"),
        ({"secrets": "Authorization: hush"}, "MCP_SECRET_"),
        ({"secrets": "Authorization: MCP_SECRET_ELSEWHERE__X"}, "MCP_SECRET_HERE__"),
        ({"key": "The Shop"}, "small letters"),
    ],
)
def test_what_cannot_be_saved_is_told_and_kept_on_the_page(
    world: World, shop: Shop, desk: Client, change: dict[str, Any], word: str
) -> None:
    page = desk.post(at("activities_mcpserver_add"), settings_of(shop, world, **change)).content.decode()
    assert word in page
    assert 'value="The shop"' in page
    assert not McpServer.objects.exists()


def test_a_servers_words_are_text_on_every_page(
    world: World, shop: Shop, desk: Client, server: McpServer
) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    shop.offer({**ORDER, "title": evil, "description": evil}, {**SEARCH, "name": evil})
    desk.post(at("desk_server_read", server.pk))
    pages = [at("activities_mcpserver_change", server.pk), at("activities_mcpserver_changelist")]
    pages += [at("desk_server_tool", each.pk) for each in server.tools.all()]
    for url in (*pages, *(f"{pages[0]}?state={state}" for state in McpToolState.values)):
        page = text(desk, url)
        assert "<script>alert" not in page
        assert "<img src=x" not in page


def test_nobody_else_sees_or_changes_a_server(
    world: World, server: McpServer, reviewed: McpTool, sign_in: Callable[[User], Client]
) -> None:
    pages = [
        at("activities_mcpserver_change", server.pk),
        at("desk_server_settings", server.pk),
        at("desk_server_rights", server.pk),
        at("desk_server_tool", reviewed.pk),
    ]
    posts = [
        *pages,
        at("desk_server_read", server.pk),
        at("desk_server_review", server.pk),
        at("desk_server_quarantine", reviewed.pk),
    ]
    for person in (world.member, world.stranger, world.root):
        client = sign_in(person)
        assert {client.get(url).status_code for url in pages[-1:]} <= {302, 403, 404}
        for url in posts:
            assert client.post(url, {"tool": f"{reviewed.pk}:x"}).status_code in (302, 403, 404)
        listed = client.get(reverse("admin:activities_mcpserver_changelist"))
        assert server.name not in listed.content.decode()
    assert tool(server, "place_order").state == McpToolState.REVIEWED


def test_a_server_that_nothing_relies_on_is_deleted(
    world: World, desk: Client, server: McpServer, reviewed: McpTool
) -> None:
    """With its tools, their cards, the rights on it, and its places in groups; the history stays."""
    group = tool_group_create(
        world.workspace, key="shelf", name={"en": "Shelf"}, tools=[reviewed.key], actor=world.designer
    )
    page = desk.post(at("desk_server_delete", server.pk), follow=True).content.decode()
    assert "The server “The shop” is deleted." in page
    assert not McpServer.objects.exists()
    assert not McpTool.objects.exists()
    assert registry.get(reviewed.key) is None
    assert not Card.objects.filter(key=reviewed.key, available=True).exists()
    assert not group.entries.exists()
    assert not access.grants_on([server])
    told = AuditEvent.objects.filter(stream=server.pk).order_by("seq").values_list("type", flat=True)
    assert list(told)[-1] == "mcp_server.deleted"
    again = desk.post(at("desk_server_delete", server.pk))
    assert again.status_code == 404


@pytest.mark.parametrize("retired", [False, True])
def test_a_server_whose_tool_is_bound_is_not_deleted(
    world: World, desk: Client, server: McpServer, reviewed: McpTool, retired: bool
) -> None:
    name = reviewed.key.removeprefix("store.")
    bound = {"tool": reviewed.key, "params": {}}
    draft = world.draft(activity(bound, steps=[{**step(key="act"), "tools": [reviewed.key]}]))
    if retired:
        Revision.objects.filter(pk=draft.pk).update(state=RevisionState.RETIRED)
    page = desk.post(at("desk_server_delete", server.pk), follow=True).content.decode()
    assert f"uses its tool {name}. Switch the server off instead." in page
    assert McpServer.objects.filter(pk=server.pk).exists()


def test_a_server_that_a_step_is_open_to_is_not_deleted(
    world: World, desk: Client, server: McpServer, reviewed: McpTool
) -> None:
    world.draft(open_activity(opens=[opening(f"server:{server.key}")]))
    page = desk.post(at("desk_server_delete", server.pk), follow=True).content.decode()
    assert "is open to it. Switch the server off instead." in page
    assert McpServer.objects.filter(pk=server.pk).exists()


def test_only_who_designs_the_workspace_deletes_a_server(
    world: World, sign_in: Callable[[User], Client], server: McpServer
) -> None:
    for person in (world.owner, world.stranger, world.member):
        with pytest.raises(NotAllowed):
            server_delete(server, actor=person)
        assert sign_in(person).post(at("desk_server_delete", server.pk)).status_code in (302, 403, 404)
    assert McpServer.objects.filter(pk=server.pk).exists()
