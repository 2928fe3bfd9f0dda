"""What OpenAI's strict mode accepts of JSON Schema, and what it says when it does not."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

MAX_DEPTH = 10
MAX_PROPERTIES = 5_000
MAX_ENUM_VALUES = 1_000
MAX_NAMES_LENGTH = 120_000
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ANYWHERE = frozenset(
    {"type", "title", "description", "enum", "const", "anyOf", "$ref", "$defs", "definitions"}
)
_BY_TYPE = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "string": frozenset({"pattern", "format"}),
    "number": frozenset({"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "boolean": frozenset(),
    "null": frozenset(),
}
_BY_TYPE["integer"] = _BY_TYPE["number"]
_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})


def function_problems(function: Mapping[str, Any]) -> list[str]:
    """Why an endpoint would refuse this function; empty when it would not."""
    name = function.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return [f"Invalid 'tools[].function.name': {name!r} does not match '^[a-zA-Z0-9_-]+$'."]
    if not function.get("strict"):
        return []
    return [
        f"Invalid schema for function '{name}': {problem}"
        for problem in schema_problems(function.get("parameters"))
    ]


def schema_problems(schema: Any) -> list[str]:
    """What strict mode does not accept in this schema."""
    if not isinstance(schema, Mapping):
        return ["In context=(), schema must be an object."]
    problems = []
    if schema.get("type") != "object" or "anyOf" in schema:
        problems.append("In context=(), schema must be a JSON Schema of 'type: \"object\"', without 'anyOf'.")
    problems += _problems(schema, (), schema, 0)
    return problems + list(_too_much(schema))


def _problems(schema: Any, context: tuple[str, ...], root: Mapping[str, Any], depth: int) -> Iterator[str]:
    where = f"In context={context!r}, "
    if not isinstance(schema, Mapping):
        yield where + "schema must be an object."
        return
    if depth > MAX_DEPTH:
        yield where + f"more than {MAX_DEPTH} levels of nesting are not supported."
        return
    yield from (where + problem for problem in _own_problems(schema, root))
    for name, part, deeper in _parts(schema):
        yield from _problems(part, (*context, name), root, depth + deeper)


def _own_problems(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[str]:
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if not (types or {"anyOf", "$ref", "enum", "const"} & set(schema)):
        yield "schema must have a 'type' key."
    allowed = _ANYWHERE.union(*(_BY_TYPE.get(kind, frozenset()) for kind in types))
    yield from (f"'{key}' is not permitted." for key in schema if key not in allowed)
    if "object" in types:
        yield from _object_problems(schema)
    if "array" in types and "items" not in schema:
        yield "array schema missing items."
    if "format" in schema and schema["format"] not in _FORMATS:
        yield f"'{schema['format']}' is not a valid format."
    if "$ref" in schema and not _resolves(schema["$ref"], root):
        yield f"reference '{schema['$ref']}' can not be resolved."


def _object_problems(schema: Mapping[str, Any]) -> Iterator[str]:
    if schema.get("additionalProperties") is not False:
        yield "'additionalProperties' is required to be supplied and to be false."
    properties = set(schema.get("properties", {}))
    if missing := sorted(properties - set(schema.get("required", ()))):
        yield f"'required' is required to be an array including every key. Missing {missing}."
    if extra := sorted(set(schema.get("required", ())) - properties):
        yield f"'required' names keys that are not in properties: {extra}."


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any, int]]:
    for key in ("properties", "$defs", "definitions"):
        for name, part in dict(schema.get(key, {})).items():
            yield f"{key}.{name}", part, int(key == "properties")
    if "items" in schema:
        yield "items", schema["items"], 1
    for number, part in enumerate(schema.get("anyOf", ())):
        yield f"anyOf.{number}", part, 0


def _resolves(reference: Any, root: Mapping[str, Any]) -> bool:
    if not isinstance(reference, str) or not reference.startswith("#"):
        return False
    place: Any = root
    for step in reference.lstrip("#/").split("/") if reference != "#" else ():
        if not isinstance(place, Mapping) or step not in place:
            return False
        place = place[step]
    return True


def _too_much(schema: Any) -> Iterator[str]:
    properties, values, length = _sizes(schema, 0)
    if properties > MAX_PROPERTIES:
        yield f"more than {MAX_PROPERTIES} properties."
    if values > MAX_ENUM_VALUES:
        yield f"more than {MAX_ENUM_VALUES} enum values."
    if length > MAX_NAMES_LENGTH:
        yield f"names and values longer than {MAX_NAMES_LENGTH} characters."


def _sizes(schema: Any, depth: int) -> tuple[int, int, int]:
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH * 3:
        return 0, 0, 0
    names = list(schema.get("properties", {}))
    enum = list(schema.get("enum", ()))
    own = len(names), len(enum), sum(map(len, names)) + sum(len(str(value)) for value in enum)
    parts = [_sizes(part, depth + 1) for _, part, _ in _parts(schema)]
    return tuple(map(sum, zip(own, *parts, strict=True)))  # type: ignore[return-value]
