"""What changed in a tool's definition since it was reviewed, place by place."""

from collections.abc import Iterator, Mapping
from typing import Any

from activities.difference import Change
from activities.models import McpTool
from agentapp.kernel.canonical import dumps

#: More than these are not shown one by one.
MOST = 100


def changes_of(tool: McpTool) -> list[Change]:
    """Return the differences of the definition from the reviewed one; none when nothing was reviewed."""
    if tool.pinned is None or tool.pinned_hash == tool.definition_hash:
        return []
    return list(_changes((), tool.pinned, tool.definition))[:MOST]


def _changes(path: tuple[str, ...], before: Any, after: Any) -> Iterator[Change]:
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in sorted({*before, *after}):
            yield from _changes((*path, str(name)), before.get(name), after.get(name))
    else:
        yield Change(path, " › ".join(path), _told(before), _told(after))


def _told(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return dumps(value)
