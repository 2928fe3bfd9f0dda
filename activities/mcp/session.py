"""One session with one server, through the protocol's SDK: connect, do one thing, close; within deadlines.

A session is made for each call. It costs a connection and two or three short exchanges (or the start of a
program); in return nothing is shared between runs, and a server that hangs holds nobody but its caller.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio
import httpx2
from django.utils.translation import gettext_lazy as _
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    Implementation,
    TextContent,
    Tool,
)
from pydantic import ValidationError

from activities.mcp.failures import Answered, NoAnswer, NotConnected, Rejected, ServerFailure, TooMuch
from activities.mcp.stdio import Program, program_transport
from activities.mcp.target import Target
from agentapp.kernel.outbound import Forbidden, GuardedTransport

T = TypeVar("T")
#: To find, reach and greet a server.
CONNECT_SECONDS = 10.0
#: To take leave of it.
CLOSE_SECONDS = 2.0
#: What a program may write, and an answer hold, besides the result itself.
_ENVELOPE = 65_536
MAX_PAGES = 100
MAX_TOOLS = 5_000
_ABOUT_US = Implementation(name="mandate", version="1")


@dataclass
class _Meter:
    """What tells afterwards that the limit of bytes was reached."""

    over: Callable[[], bool]


async def list_tools(target: Target, seconds: float, max_bytes: int) -> list[dict[str, Any]]:
    """Return the definitions of all tools, page by page. Raises NotConnected, NoAnswer, TooMuch, Rejected."""

    async def read(client: Client) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        seen: set[str] = set()
        for _number in range(MAX_PAGES):
            page = await client.list_tools(cursor=cursor, cache_mode="bypass")
            found.extend(map(_definition, page.tools))
            if len(found) > MAX_TOOLS:
                raise TooMuch(_("The server offers too many tools."))
            cursor = page.next_cursor
            if cursor is None:
                return found
            if cursor in seen:
                raise NoAnswer(_("The server's list of tools does not end."))
            seen.add(cursor)
        raise TooMuch(_("The server's list of tools has too many pages."))

    return await _within(target, seconds, max_bytes, read)


async def call(
    target: Target,
    seconds: float,
    max_bytes: int,
    *,
    name: str,
    arguments: dict[str, Any],
    meta: dict[str, Any],
    sent: Callable[[], None],
) -> Answered:
    """Call one tool; `sent` is told right before the request leaves.

    Raises NotConnected, and after it left NoAnswer, TooMuch, Rejected.
    """

    async def do(client: Client) -> Answered:
        params = CallToolRequestParams(name=name, arguments=arguments, _meta=meta)
        sent()
        # Not client.call_tool: it lists the tools anew and checks results by a schema that nobody bounded.
        result = await client.session.send_request(
            CallToolRequest(params=params), CallToolResult, request_read_timeout_seconds=seconds
        )
        texts = [block.text for block in result.content if isinstance(block, TextContent)]
        return Answered(tuple(texts), result.structured_content, result.is_error)

    return await _within(target, seconds, max_bytes, do)


async def _within(target: Target, seconds: float, max_bytes: int, do: Callable[[Client], Awaitable[T]]) -> T:
    """Connect, do it, close: each within its own time. What went wrong is one of our failures."""
    done: list[T] = []
    connected = False
    meter = _Meter(lambda: False)
    try:
        with anyio.move_on_after(CONNECT_SECONDS) as time:
            async with _client(target, max_bytes + _ENVELOPE, meter) as client:
                connected = True
                time.deadline = anyio.current_time() + seconds
                done.append(await do(client))
                time.deadline = anyio.current_time() + CLOSE_SECONDS
    except Exception as error:
        if not done:  # what goes wrong while taking leave is no failure of what was done
            raise _failure(_first(error), connected, over=meter.over()) from error
    if done:
        return done[0]
    if connected:
        raise NoAnswer(_("The server did not answer in time."))
    raise NotConnected(_("The server could not be reached in time."))


@asynccontextmanager
async def _client(target: Target, max_bytes: int, meter: _Meter) -> AsyncIterator[Client]:
    if target.command:
        program = Program(target.command, list(target.args), dict(target.secrets), max_bytes)
        meter.over = lambda: program.overspent
        async with Client(program_transport(program), client_info=_ABOUT_US, cache=None) as client:
            yield client
        return
    transport = GuardedTransport(target.hosts, private=target.private, max_bytes=max_bytes)
    meter.over = lambda: transport.overspent
    # The deadlines are ours: those of an HTTP client count from one read to the next.
    async with httpx2.AsyncClient(
        transport=transport, headers=dict(target.secrets), timeout=None, trust_env=False
    ) as http:
        streams = streamable_http_client(target.url, http_client=http, max_sse_event_size=max_bytes)
        async with Client(streams, client_info=_ABOUT_US, cache=None) as client:
            yield client


def _first(group: BaseException) -> BaseException:
    """Return the first failure inside groups of failures; the guard's own before all others."""
    leaves = list(_leaves(group))
    return next((each for each in leaves if isinstance(each, Forbidden | ServerFailure)), leaves[0])


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for child in error.exceptions for leaf in _leaves(child)]
    return [error]


def _failure(error: BaseException, connected: bool, *, over: bool) -> ServerFailure:
    if isinstance(error, ServerFailure):
        return error
    if over:
        return TooMuch(_("The server's answer is larger than it may be; it was not read to its end."))
    if isinstance(error, Forbidden):
        return NotConnected(error.sentence)
    if not connected:
        return NotConnected(_("The server could not be reached, or does not speak the protocol."))
    if isinstance(error, MCPError):
        if error.code in (INVALID_PARAMS, METHOD_NOT_FOUND):
            return Rejected(error.message)
        return NoAnswer(_("The server failed while it answered."))
    if isinstance(error, ValidationError):
        return NoAnswer(_("The server's answer does not follow the protocol."))
    return NoAnswer(_("The connection to the server broke off."))


def _definition(tool: Tool) -> dict[str, Any]:
    """Return what a definition is made of. Icons and private notes are no part of it."""
    annotations = tool.annotations.model_dump(mode="json", exclude_none=True) if tool.annotations else None
    parts = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": annotations,
    }
    return {name: value for name, value in parts.items() if value is not None}
