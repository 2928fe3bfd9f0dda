"""A model without a mind: it answers at once, from a table, and otherwise with the least a schema accepts."""

from collections.abc import Mapping
from typing import Any

from tests.loopback import turns
from tests.loopback.turns import Turn


class TableModel:
    """Calls the first offered function that was not called yet in this conversation.

    `table` holds arguments by function name; functions in it come before the others. Without a function left
    to call it says that it is done.
    """

    def __init__(self, table: Mapping[str, Any] | None = None) -> None:
        self._table = dict(table or {})

    def __call__(self, payload: Mapping[str, Any]) -> Turn:
        return joined(self._turn(payload))

    def _turn(self, payload: Mapping[str, Any]) -> Turn:
        called = {
            call["function"]["name"]
            for message in payload["messages"]
            for call in message.get("tool_calls") or ()
        }
        offered = [
            tool["function"] for tool in payload.get("tools") or () if tool["function"]["name"] not in called
        ]
        if not offered:
            return turns.text("Done.")
        known = [function for function in offered if function["name"] in self._table]
        function = (known or offered)[0]
        return turns.call(function["name"], self._table.get(function["name"], least(function["parameters"])))


def joined(turn: Turn) -> Turn:
    """The same answer in one piece: as little work as possible."""
    return turn.but(pieces=(turn.bytes,))


def least(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None) -> Any:
    """The smallest value this schema accepts (strict mode's subset)."""
    root = schema if root is None else root
    if "$ref" in schema:
        return least(_referred(schema["$ref"], root), root)
    if "anyOf" in schema:
        return least(schema["anyOf"][-1], root)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kinds = schema.get("type", "null")
    return _least_of(kinds if isinstance(kinds, str) else kinds[-1], schema, root)


def _least_of(kind: str, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    if kind == "object":
        return {name: least(part, root) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [least(schema["items"], root)] * schema.get("minItems", 0)
    if kind in ("integer", "number"):
        return schema.get("minimum", 0)
    return {"string": "x", "boolean": False}.get(kind)


def _referred(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    place: Any = root
    for step in reference.lstrip("#/").split("/"):
        place = place[step]
    return place
