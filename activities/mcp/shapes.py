"""What can be made of a tool's definition: typed parameters and a typed result, or the reason why not.

A server's schema may say more than a strict contract can: unions, open dictionaries, objects in parameters.
What is optional and cannot be said is left out; what is required and cannot be said makes the tool unusable.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from pydantic import BaseModel

from activities.mcp.schemas import Schema, SchemaRefused, check_bounded
from activities.mcp.types import NotTyped, Typed, model_of, typed
from agentapp.kernel.canonical import canonical_bytes
from agentapp.kernel.text import clean_text, shorten

MAX_PARAMS = 60
_NAME = re.compile(r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")
_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
#: Names of texts that somebody writes; every other free text may name a record.
_PROSE = frozenset(
    (
        *(
            "query",
            "q",
            "search",
            "question",
            "keyword",
            "keywords",
            "term",
            "terms",
            "prompt",
            "instructions",
        ),
        *("text", "message", "messages", "body", "content", "contents", "input", "html", "markdown"),
        *("title", "subject", "description", "summary", "comment", "comments", "note", "notes", "reason"),
    )
)
_NAMES_A_RECORD = frozenset(
    ("id", "ids", "uuid", "guid", "key", "number", "no", "nr", "num", "ref", "reference", "pk")
)
_RECORD_FORMATS = frozenset(("uuid", "uri", "url", "email", "iri", "hostname"))


@dataclass(frozen=True)
class ParamShape:
    """One parameter that a contract can state. `names_record`: it looks like, or is marked, a reference."""

    name: str
    typed: Typed
    required: bool
    description: str
    names_record: bool


@dataclass(frozen=True)
class Shape:
    """A tool's definition as a contract can state it. `unusable` says why none can be made, else empty.

    `result` is None where the result is the text that the server answers. `notes` tell what was left out.
    """

    params: tuple[ParamShape, ...]
    result: type[BaseModel] | None
    notes: tuple[str, ...]
    unusable: str = ""


def shape_of(definition: Mapping[str, Any]) -> Shape:
    """Return what can be made of a definition (`inputSchema`, `outputSchema`). Never raises."""
    schemas = [definition.get("inputSchema"), definition.get("outputSchema")]
    return _shape(canonical_bytes(schemas), get_language() or "")


@lru_cache(maxsize=2048)
def _shape(canonical: bytes, language: str) -> Shape:
    """The key is all that the answer depends on: both schemas, and the language of the reasons."""
    wanted, given = json.loads(canonical)
    notes: list[str] = []
    try:
        params = _params(wanted, notes)
        result = _result(given, notes)
    except (SchemaRefused, NotTyped) as refusal:
        return Shape((), None, tuple(notes), str(refusal)[:500])
    return Shape(params, result, tuple(notes))


def _params(schema: Any, notes: list[str]) -> tuple[ParamShape, ...]:
    check_bounded(schema)
    if schema.get("type", "object") != "object" or not isinstance(schema.get("properties", {}), dict):
        raise NotTyped(_("its parameters are not an object"))
    if "x-mcp-header" in str(schema):
        raise NotTyped(_("it wants parameters in the request's headers"))
    properties, required = schema.get("properties", {}), set(schema.get("required", ()))
    if missing := sorted(required - set(properties)):
        raise NotTyped(_("it requires “%(name)s” without declaring it") % {"name": str(missing[0])[:64]})
    if len(properties) > MAX_PARAMS:
        raise NotTyped(_("it has more than %(limit)d parameters") % {"limit": MAX_PARAMS})
    names = sorted(properties, key=lambda name: (name not in required, name))
    found = (_param(name, properties[name], name in required, schema, notes) for name in names)
    return tuple(param for param in found if param is not None)


def _param(name: str, node: Any, required: bool, root: Schema, notes: list[str]) -> ParamShape | None:
    try:
        if not _NAME.match(name) or name.startswith("model_"):
            raise NotTyped(_("its name cannot be used"))
        kind = typed(node, root, nested=False)
    except NotTyped as refusal:
        about = {"name": shorten(clean_text(name), 64), "why": str(refusal)}
        if required:
            raise NotTyped(_("parameter “%(name)s”: %(why)s") % about) from refusal
        notes.append(_("The parameter “%(name)s” is left out: %(why)s.") % about)
        return None
    described = node.get("description")
    description = shorten(clean_text(described), 300) if isinstance(described, str) else ""
    return ParamShape(name, kind, required, description, _names_record(name, node, kind))


def _names_record(name: str, node: Schema, kind: Typed) -> bool:
    """A free text is taken for a reference unless its name says that somebody writes it."""
    tokens = [token.lower() for token in _TOKEN.findall(name)]
    one = node.get("items", node) if kind.is_list else node
    if isinstance(one, dict) and (one.get("format") in _RECORD_FORMATS or "x-record" in node):
        return True
    if kind.value_type == "text":
        return not tokens or tokens[-1] not in _PROSE
    return kind.value_type == "integer" and bool(_NAMES_A_RECORD & set(tokens))


def _result(schema: Any, notes: list[str]) -> type[BaseModel] | None:
    if schema is None:
        return None
    check_bounded(schema)
    left_out: list[str] = []
    try:
        model = model_of(schema, schema, "Result", left_out)
    except NotTyped as refusal:
        notes.append(_("Its result is taken as text: %(why)s.") % {"why": str(refusal)})
        return None
    notes.extend(_("In the result, %(what)s is left out.") % {"what": what} for what in left_out)
    return model
