"""What can be made of a tool's definition: typed parameters and a typed result, or the reason why not.

A server's schema may say more than a strict contract can: unions, open dictionaries, lists of objects. What
is optional and cannot be said is left out; what is required and cannot be said makes the tool unusable. The
fields of an object are parameters of their own, each with somebody who controls it; `objects` puts them
together again.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from pydantic import BaseModel

from activities.mcp.schemas import Schema, SchemaRefused, check_bounded
from activities.mcp.types import NotTyped, Typed, model_of, single, typed
from agentapp.kernel.canonical import canonical_bytes
from agentapp.kernel.text import clean_text, shorten

MAX_PARAMS = 60
MAX_OBJECT_DEPTH = 3
#: Of the name that a contract gives a parameter.
MAX_NAME = 64
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
    """One parameter that a contract can state: a property of the tool's, or a field of an object among them.

    `path`: the names from the arguments down to it. `needed_from`: with how many of these names a value has
    to be given once anything below them is; 0 where it is always needed, all of them where it never is.
    `names_record`: it looks like, or is marked, a reference.
    """

    path: tuple[str, ...]
    typed: Typed
    needed_from: int
    description: str
    names_record: bool

    @property
    def name(self) -> str:
        return name_of(self.path)

    @property
    def required(self) -> bool:
        return self.needed_from == 0


@dataclass(frozen=True)
class ObjectShape:
    """An object among the arguments, with `path` and `needed_from` as a parameter has them."""

    path: tuple[str, ...]
    needed_from: int


@dataclass(frozen=True)
class Shape:
    """A tool's definition as a contract can state it. `unusable` says why none can be made, else empty.

    `objects` are those that the parameters are fields of, outermost first. `result` is None where the result
    is the text that the server answers. `notes` tell what was left out.
    """

    params: tuple[ParamShape, ...]
    result: type[BaseModel] | None
    notes: tuple[str, ...]
    unusable: str = ""
    objects: tuple[ObjectShape, ...] = ()


@dataclass
class _Found:
    """What was found so far in a tool's parameters."""

    params: list[ParamShape] = field(default_factory=list)
    objects: list[ObjectShape] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, other: "_Found") -> None:
        self.params += other.params
        self.objects += other.objects
        self.notes += other.notes


class _Unsaid(NotTyped):
    """The sentence already names the parameter."""


def name_of(path: Sequence[str]) -> str:
    """Return what the parameter at `path` is called in a contract."""
    return "__".join(path)


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
        found = _params(wanted)
        result = _result(given, notes)
    except (SchemaRefused, NotTyped) as refusal:
        return Shape((), None, tuple(notes), str(refusal)[:500])
    return Shape(tuple(found.params), result, (*found.notes, *notes), objects=tuple(found.objects))


def _params(schema: Any) -> _Found:
    check_bounded(schema)
    if schema.get("type", "object") != "object" or not isinstance(schema.get("properties", {}), dict):
        raise NotTyped(_("its parameters are not an object"))
    if "x-mcp-header" in str(schema):
        raise NotTyped(_("it wants parameters in the request's headers"))
    found = _fields((), schema, schema, needed_from=0, about="")
    if len(found.params) > MAX_PARAMS:
        raise NotTyped(_("it has more than %(limit)d parameters") % {"limit": MAX_PARAMS})
    names = [param.name for param in found.params]
    if len(set(names)) < len(names):
        raise NotTyped(_("two of its parameters would have the same name"))
    return found


def _fields(path: tuple[str, ...], node: Schema, root: Schema, needed_from: int, about: str) -> _Found:
    """Return what the fields of the object at `path` are, those that it needs first. Raises NotTyped."""
    properties, required = node.get("properties", {}), set(node.get("required", ()))
    if missing := sorted(required - set(properties)):
        raise NotTyped(_("it requires “%(name)s” without declaring it") % {"name": str(missing[0])[:64]})
    if len(path) > MAX_OBJECT_DEPTH:
        raise NotTyped(_("it is nested too deeply or has too many fields"))
    found = _Found()
    for name in sorted(properties, key=lambda name: (name not in required, name)):
        below = (*path, name)
        try:
            since = needed_from if name in required else len(below)
            found.add(_param(below, properties[name], root, since, about))
        except NotTyped as refusal:
            if name in required:
                raise _unsaid(below, refusal, needed=True) from refusal
            found.notes.append(str(_unsaid(below, refusal, needed=False)))
    return found


def _unsaid(path: tuple[str, ...], refusal: NotTyped, *, needed: bool) -> _Unsaid:
    about = {"name": shorten(clean_text(".".join(path)), 64), "why": str(refusal)}
    if not needed:
        return _Unsaid(_("The parameter “%(name)s” is left out: %(why)s.") % about)
    return refusal if isinstance(refusal, _Unsaid) else _Unsaid(_("parameter “%(name)s”: %(why)s") % about)


def _param(path: tuple[str, ...], node: Any, root: Schema, needed_from: int, about: str) -> _Found:
    """Return the one parameter that a property is, or for an object those that its fields are."""
    if not _NAME.match(path[-1]) or path[0].startswith("model_") or len(name_of(path)) > MAX_NAME:
        raise NotTyped(_("its name cannot be used"))
    plain, _nullable = single(node, root)
    described = plain.get("description")
    own = clean_text(described) if isinstance(described, str) else ""
    description = ": ".join(part for part in (about.rstrip(".: "), own) if part)
    if plain.get("type") == "object" and isinstance(plain.get("properties"), dict) and plain["properties"]:
        found = _Found(objects=[ObjectShape(path, needed_from)])
        found.add(_fields(path, plain, root, needed_from, shorten(description, 150)))
        return found
    kind = typed(node, root, nested=False)
    record = _names_record(path[-1], plain, kind)
    return _Found([ParamShape(path, kind, needed_from, shorten(description, 300), record)])


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
