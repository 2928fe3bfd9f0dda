"""Declaring a tool: what is missing or cannot be expressed fails at start, with the tool's name."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Optional, Union

import pytest
from pydantic import BaseModel, Field

from activities.tools import (
    Control,
    ControlledBy,
    Effect,
    Preview,
    Protected,
    Ref,
    ReferenceType,
    Risk,
    ToolContext,
    ToolContract,
    ToolParams,
    ToolResult,
    registry,
    tool,
)
from activities.tools.contract import ParamContract
from activities.tools.registry import Registry
from agentapp.kernel.errors import Misconfigured

AGENT = ControlledBy(Control.AGENT)
KEY = "fresh.do_thing"


class Params(ToolParams):
    name: Annotated[str, AGENT]


class Result(ToolResult):
    name: str


def act(ctx: ToolContext, params: Params) -> Result:
    return Result(name=params.name)


def declare(function: Callable[..., Any] = act, **changes: Any) -> ToolContract:
    """Declare a tool and take it out of the registry again."""
    given = {
        "key": KEY,
        "title": "Do",
        "summary": "Does a thing.",
        "aliases": {"en": ("thing",)},
        "when_not_to_use": "",
        "risk": Risk.LOW,
        "effect": Effect.NONE,
        "permission": "fresh.use",
    }
    key = changes.get("key", KEY)
    try:
        tool(**{**given, **changes})(function)
        contract = registry.get(key)
        assert contract is not None
        return contract
    finally:
        registry.remove(key)


def params(annotation: Any, default: Any = ...) -> type[ToolParams]:
    """A parameters class with one field."""
    namespace = {"__annotations__": {"value": annotation}, **({} if default is ... else {"value": default})}
    return type("Made", (ToolParams,), namespace)


def taking(model: Any, gives: Any = Result) -> Callable[..., Any]:
    def made(ctx: ToolContext, params: Any) -> Any:
        return None

    made.__annotations__.update({"params": model, "return": gives})
    return made


def preview(_ctx: ToolContext, _params: Params) -> Preview:
    return Preview("It happens.")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"key": "nodot"}, "key"),
        ({"key": "Fresh.Do"}, "key"),
        ({"key": "fresh.do thing"}, "key"),
        ({"key": "fresh."}, "key"),
        ({"permission": "anything"}, "permission"),
        ({"permission": ""}, "permission"),
        ({"summary": ""}, "summary"),
        ({"aliases": {}}, "alias"),
        ({"aliases": {"en": ()}}, "alias"),
        ({"risk": "enormous"}, "enormous"),
        ({"effect": "maybe"}, "maybe"),
        ({"risk": Risk.HIGH, "effect": Effect.LOCAL}, "preview"),
        ({"effect": Effect.LOCAL}, "medium"),
        ({"effect": Effect.EXTERNAL}, "medium"),
    ],
    ids=str,
)
def test_what_is_missing_names_the_tool(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        declare(**changes)
    assert repr(changes.get("key", KEY)) in str(caught.value)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    "name", ["key", "title", "summary", "aliases", "when_not_to_use", "risk", "effect", "permission"]
)
def test_nothing_has_a_default_that_could_be_forgotten(name: str) -> None:
    given = {
        "key": KEY,
        "title": "Do",
        "summary": "Does.",
        "aliases": {"en": ("x",)},
        "when_not_to_use": "",
        "risk": Risk.LOW,
        "effect": Effect.NONE,
        "permission": "fresh.use",
    }
    given.pop(name)
    with pytest.raises(TypeError, match=name):
        tool(**given)(act)  # type: ignore[arg-type]


class Plain(BaseModel):
    name: str


class Nested(BaseModel):
    inner: "Nested | None" = None


class Colour(Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (taking(params(str)), "ControlledBy"),
        (taking(params(Annotated[str, ControlledBy()])), "ControlledBy"),
        (taking(params(Annotated[dict[str, Any], AGENT])), "open dictionary"),
        (taking(params(Annotated[list[Any], AGENT])), "no single declared type"),
        (taking(params(Annotated[Union[str, int], AGENT])), "choice between"),  # noqa: UP007
        (taking(params(Annotated[Any, AGENT])), "no single declared type"),
        (taking(params(Annotated[Nested, AGENT])), "levels deep"),
        (taking(params(Annotated[float, AGENT])), "no field can take"),
        (taking(params(Annotated[datetime, AGENT])), "no field can take"),
        (taking(params(Annotated[Plain, AGENT])), "no field can take"),
        (taking(Plain), "ToolParams"),
        (taking(Params, Plain), "ToolResult"),
        (taking(Params, None), "ToolResult"),
        (
            taking(Params, type("Loop", (ToolResult,), {"__annotations__": {"x": dict[str, int]}})),
            "open dictionary",
        ),
        (lambda ctx: None, "exactly (ctx, params)"),
        (lambda ctx, params, more: None, "exactly (ctx, params)"),
        (lambda ctx, params: None, "ToolParams"),
    ],
)
def test_what_cannot_be_expressed_names_the_tool(function: Callable[..., Any], why: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        declare(function)
    assert repr(KEY) in str(caught.value)
    assert why in str(caught.value)
    assert registry.get(KEY) is None


def test_keys_and_wire_names_are_unique() -> None:
    contract = declare()
    own = Registry()
    own.add(contract)
    with pytest.raises(Misconfigured, match=KEY):
        own.add(contract)
    with pytest.raises(Misconfigured, match=r"fresh\.do\.thing"):
        own.add(declare(key="fresh.do.thing"))


def test_a_reference_nobody_declares_names_the_tool() -> None:
    own = Registry()
    own.add(declare(taking(params(Annotated[str, Ref("fresh.thing"), AGENT]))))
    with pytest.raises(Misconfigured, match=KEY):
        own.check()
    own.add_reference(
        ReferenceType("fresh.thing", "thing", "fresh.use", lambda c, v: None, lambda c, t, n: [])
    )
    own.check()


def test_reference_types_are_unique_and_their_patterns_sound() -> None:
    own = Registry()
    kind = ReferenceType(
        "fresh.thing", "thing", "fresh.use", lambda c, v: None, lambda c, t, n: [], pattern="("
    )
    with pytest.raises(Misconfigured, match=r"fresh\.thing"):
        own.add_reference(kind)


def one(annotation: Any, default: Any = ...) -> ParamContract:
    return declare(taking(params(annotation, default))).params[0]


@pytest.mark.parametrize(
    ("annotation", "default", "schema", "kind"),
    [
        (Annotated[str, AGENT], ..., {"type": "string"}, "text"),
        (Annotated[str | None, AGENT], None, {"type": ["string", "null"]}, "text"),
        (Annotated[Optional[int], AGENT], None, {"type": ["integer", "null"]}, "integer"),  # noqa: UP045
        (
            Annotated[int, AGENT, Field(ge=1, le=5)],
            ...,
            {"type": "integer", "minimum": 1, "maximum": 5},
            "integer",
        ),
        (Annotated[int, AGENT], 3, {"type": ["integer", "null"]}, "integer"),
        (Annotated[bool, AGENT], ..., {"type": "boolean"}, "boolean"),
        (Annotated[Literal["a", "b"], AGENT], ..., {"type": "string", "enum": ["a", "b"]}, "choice"),
        (Annotated[Literal["a"], AGENT], ..., {"type": "string", "enum": ["a"]}, "choice"),
        (
            Annotated[Literal["a", "b"], AGENT],
            "a",
            {"type": ["string", "null"], "enum": ["a", "b", None]},
            "choice",
        ),
        (Annotated[Colour, AGENT], ..., {"type": "string", "enum": ["red"]}, "choice"),
        (Annotated[list[str], AGENT], ..., {"type": "array", "items": {"type": "string"}}, "text"),
        (
            Annotated[list[str] | None, AGENT],
            None,
            {"type": ["array", "null"], "items": {"type": "string"}},
            "text",
        ),
    ],
)
def test_types_become_strict_schemas(
    annotation: Any, default: Any, schema: dict[str, Any], kind: str
) -> None:
    param = one(annotation, default)
    assert dict(param.schema) == schema
    assert param.value_type == kind
    assert param.required is (default is ...)


def test_a_decimal_is_a_string_for_the_model() -> None:
    param = one(Annotated[Decimal, AGENT])
    assert param.schema["type"] == "string"
    assert param.value_type == "decimal"


def test_every_schema_is_closed_and_names_all_its_properties() -> None:
    for contract in (
        declare(),
        declare(taking(Params, type("Deep", (ToolResult,), {"__annotations__": {"inner": Plain}}))),
    ):
        for schema in _objects(contract.params_schema, contract.result_schema):
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])


def _objects(*nodes: Any) -> list[Any]:
    found = []
    for node in nodes:
        if isinstance(node, dict):
            found += [node] if node.get("type") == "object" else []
            found += _objects(*node.values())
        elif isinstance(node, list):
            found += _objects(*node)
    return found


class Line(ToolResult):
    item: Annotated[str, Ref("fresh.item")]
    mail: Annotated[str, Protected("email")]


class Deep(ToolResult):
    lines: list[Line]
    owner: Annotated[str | None, Protected("person", raw_allowed=True)] = None
    parts: list[Annotated[str, Ref("fresh.part")]] = []


def test_marks_are_found_at_any_depth() -> None:
    contract = declare(taking(Params, Deep))
    assert contract.result_refs == {"lines[].item": "fresh.item", "parts[]": "fresh.part"}
    assert {path: mark.kind for path, mark in contract.protected.items()} == {
        "lines[].mail": "email",
        "owner": "person",
    }
    assert contract.protected["owner"].raw_allowed
    assert not contract.protected["lines[].mail"].raw_allowed


def test_a_high_risk_tool_with_a_preview_is_declared() -> None:
    contract = declare(risk=Risk.HIGH, effect=Effect.EXTERNAL, preview=preview)
    assert (contract.wire_name, contract.fact_key) == ("fresh_do_thing", "do_thing")
    assert len(contract.hash) == 64
