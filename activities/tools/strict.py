"""JSON Schema that every provider accepts: closed objects, all properties required, null for "left out".

This is the strict subset that OpenAI documents for function calling; endpoints that are laxer accept it
too. A pydantic model that cannot be written in it is refused when the tool is registered.
"""

import types
from collections.abc import Mapping
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

from agentapp.kernel.errors import Misconfigured

_KEPT = ("type", "enum", "description", "minimum", "maximum", "maxLength", "minLength", "pattern", "format")
_MAX_DEPTH = 5


class NotStrict(Misconfigured):
    """A type has no strict JSON Schema; `str()` says where and why."""

    code = "not_strict"


def strict_object(model: type[BaseModel]) -> dict[str, Any]:
    """Return the strict schema of `model` with every reference inlined. Raises NotStrict."""
    raw = model.model_json_schema(mode="validation")
    return _convert(raw, raw.get("$defs", {}), model.__name__, depth=0)


def nullable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return `schema` admitting null, the strict way of leaving a value out."""
    if "anyOf" in schema:
        if any(option.get("type") == "null" for option in schema["anyOf"]):
            return dict(schema)
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    kind = schema["type"]
    if isinstance(kind, list):
        return dict(schema)
    widened = {**schema, "type": [kind, "null"]}
    if "enum" in widened:
        widened["enum"] = [*widened["enum"], None]
    return widened


def _convert(node: Mapping[str, Any], defs: Mapping[str, Any], where: str, depth: int) -> dict[str, Any]:
    if depth > _MAX_DEPTH:
        raise NotStrict(f"{where} is nested more than {_MAX_DEPTH} levels deep or refers to itself.")
    if "$ref" in node:
        target = defs[node["$ref"].rsplit("/", 1)[-1]]
        return _convert(
            {**target, **{k: v for k, v in node.items() if k == "description"}}, defs, where, depth + 1
        )
    if "anyOf" in node:
        return _convert_union(node, defs, where, depth)
    if "const" in node:
        return {"type": "string", "enum": [node["const"]]}
    match node.get("type"):
        case "object":
            return _convert_object(node, defs, where, depth)
        case "array":
            if "items" not in node:
                raise NotStrict(f"{where} is a list without a declared item type.")
            described = {"description": node["description"]} if "description" in node else {}
            items = _convert(node["items"], defs, f"{where}[]", depth + 1)
            return {"type": "array", "items": items, **described}
        case "string" | "integer" | "number" | "boolean":
            return {key: node[key] for key in _KEPT if key in node}
    raise NotStrict(f"{where} has no single declared type.")


def _convert_object(
    node: Mapping[str, Any], defs: Mapping[str, Any], where: str, depth: int
) -> dict[str, Any]:
    if "properties" not in node and node.get("additionalProperties") not in (None, False):
        raise NotStrict(f"{where} is an open dictionary; declare its fields.")
    required = set(node.get("required", ()))
    properties = {}
    for name, child in node.get("properties", {}).items():
        converted = _convert(child, defs, f"{where}.{name}", depth + 1)
        properties[name] = converted if name in required else nullable(converted)
    result: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    if node.get("description"):
        result["description"] = node["description"]
    return result


def _convert_union(
    node: Mapping[str, Any], defs: Mapping[str, Any], where: str, depth: int
) -> dict[str, Any]:
    """Admit `T | None` and Decimal (which pydantic writes as number-or-string); refuse other unions."""
    options = [option for option in node["anyOf"] if option.get("type") != "null"]
    has_null = len(options) < len(node["anyOf"])
    kinds = sorted(str(option.get("type", "")) for option in options)
    if kinds == ["number", "string"]:
        converted: dict[str, Any] = {
            "type": "string",
            "description": "An exact decimal number, such as 1234.50.",
        }
    elif len(options) == 1:
        converted = _convert(options[0], defs, where, depth)
    else:
        raise NotStrict(f"{where} is a choice between several types; declare one.")
    if node.get("description"):
        converted["description"] = node["description"]
    return nullable(converted) if has_null else converted


def unwrap_optional(annotation: Any) -> tuple[Any, bool]:
    """Return (T, True) for `T | None`, (T, False) for T."""
    if get_origin(annotation) in (Union, types.UnionType):
        kept = [item for item in get_args(annotation) if item is not type(None)]
        if len(kept) == 1:
            return kept[0], True
    return annotation, False
