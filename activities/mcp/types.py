"""From a JSON Schema to the types of contracts: exact numbers, texts, choices, dates, lists, objects."""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from pydantic.errors import PydanticUserError
from pydantic_core import SchemaError as CannotBuild

from activities import patterns
from activities.mcp.schemas import Schema, SchemaRefused, resolved
from activities.tools import ToolResult
from agentapp.kernel.text import clean_text, shorten

MAX_CHOICES = 200
MAX_RESULT_DEPTH = 4
MAX_FIELDS = 100
_FIELD_NAME = re.compile(r"^[A-Za-z][A-Za-z0-9_]{0,63}$")


class NotTyped(ValueError):
    """No strict type says what the schema says; `str()` is the reason, for a designer."""


class McpResult(ToolResult):
    """Base of what is kept of a server's result. Fields that nobody declared are not kept."""

    model_config = ConfigDict(extra="ignore", frozen=True)


@dataclass(frozen=True)
class Typed:
    """A type: its annotation, the name that fields know it by, and whether null is among its values."""

    annotation: Any
    value_type: str
    is_list: bool = False
    nullable: bool = False


def typed(
    node: Any, root: Schema, *, nested: bool, name: str = "", left_out: list[str] | None = None
) -> Typed:
    """Return the type that `node` declares; objects only where `nested`. Raises NotTyped."""
    node, nullable = single(node, root)
    found = _typed(node, root, nested, name, left_out if left_out is not None else [])
    return Typed(found.annotation, found.value_type, found.is_list, nullable)


def model_of(
    node: Any, root: Schema, name: str, left_out: list[str], place: str = "", depth: int = 0
) -> type[BaseModel]:
    """Return a closed model of the fields that can be typed; the others are named in `left_out`."""
    node, _nullable = single(node, root)
    properties = node.get("properties")
    if node.get("type", "object") != "object" or not isinstance(properties, dict) or not properties:
        raise NotTyped(_("it declares no fields"))
    if depth >= MAX_RESULT_DEPTH or len(properties) > MAX_FIELDS:
        raise NotTyped(_("it is nested too deeply or has too many fields"))
    fields: dict[str, Any] = {}
    required = set(node.get("required", ()))
    for key, child in properties.items():
        where = f"{place}.{key}" if place else key
        try:
            if not _FIELD_NAME.match(key) or key.startswith("model_"):
                raise NotTyped(_("its name cannot be used"))
            kind = typed(child, root, nested=True, name=where, left_out=left_out)
        except (NotTyped, SchemaRefused) as refusal:
            left_out.append(f"“{shorten(clean_text(where), 80)}” ({refusal})")
            continue
        fields[key] = _field(kind, key in required, child)
    if not fields:
        raise NotTyped(_("none of its fields has a type of its own"))
    return build(name, McpResult, fields)


def build(name: str, base: type[BaseModel], fields: Mapping[str, Any]) -> type[BaseModel]:
    """Return a model with these fields, whatever they are called. Raises NotTyped."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a field may be called like a method of the base: "copy", "json"
            return create_model(name, __base__=base, **dict(fields))
    except (PydanticUserError, CannotBuild, NameError, ValueError, TypeError) as error:
        raise NotTyped(_("its fields cannot be declared")) from error


def _field(kind: Typed, required: bool, node: Any) -> tuple[Any, Any]:
    described = node.get("description") if isinstance(node, dict) else None
    about: dict[str, Any] = (
        {"description": shorten(clean_text(described), 200)} if isinstance(described, str) else {}
    )
    if required and not kind.nullable:
        return kind.annotation, Field(**about)
    return kind.annotation | None, Field(default=None, **about)


def single(node: Any, root: Schema) -> tuple[Schema, bool]:
    """Return the one schema that `node` is, without null, and whether null was among it. Raises NotTyped."""
    if not isinstance(node, dict):
        raise NotTyped(_("it has no declared type"))
    node = dict(resolved(node, root))
    nullable = False
    for word in ("anyOf", "oneOf", "allOf"):
        if word in node:
            options = [dict(resolved(each, root)) for each in node.pop(word) if isinstance(each, dict)]
            kept = [each for each in options if each.get("type") != "null"]
            if len(kept) != 1:
                raise NotTyped(_("it is a choice between several types"))
            nullable = nullable or len(kept) < len(options)
            inner, also = single(kept[0], root)
            node, nullable = {**inner, **node}, nullable or also
    kinds = node.get("type")
    if isinstance(kinds, list):
        rest = [kind for kind in kinds if kind != "null"]
        if len(rest) != 1:
            raise NotTyped(_("it is a choice between several types"))
        node["type"], nullable = rest[0], nullable or len(rest) < len(kinds)
    return node, nullable


def _typed(node: Schema, root: Schema, nested: bool, name: str, left_out: list[str]) -> Typed:
    if "const" in node or "enum" in node:
        return _choice(node)
    match node.get("type"):
        case "string":
            return _text(node)
        case "integer":
            return Typed(_checked(Annotated[int, Field(**_limits(node))]), "integer")
        case "number":
            return Typed(_checked(Annotated[Decimal, Field(**_limits(node))]), "decimal")
        case "boolean":
            return Typed(bool, "boolean")
        case "array":
            return _list(node, root, nested, name, left_out)
        case "object" if nested:
            model = model_of(node, root, "Part", left_out, name, name.count(".") + 1)
            return Typed(model, "object")
        case "object":
            raise NotTyped(_("it is an object without declared fields"))
    raise NotTyped(_("it has no declared type"))


def _choice(node: Schema) -> Typed:
    values = [node["const"]] if "const" in node else [value for value in node["enum"] if value is not None]
    if not values or not all(isinstance(value, str) for value in values):
        raise NotTyped(_("it is a choice between values that are not texts"))
    if len(values) > MAX_CHOICES or any(len(value) > 200 for value in values):
        raise NotTyped(_("it is a choice between too many values"))
    return Typed(Literal[tuple(dict.fromkeys(values))], "choice")


def _text(node: Schema) -> Typed:
    if node.get("format") == "date":
        return Typed(date, "date")
    limits = {
        ours: node[theirs]
        for theirs, ours in (("minLength", "min_length"), ("maxLength", "max_length"))
        if isinstance(node.get(theirs), int)
    }
    pattern = node.get("pattern")
    if isinstance(pattern, str) and not patterns.problem(pattern):
        try:
            return Typed(_checked(Annotated[str, Field(pattern=pattern, **limits)]), "text")
        except NotTyped:
            pass  # a pattern of another dialect: the server checks it itself
    return Typed(_checked(Annotated[str, Field(**limits)]), "text")


def _list(node: Schema, root: Schema, nested: bool, name: str, left_out: list[str]) -> Typed:
    if not isinstance(node.get("items"), dict):
        raise NotTyped(_("it is a list without a declared type"))
    if not nested and single(node["items"], root)[0].get("type") == "object":
        raise NotTyped(_("it is a list of objects"))
    item = typed(node["items"], root, nested=nested, name=f"{name}[]", left_out=left_out)
    if item.is_list:
        raise NotTyped(_("it is a list of lists"))
    limits = {
        ours: node[theirs]
        for theirs, ours in (("minItems", "min_length"), ("maxItems", "max_length"))
        if isinstance(node.get(theirs), int)
    }
    return Typed(Annotated[list[item.annotation], Field(**limits)], item.value_type, is_list=True)  # type: ignore[name-defined]


def _limits(node: Schema) -> dict[str, Any]:
    words = (("minimum", "ge"), ("maximum", "le"), ("exclusiveMinimum", "gt"), ("exclusiveMaximum", "lt"))
    return {
        ours: Decimal(str(node[theirs])) if node.get("type") == "number" else int(node[theirs])
        for theirs, ours in words
        if isinstance(node.get(theirs), int | float) and not isinstance(node[theirs], bool)
    }


def _checked(annotation: Any) -> Any:
    """Return the annotation if values can be checked against it. Raises NotTyped."""
    try:
        TypeAdapter(annotation)
    except (PydanticUserError, CannotBuild, ValueError, TypeError) as error:
        raise NotTyped(_("its limits cannot be checked")) from error
    return annotation
