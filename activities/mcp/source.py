"""The registry's source of reviewed MCP tools.

A contract is built once per process and kept under the versions it was made of. Whether it still holds is
asked of the database each time, with one short query: what one process puts in quarantine, no other executes.
"""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from activities.mcp.contracts import contract_of
from activities.mcp.making import problem_of
from activities.models import McpTool, McpToolState
from activities.tools import ToolContract
from activities.tools.registry import RESERVED

#: Which row, and how often it and its server were changed.
Version = tuple[UUID, int, int]
_VERSION = ("pk", "version", "server__version")


@dataclass(frozen=True)
class _Built:
    version: Version
    contract: ToolContract


class McpSource:
    """Reads reviewed tools of enabled servers. Safe in threads: what is kept is replaced, never changed."""

    def __init__(self) -> None:
        self._built: dict[str, _Built] = {}
        self._building = threading.Lock()

    def get(self, key: str) -> ToolContract | None:
        version = _usable().filter(key=key).values_list(*_VERSION).first()
        if version is None:
            self._built.pop(key, None)
            return None
        known = self._built.get(key)
        return known.contract if known and known.version == version else self._build([key]).get(key)

    def why_not(self, key: str) -> str:
        tool = McpTool.objects.select_related("server").filter(key=key).first()
        if tool is None:
            return ""
        if not tool.server.enabled:
            return _("its server is switched off")
        if tool.state == McpToolState.REVIEWED:
            return "" if tool.usable else problem_of(tool)
        return str(tool.get_reason_display() or tool.get_state_display())

    def by_wire_name(self, name: str) -> ToolContract | None:
        """A server's key has no underscore, so that a wire name tells server and tool apart."""
        parts = name.split("_", 2)
        if len(parts) != 3 or parts[0] != RESERVED.rstrip("."):
            return None
        return self.get(".".join(parts))

    def many(self, keys: Sequence[str]) -> dict[str, ToolContract]:
        return self._current(_usable().filter(key__in=keys))

    def __iter__(self) -> Iterator[ToolContract]:
        return iter(self._current(_usable()).values())

    def _current(self, tools: QuerySet[McpTool]) -> dict[str, ToolContract]:
        """Return the contracts of these tools: one query for their versions, another for what is not kept."""
        versions: dict[str, Version] = {
            key: (pk, own, servers) for key, pk, own, servers in tools.values_list("key", *_VERSION)
        }
        kept = {key: known for key in versions if (known := self._built.get(key)) is not None}
        current = {key: known.contract for key, known in kept.items() if known.version == versions[key]}
        stale = [key for key in versions if key not in current]
        return {**current, **(self._build(stale) if stale else {})}

    def _build(self, keys: list[str]) -> dict[str, ToolContract]:
        """Make the contracts of these tools from what is stored now."""
        with self._building:
            found = _usable().filter(key__in=keys).select_related("server").prefetch_related("params")
            built = {
                tool.key: _Built((tool.pk, tool.version, tool.server.version), contract_of(tool))
                for tool in found
            }
            self._built |= built
        return {key: each.contract for key, each in built.items()}


def _usable() -> QuerySet[McpTool]:
    """The tools that may be used: reviewed, exactly as reviewed, of a server that is switched on."""
    return McpTool.objects.filter(
        state=McpToolState.REVIEWED, usable=True, definition_hash=F("pinned_hash"), server__enabled=True
    )


source = McpSource()
