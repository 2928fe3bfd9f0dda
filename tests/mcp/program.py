"""A real MCP server, made with the SDK, that offers what a file says and writes down what it was asked.

    python tests/mcp/program.py FOLDER stdio
    python tests/mcp/program.py FOLDER http

FOLDER/offer.json: {"tools": [definitions], "answers": {tool: answer}, "page": tools per page}. It is read at
each request. An answer: {"text": …, "structured": …, "error": bool, "wait": seconds, "die": bool}.
FOLDER/port gets the port, FOLDER/asked.jsonl what was asked.
"""

import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

FOLDER = Path(sys.argv[1])


def offer() -> dict[str, Any]:
    return json.loads((FOLDER / "offer.json").read_text())


def note(entry: dict[str, Any]) -> None:
    with (FOLDER / "asked.jsonl").open("a") as file:
        file.write(json.dumps(entry) + "\n")


async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
    found = offer()
    size = found.get("page", 100)
    start = int(params.cursor or 0) if params else 0
    note({"list": start})
    tools = [types.Tool.model_validate(each) for each in found["tools"][start : start + size]]
    more = str(start + size) if start + size < len(found["tools"]) else None
    return types.ListToolsResult(tools=tools, next_cursor=more)


async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    answer = offer().get("answers", {}).get(params.name, {})
    meta = dict(params.meta or {})
    note({"call": params.name, "arguments": params.arguments, "key": meta.get("mandate/idempotency-key")})
    if answer.get("die"):
        os._exit(1)
    await anyio.sleep(answer.get("wait", 0))
    text = answer.get("text", "done") * answer.get("times", 1)
    return types.CallToolResult(
        content=[types.TextContent(text=text)],
        is_error=answer.get("error", False),
        **({"structured_content": answer["structured"]} if "structured" in answer else {}),
    )


server = Server("shop", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


async def over_stdio() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def over_http() -> None:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    app = server.streamable_http_app(streamable_http_path="/mcp", host="127.0.0.1")
    config = uvicorn.Config(app, log_level="error")
    listener.listen(64)
    (FOLDER / "port.tmp").write_text(str(listener.getsockname()[1]))
    (FOLDER / "port.tmp").rename(FOLDER / "port")
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    if sys.argv[2] == "stdio":
        anyio.run(over_stdio)
    else:
        over_http()
