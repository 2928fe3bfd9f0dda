"""Where tools and reference types are known, by key: what apps declare, and what other sources have."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol
from uuid import UUID

from activities.tools.contract import ReferenceType, ToolContract
from agentapp.kernel.errors import Misconfigured

#: Keys that begin so belong to tools of MCP servers.
RESERVED = "mcp."


class Source(Protocol):
    """Where tools come from that no app declares. It answers for keys that begin with `RESERVED`."""

    def get(self, key: str) -> ToolContract | None:
        """Return the contract as it is now, None when there is none that may be used."""

    def many(self, keys: Sequence[str]) -> Mapping[str, ToolContract]:
        """Return those of these that may be used, by key."""

    def why_not(self, key: str) -> str:
        """Return why a tool that was there is not any more; empty for one that was never there."""

    def by_wire_name(self, name: str) -> ToolContract | None: ...

    def __iter__(self) -> Iterator[ToolContract]: ...


class Registry:
    """The tools and reference types of this process. Keys are unique; nothing is replaced.

    What apps declare is in memory. Other sources are asked each time; where names meet, the app's tool wins.
    """

    def __init__(self) -> None:
        self._tools: dict[str, ToolContract] = {}
        self._sources: list[Source] = []
        self._references: dict[str, ReferenceType] = {}

    def add(self, contract: ToolContract) -> None:
        """Register a tool. Raises Misconfigured when its key or its wire name is taken."""
        for known in self._tools.values():
            if known.key == contract.key or known.wire_name == contract.wire_name:
                raise Misconfigured(f"Two tools are called {contract.key!r}; rename one of them.")
        self._tools[contract.key] = contract

    def add_reference(self, kind: ReferenceType) -> None:
        """Register a reference type. Raises Misconfigured when its key is taken or its pattern is broken."""
        if kind.key in self._references:
            raise Misconfigured(f"Two reference types are called {kind.key!r}; rename one of them.")
        try:
            re.compile(kind.pattern)
        except re.error as error:
            raise Misconfigured(
                f"Reference type {kind.key!r}: its pattern is not a regular expression."
            ) from error
        self._references[kind.key] = kind

    def remove(self, key: str) -> None:
        """Forget a tool. For tests, which declare tools of their own."""
        self._tools.pop(key, None)

    def remove_reference(self, key: str) -> None:
        """Forget a reference type. For tests."""
        self._references.pop(key, None)

    def add_source(self, source: Source) -> None:
        """Ask `source` as well, from now on. The same one is asked once."""
        if source not in self._sources:
            self._sources.append(source)

    def get(self, key: str) -> ToolContract | None:
        known = self._tools.get(key)
        if known is not None or not key.startswith(RESERVED):
            return known
        found = (source.get(key) for source in self._sources)
        return next((each for each in found if each is not None and not self._taken(each)), None)

    def get_for(self, workspace_id: UUID, key: str) -> ToolContract | None:
        """Return the tool if it exists for this workspace; another workspace's is no tool here."""
        found = self.get(key)
        return found if found is not None and found.is_for(workspace_id) else None

    def many(self, keys: Iterable[str]) -> dict[str, ToolContract]:
        """Return those of these tools that exist, by key; in few queries, however many there are."""
        wanted = list(dict.fromkeys(keys))
        found = {key: tool for key in wanted if (tool := self._tools.get(key)) is not None}
        others = [key for key in wanted if key not in found and key.startswith(RESERVED)]
        for source in self._sources if others else ():
            found |= {key: tool for key, tool in source.many(others).items() if not self._taken(tool)}
        return {key: found[key] for key in wanted if key in found}

    def why_not(self, key: str) -> str:
        """Return why a tool that was there cannot be used now; empty when nothing is known of it."""
        if not key.startswith(RESERVED):
            return ""
        return next((why for source in self._sources if (why := source.why_not(key))), "")

    def reference(self, key: str) -> ReferenceType | None:
        return self._references.get(key)

    def by_wire_name(self, name: str) -> ToolContract | None:
        """Return the tool a model named exactly so. Nothing is guessed from a similar name."""
        known = next((tool for tool in self._tools.values() if tool.wire_name == name), None)
        if known is not None:
            return known
        return next((tool for each in self._sources if (tool := each.by_wire_name(name)) is not None), None)

    def declared(self) -> Iterator[ToolContract]:
        """Return the tools that installed apps declare, by key. They are in memory."""
        return iter(sorted(self._tools.values(), key=lambda tool: tool.key))

    def of(self, workspace_id: UUID) -> Iterator[ToolContract]:
        """Return the tools that exist for one workspace, by key."""
        return (tool for tool in self if tool.is_for(workspace_id))

    def __iter__(self) -> Iterator[ToolContract]:
        taken = {tool.wire_name for tool in self._tools.values()}
        more = [tool for source in self._sources for tool in source if tool.wire_name not in taken]
        return iter(sorted([*self._tools.values(), *more], key=lambda tool: tool.key))

    def _taken(self, contract: ToolContract) -> bool:
        """True when an app's tool has one of this tool's names."""
        return any(contract.wire_name == known.wire_name for known in self._tools.values())

    def references(self) -> list[ReferenceType]:
        return sorted(self._references.values(), key=lambda kind: kind.key)

    def check(self) -> None:
        """Raise Misconfigured for a tool that names a reference type nobody declared."""
        for contract in self.declared():
            named = {param.reference for param in contract.params} | set(contract.result_refs.values())
            unknown = sorted(named - set(self._references) - {""})
            if unknown:
                raise Misconfigured(f"Tool {contract.key!r} refers to {unknown[0]!r}, which no app declares.")


registry = Registry()


def reference(kind: ReferenceType) -> ReferenceType:
    """Register `kind` and return it."""
    registry.add_reference(kind)
    return kind
