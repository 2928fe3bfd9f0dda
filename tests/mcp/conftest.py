"""A real MCP server process beside the store, and a designer's server row that points to it."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from accounts import access
from activities.mcp import actions
from activities.mcp.actions import ParamPart, ReviewPart
from activities.mcp.reading import tools_read
from activities.models import McpServer, McpTool
from tests.support.fixtures import effects_table, shared_world, store, world
from tests.support.world import World

__all__ = ["effects_table", "shared_world", "store", "world"]

PROGRAM = Path(__file__).parent / "program.py"
TEXT = {"type": "string"}
ORDER = {
    "name": "place_order",
    "title": "Place an order",
    "description": "Orders items from the supplier.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "item_id": {"type": "string", "description": "Which item."},
            "amount": {"type": "number", "minimum": 0},
            "note": {"type": "string"},
            "express": {"type": "boolean"},
        },
        "required": ["item_id", "amount"],
    },
    "outputSchema": {
        "type": "object",
        "properties": {"order_id": TEXT, "total": {"type": "number"}},
        "required": ["order_id"],
        "additionalProperties": False,
    },
}
SEARCH = {
    "name": "search_items",
    "description": "Finds items by words.",
    "inputSchema": {"type": "object", "properties": {"query": TEXT}, "required": ["query"]},
}
ORDERED = {"structured": {"order_id": "PO-7", "total": 12.5}}


@dataclass
class Shop:
    """The server's process: what it offers can be changed while it runs, what it was asked is read back."""

    folder: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{(self.folder / 'port').read_text()}/mcp"

    def offer(self, *tools: Any, answers: Any = None, page: int = 100) -> None:
        found = {"tools": list(tools), "answers": answers or {"place_order": ORDERED}, "page": page}
        (self.folder / "new.json").write_text(json.dumps(found))
        (self.folder / "new.json").rename(self.folder / "offer.json")

    def reset(self) -> None:
        self.offer(ORDER, SEARCH)
        (self.folder / "asked.jsonl").write_text("")

    @property
    def asked(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "asked.jsonl").read_text().splitlines()]

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [entry for entry in self.asked if "call" in entry]


@pytest.fixture(scope="session")
def shop_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    shop = Shop(tmp_path_factory.mktemp("shop"))
    shop.reset()
    process = subprocess.Popen([sys.executable, str(PROGRAM), str(shop.folder), "http"])
    try:
        until = time.monotonic() + 30
        while not (shop.folder / "port").exists():
            assert process.poll() is None, "the server ended"
            assert time.monotonic() < until, "the server did not start"
            time.sleep(0.02)
        yield shop
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture
def shop(shop_process: Shop) -> Shop:
    shop_process.reset()
    return shop_process


def at_shop(shop: Shop, **more: Any) -> dict[str, Any]:
    """The settings of a server row that points to the process."""
    return {
        "key": "shop",
        "name": "The shop",
        "url": shop.url,
        "allowed_hosts": ["127.0.0.1"],
        "private_addresses": True,
        **more,
    }


@pytest.fixture
def server(world: World, shop: Shop) -> McpServer:
    """The designer has added the server and read its tools; nothing is reviewed."""
    made = actions.server_create(workspace=world.workspace, actor=world.designer, **at_shop(shop))
    tools_read(made, actor=world.designer)
    return McpServer.objects.select_related("workspace").get(pk=made.pk)


def tool(server: McpServer, name: str) -> McpTool:
    return McpTool.objects.select_related("server__workspace").get(server=server, name=name)


def review(world: World, found: McpTool, **more: Any) -> McpTool:
    """The designer reviews a tool: an order names an item of the store."""
    params = {"item_id": ParamPart(agent=True, reference="store.item")} if found.name == "place_order" else {}
    part = ReviewPart(**{"summary": "Does it.", "aliases": {"en": ["order"]}, "params": params, **more})
    return actions.tool_review(found, part, definition_hash=found.definition_hash, actor=world.designer)


@pytest.fixture
def reviewed(world: World, server: McpServer) -> McpTool:
    """A reviewed tool that the store's keepers may use."""
    found = review(world, tool(server, "place_order"))
    access.grant("activities.use_mcpserver", world.keepers, server)
    return found
