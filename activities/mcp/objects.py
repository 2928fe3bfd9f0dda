"""Parameters that are fields of objects: put together before a call, and whole or not there at all."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from django.utils.translation import gettext as _

from activities.mcp.shapes import ObjectShape, ParamShape, Shape, name_of
from activities.tools import ToolArgumentError

_Placed = TypeVar("_Placed", ParamShape, ObjectShape)


def put_together(shape: Shape, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as the server declares them, of values by the names that the contract has."""
    given = [(param.path, values[param.name]) for param in shape.params if param.name in values]
    arguments: dict[str, Any] = {}
    for each in _needed(shape.objects, [path for path, _value in given]):
        _inside(arguments, each.path)
    for path, value in given:
        _inside(arguments, path[:-1])[path[-1]] = value
    return arguments


def require_whole(shape: Shape, given: Iterable[str]) -> None:
    """Raise ToolArgumentError when an object is begun and lacks what it needs. `given`: what has a value."""
    names = set(given)
    begun = [param.path for param in shape.params if param.name in names]
    lacking = [name_of(each.path) for each in _needed(shape.params, begun)]
    if missing := [name for name in lacking if name not in names]:
        sentence = _("Missing beside what is given of the same object: %(names)s.")
        raise ToolArgumentError(missing, sentence % {"names": ", ".join(missing)})


def _needed(shapes: Iterable[_Placed], begun: Sequence[tuple[str, ...]]) -> list[_Placed]:
    """Return those that cannot be missing once the values at `begun` are given."""
    needed = []
    for each in shapes:
        object_path = each.path[: each.needed_from]
        optional = object_path == each.path
        if not optional and any(path[: len(object_path)] == object_path for path in (*begun, ())):
            needed.append(each)
    return needed


def _inside(arguments: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return the object at `path`, made where it is not there yet."""
    for name in path:
        arguments = arguments.setdefault(name, {})
    return arguments
