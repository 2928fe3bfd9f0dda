"""What endpoints refuse in a request. Each rule returns the endpoint's sentence, or None."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.loopback.strict import function_problems

Payload = Mapping[str, Any]
Rule = Callable[[Payload], str | None]
_ROLES = frozenset({"system", "user", "assistant", "tool", "developer"})


def form(payload: Payload) -> str | None:
    """What every endpoint asks for."""
    if not isinstance(payload.get("model"), str) or not payload["model"]:
        return "you must provide a model parameter"
    if not payload.get("messages"):
        return "[] is too short - 'messages'"
    if payload.get("tool_choice") is not None and not payload.get("tools"):
        return "'tool_choice' is only allowed when 'tools' are specified."
    if "tools" in payload and not payload["tools"]:
        return "[] is too short - 'tools'"
    return None


def pairing(payload: Payload) -> str | None:
    """Every call is followed by its result, and every result follows its call."""
    open_calls: set[str] = set()
    for message in payload.get("messages", ()):
        if message.get("role") not in _ROLES:
            return f"Invalid value: '{message.get('role')}'. Supported values are: {sorted(_ROLES)}."
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_calls:
                return (
                    "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
                )
            open_calls.discard(message["tool_call_id"])
            continue
        if open_calls:
            break
        open_calls = {call["id"] for call in message.get("tool_calls") or ()}
    if open_calls:
        return (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each id."
        )
    return None


def unique_ids(payload: Payload) -> str | None:
    ids = [call["id"] for message in payload.get("messages", ()) for call in message.get("tool_calls") or ()]
    too_long = [call_id for call_id in ids if not 0 < len(call_id) <= 40]
    if len(set(ids)) != len(ids):
        return "Duplicate tool call id."
    return f"Invalid 'tool_calls[0].id': string too long ({too_long[0]})" if too_long else None


def strict_schemas(payload: Payload) -> str | None:
    """What strict mode accepts of the functions' schemas."""
    return next((problem for tool in _functions(payload) for problem in function_problems(tool)), None)


ALWAYS: tuple[Rule, ...] = (form, pairing, unique_ids, strict_schemas)


def no_strict(payload: Payload) -> str | None:
    if any("strict" in function for function in _functions(payload)):
        return "body.tools.0.function.strict: Extra inputs are not permitted"
    return None


def strict_refused_for(name: str) -> Rule:
    """Strict mode accepts every schema but this function's."""

    def rule(payload: Payload) -> str | None:
        if any(function["name"] == name and function.get("strict") for function in _functions(payload)):
            return f"Invalid schema for function '{name}': In context=(), 'oneOf' is not permitted."
        return None

    return rule


def needs_max_completion_tokens(payload: Payload) -> str | None:
    if "max_tokens" in payload:
        return (
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead."
        )
    return None


def needs_max_tokens(payload: Payload) -> str | None:
    return (
        "max_completion_tokens: Extra inputs are not permitted"
        if "max_completion_tokens" in payload
        else None
    )


def no_stream_options(payload: Payload) -> str | None:
    return "Unknown parameter: 'stream_options'." if "stream_options" in payload else None


def no_temperature(payload: Payload) -> str | None:
    if "temperature" in payload:
        return "Unsupported value: 'temperature' does not support 0 with this model."
    return None


def no_required(payload: Payload) -> str | None:
    return _not_among(payload, "auto", "any")


def only_auto(payload: Payload) -> str | None:
    return _not_among(payload, "auto")


def content_is_text(payload: Payload) -> str | None:
    if any(_beside_calls(payload, lambda message: message.get("content", "") is None)):
        return "Invalid value for 'content': expected a string, got null."
    return None


def content_is_null(payload: Payload) -> str | None:
    if any(_beside_calls(payload, lambda message: message.get("content") == "")):
        return "messages: text content blocks must be non-empty; content must be null"
    return None


def no_content_beside_calls(payload: Payload) -> str | None:
    if any(_beside_calls(payload, lambda message: bool(message.get("content")))):
        return "Assistant message must have either content or tool_calls, but not both."
    return None


def tools_with_calls(payload: Payload) -> str | None:
    if any(_beside_calls(payload, lambda message: True)) and not payload.get("tools"):
        return "Requests which include tool calls must define tools."
    return None


def nine_character_ids(payload: Payload) -> str | None:
    ids = [call["id"] for message in payload.get("messages", ()) for call in message.get("tool_calls") or ()]
    if all(re.fullmatch(r"[a-zA-Z0-9]{9}", call_id) for call_id in ids):
        return None
    return "Tool call id must be a-z, A-Z, 0-9, with a length of 9."


def _functions(payload: Payload) -> list[Mapping[str, Any]]:
    return [tool["function"] for tool in payload.get("tools") or ()]


def _not_among(payload: Payload, *known: str) -> str | None:
    choice = payload.get("tool_choice")
    return None if choice is None or choice in known else f"Invalid tool_choice: {choice!r} is not supported."


def _beside_calls(payload: Payload, wanted: Callable[[Mapping[str, Any]], bool]) -> Iterator[bool]:
    return (wanted(message) for message in payload.get("messages", ()) if message.get("tool_calls"))
