"""JSON Schemas that a server wrote: bounded before anything is done with them, and checked without surprises.

A schema can be made to cost more than it looks: references that multiply, patterns that run for minutes,
comparisons of everything with everything. What is not bounded is refused when it is imported.
"""

import math
import re
import time
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Any

import referencing
from django.utils.translation import gettext as _
from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import SchemaError, ValidationError

from activities import patterns
from agentapp.kernel.canonical import dumps

MAX_BYTES = 50_000
MAX_DEPTH = 16
#: Parts of a schema with every reference written out.
MAX_PARTS = 2_000
#: Of the processor's time, for one value.
CHECK_SECONDS = 10.0
_until: ContextVar[float] = ContextVar("_until", default=math.inf)
_FOREIGN = ("$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$vocabulary")
_LOCAL = re.compile(r"^#/(\$defs|definitions)/([^/~%]{1,100})$")
Schema = Mapping[str, Any]


class SchemaRefused(ValueError):
    """The schema cannot be used; `str()` is the reason, for a designer."""


def check_bounded(schema: Any) -> None:
    """Raise SchemaRefused for a schema that is too large, too deep, refers to itself or elsewhere."""
    if not isinstance(schema, dict):
        raise SchemaRefused(_("the schema is not an object"))
    if len(dumps(schema)) > MAX_BYTES:
        raise SchemaRefused(_("the schema has more than %(limit)d bytes") % {"limit": MAX_BYTES})
    _require_depth(schema, 0)
    _count(schema, schema, (), {})
    try:
        Draft202012Validator.check_schema(without_patterns(schema))
    except SchemaError as error:
        raise SchemaRefused(_("the schema is not valid: %(why)s") % {"why": error.message[:200]}) from error


def resolved(node: Schema, root: Schema) -> Schema:
    """Return `node`, or what it refers to with what is said beside the reference. Raises SchemaRefused."""
    if "$ref" not in node:
        return node
    target = _target(str(node["$ref"]), root)
    beside = {name: value for name, value in node.items() if name != "$ref"}
    return {**resolved(target, root), **beside}


def without_patterns(node: Any) -> Any:
    """Return the schema without the patterns that could run for long; the server checks those itself."""
    if isinstance(node, list):
        return [without_patterns(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {name: value for name, value in node.items() if not _is_refused_pattern(name, value)}
    return {name: without_patterns(value) for name, value in kept.items()}


def misfit(schema: Schema, value: Any) -> str:
    """Return how `value` does not fit the schema; an empty string when it does.

    The schema has passed `check_bounded`. Nothing is fetched; a text too long for its pattern does not fit,
    nor does what takes longer than `CHECK_SECONDS`: many items times many rules can take hours.
    """
    checker = _Validator(without_patterns(dict(schema)), registry=referencing.Registry())
    until = _until.set(time.thread_time() + CHECK_SECONDS)
    try:
        error = next(iter(checker.iter_errors(value)), None)
    except _TooLong:
        return _("it takes too long to check")
    finally:
        _until.reset(until)
    if error is None:
        return ""
    place = ".".join(str(part) for part in error.absolute_path)
    return f"{place}: {error.validator}" if place else str(error.validator)


def _require_depth(node: Any, depth: int) -> None:
    if depth > MAX_DEPTH * 2:  # a level of a schema is a keyword and what it holds
        raise SchemaRefused(_("the schema is nested too deeply"))
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _require_depth(child, depth + 1)


def _count(node: Any, root: Schema, path: tuple[str, ...], known: dict[str, int]) -> int:
    """Return how many parts `node` has with its references written out. Raises SchemaRefused."""
    if isinstance(node, list):
        total = 1 + sum(_count(item, root, path, known) for item in node)
    elif isinstance(node, dict):
        foreign = next((name for name in _FOREIGN if name in node), None)
        if foreign:
            raise SchemaRefused(_("it uses %(keyword)s, which is not supported") % {"keyword": foreign})
        # The root's shelves are counted where something refers to them; elsewhere these are common names.
        shelved = ("$defs", "definitions") if node is root else ()
        children = (value for name, value in node.items() if name not in shelved)
        total = 1 + sum(_count(child, root, path, known) for child in children)
        if isinstance(node.get("$ref"), str):
            total += _count_target(node["$ref"], root, path, known)
    else:
        return 0
    if total > MAX_PARTS:
        raise SchemaRefused(_("the schema has more than %(limit)d parts") % {"limit": MAX_PARTS})
    return total


def _count_target(ref: str, root: Schema, path: tuple[str, ...], known: dict[str, int]) -> int:
    if ref in path:
        raise SchemaRefused(_("it refers to itself"))
    if ref not in known:
        known[ref] = _count(_target(ref, root), root, (*path, ref), known)
    return known[ref]


def _target(ref: str, root: Schema) -> dict[str, Any]:
    found = _LOCAL.match(ref)
    shelf = root.get(found[1]) if found else None
    target = shelf.get(found[2]) if found and isinstance(shelf, dict) else None
    if not isinstance(target, dict):
        raise SchemaRefused(_("it refers to “%(ref)s”, which is not in it") % {"ref": ref[:100]})
    return target


def _is_refused_pattern(name: str, value: Any) -> bool:
    if name == "patternProperties":
        return isinstance(value, dict)
    return name == "pattern" and isinstance(value, str) and bool(patterns.problem(value))


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(value, str):
        return
    if len(value) > patterns.MAX_TEXT or not re.search(pattern, value):
        yield ValidationError("it does not have the expected form")


def _unique(validator: Any, wanted: bool, value: Any, schema: Any) -> Iterator[ValidationError]:
    """As in the standard, without comparing every item with every other."""
    if wanted and isinstance(value, list) and len({dumps(item) for item in value}) != len(value):
        yield ValidationError("it holds an item twice")


class _TooLong(Exception):
    """The time for checking one value is used up."""


def _in_time(check: Any) -> Any:
    """Return a rule that is applied only while there is time left."""

    def checked(*args: Any) -> Any:
        if time.thread_time() > _until.get():
            raise _TooLong
        return check(*args)

    return checked


_RULES = {**Draft202012Validator.VALIDATORS, "pattern": _pattern, "uniqueItems": _unique}
_Validator = validators.extend(
    Draft202012Validator, {name: _in_time(check) for name, check in _RULES.items()}
)
