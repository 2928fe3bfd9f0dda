"""Requests and endpoints to test with."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runs.llm.base import FunctionSpec, Message, ModelReply, ModelRequest, Purpose, RouteTask, WireCall, drain
from runs.llm.openai import OpenAIModel

KEY = "sk-secret-0123456789"
USER = Message("user", "Refund the invoice, s'il vous plaît.")


def function(name: str = "find_order", **properties: Any) -> FunctionSpec:
    parts = properties or {"words": {"type": "string"}}
    schema = {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False}
    return FunctionSpec(name, f"What {name} does.", schema)


def exchange(*ids: str, text: str = "", results: tuple[str, ...] | None = None) -> tuple[Message, ...]:
    """An assistant message with one call per id, and its results."""
    calls = tuple(WireCall(call_id, "find_order", '{"words":"x"}') for call_id in ids)
    answered = ids if results is None else results
    return (Message("assistant", text, calls), *(Message("tool", f"result {i}", call_id=i) for i in answered))


def request(*messages: Message, **changes: Any) -> ModelRequest:
    values: dict[str, Any] = {
        "purpose": Purpose.STEP,
        "task": RouteTask(USER.text, (), "en"),
        "messages": (Message("system", "Act."), USER, *messages),
        "functions": (function(),),
        "tool_choice": "required",
        "max_output_tokens": 400,
        "timeout_seconds": 10.0,
    }
    return ModelRequest(**{**values, **changes})


@contextmanager
def model_at(base_url: str, **options: Any) -> Iterator[OpenAIModel]:
    """The endpoint client; its pauses are not waited for unless `wait` is given."""
    model = OpenAIModel(
        **{"model": "m-1", "api_key": KEY, "base_url": base_url, "wait": lambda seconds: None, **options}
    )
    try:
        yield model
    finally:
        model.close()


def ask(model: OpenAIModel, asked: ModelRequest | None = None) -> ModelReply:
    return drain(model.stream(asked or request()), model.name)
