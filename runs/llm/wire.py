"""The body of a request: built once, as bytes, and sent as it is."""

import json
import logging
import re
from collections.abc import Iterable, Iterator
from typing import Any

from agentapp.kernel.errors import Misconfigured
from runs.llm.base import FunctionSpec, Message, ModelRequest
from runs.llm.profiles import Profile

log = logging.getLogger("runs.llm")

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NO_RESULT = "No result was recorded for this call."


def body(request: ModelRequest, model: str, profile: Profile) -> bytes:
    """The chat completions request in this profile's form."""
    payload: dict[str, Any] = {
        "model": model,
        "messages": list(_messages(request.messages, profile)),
        "stream": True,
        profile.output_limit: request.max_output_tokens,
    }
    if profile.usage_in_stream:
        payload["stream_options"] = {"include_usage": True}
    if profile.temperature:
        payload["temperature"] = 0
    payload.update(_tools(request, profile))
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def names(functions: Iterable[FunctionSpec]) -> dict[str, str]:
    """Our names by their names on the wire, which allow only letters, digits, "_" and "-"."""
    table: dict[str, str] = {}
    for function in functions:
        wire = wire_name(function.name)
        if table.setdefault(wire, function.name) != function.name:
            raise Misconfigured(
                f"The functions {table[wire]} and {function.name} are both {wire} to a model. Rename one."
            )
    return table


def wire_name(name: str) -> str:
    return name if _NAME.fullmatch(name) else re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64]


def _tools(request: ModelRequest, profile: Profile) -> dict[str, Any]:
    tools = [_tool(function, profile) for function in request.functions]
    if request.tool_choice == "none":
        # A model that is shown tools it must not use uses them; so it is not shown any.
        keep = (
            tools and not profile.history_without_tools and any(message.calls for message in request.messages)
        )
        return {"tools": tools, "tool_choice": "none"} if keep else {}
    if not tools:
        return {}
    return {"tools": tools, "tool_choice": profile.required if request.tool_choice == "required" else "auto"}


def _tool(function: FunctionSpec, profile: Profile) -> dict[str, Any]:
    name = wire_name(function.name)
    tool: dict[str, Any] = {
        "name": name,
        "description": function.description,
        "parameters": function.parameters,
    }
    if profile.strict and name not in profile.loose_functions:
        tool["strict"] = True
    return {"type": "function", "function": tool}


def _messages(messages: Iterable[Message], profile: Profile) -> Iterator[dict[str, Any]]:
    """The messages, every call followed by its one result, with identifiers of our own.

    Identifiers come from the position, so that no two are alike whatever an endpoint once gave, and the
    beginning of a longer history is the same bytes again. Nine letters and digits suit every endpoint.
    """
    waiting: dict[str, str] = {}
    number = 0
    for message in messages:
        if message.role == "tool":
            yield from _result(message, waiting)
            continue
        yield from _missing_results(waiting)
        if message.calls:
            ids = [f"c{number + offset:08d}" for offset in range(1, len(message.calls) + 1)]
            number += len(ids)
            waiting = _pair(message, ids)
            yield _assistant(message, list(waiting.values()), profile)
        else:
            yield {"role": message.role, "content": message.text}
    yield from _missing_results(waiting)


def _pair(message: Message, ids: list[str]) -> dict[str, str]:
    waiting = {call.id: wire_id for call, wire_id in zip(message.calls, ids, strict=True)}
    if len(waiting) != len(ids):
        raise Misconfigured("Two calls of one message have the same identifier.")
    return waiting


def _assistant(message: Message, ids: list[str], profile: Profile) -> dict[str, Any]:
    calls = [
        {
            "id": wire_id,
            "type": "function",
            "function": {"name": wire_name(call.name), "arguments": call.arguments},
        }
        for call, wire_id in zip(message.calls, ids, strict=True)
    ]
    text = message.text if profile.text_beside_calls else ""
    if text or profile.empty_content == "":
        return {"role": "assistant", "content": text, "tool_calls": calls}
    empty = {} if profile.empty_content == "omit" else {"content": None}
    return {"role": "assistant", **empty, "tool_calls": calls}


def _result(message: Message, waiting: dict[str, str]) -> Iterator[dict[str, Any]]:
    wire_id = waiting.pop(message.call_id, None)
    if wire_id is None:
        # Endpoints refuse a result without its call, and every later request with it.
        log.warning("a tool message without its call was left out of a request")
        return
    yield {"role": "tool", "tool_call_id": wire_id, "content": message.text}


def _missing_results(waiting: dict[str, str]) -> Iterator[dict[str, Any]]:
    for wire_id in waiting.values():
        yield {"role": "tool", "tool_call_id": wire_id, "content": _NO_RESULT}
    waiting.clear()
