"""Reading a server's tools, and finding out what became of those that are known."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import ActorKind, User
from activities.discovery.index import refresh
from activities.mcp.failures import NotConnected, ServerFailure
from activities.mcp.health import was_ill, was_well
from activities.mcp.history import record
from activities.mcp.names import MAX_NAME, key_for
from activities.mcp.servers import ADDRESS
from activities.mcp.shapes import Shape, shape_of
from activities.mcp.target import target_of
from activities.mcp.waiting import wait_for
from activities.models import McpReason, McpServer, McpTool, McpToolParam, McpToolState
from agentapp.kernel.canonical import canonical_bytes, digest
from agentapp.kernel.errors import Actor, MandateError
from agentapp.kernel.text import clean_value, shorten

Definition = dict[str, Any]
READ_SECONDS = 20.0
MAX_LIST_BYTES = 20_000_000
MAX_DEFINITION_BYTES = 100_000
#: In use, the definitions are compared with the server's own at most this old.
READ_AGAIN_AFTER = timedelta(minutes=5)


class ServerFailed(MandateError):
    """The server's tools could not be read; nothing was changed."""

    code = "mcp_server_failed"
    status = 502
    actor = Actor.OPERATOR


@dataclass
class Reading:
    """What a reading found, by the tools' keys. `refused` counts entries that are no usable definitions."""

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    refused: int = 0

    @property
    def found_something(self) -> bool:
        return bool(self.new or self.changed or self.gone or self.back or self.refused)


def tools_read(server: McpServer, *, actor: User | None) -> Reading:
    """Read the server's tools now, whatever its state, and record what changed. Raises ServerFailed."""
    try:
        definitions = _list(server)
    except ServerFailure as failure:
        was_ill(server, str(failure))
        raise ServerFailed(str(failure)) from failure
    was_well(server)
    return take_over(server, definitions, actor=actor)


def read_if_due(server: McpServer) -> bool:
    """Compare definitions with the server's own when that was long ago; False when it was not due.

    One of several callers does it. Raises NotConnected: then nothing was asked of any tool.
    """
    now = timezone.now()
    if server.read_at is not None and server.read_at > now - READ_AGAIN_AFTER:
        return False
    mine = McpServer.objects.filter(pk=server.pk, read_at=server.read_at)
    if not mine.update(read_at=now):
        return False
    try:
        take_over(server, _list(server), actor=None)
    except ServerFailure as failure:
        McpServer.objects.filter(pk=server.pk, read_at=now).update(read_at=server.read_at)
        raise NotConnected(str(failure)) from failure
    return True


@transaction.atomic
def take_over(server: McpServer, definitions: Sequence[Definition], *, actor: User | None) -> Reading:
    """Store what the server offers. A changed tool goes into quarantine, a missing one is gone.

    Raises ServerFailed when the server got another address since `server` was read.
    """
    locked = McpServer.objects.select_for_update(of=("self",)).select_related("workspace").get(pk=server.pk)
    if any(getattr(locked, name) != getattr(server, name) for name in ADDRESS):
        raise ServerFailed(_("The server's address was changed meanwhile. Read its tools again."))
    known = {tool.name: tool for tool in locked.tools.prefetch_related("params")}
    reading, in_use = Reading(), [tool.key for tool in known.values() if tool.state == McpToolState.REVIEWED]
    offered = _usable_definitions(definitions, reading)
    fresh = []
    for position, (name, definition) in enumerate(offered.items()):
        tool = known.get(name)
        if tool is None:
            fresh.append(_new(locked, name, position, definition))
        else:
            _meet_again(tool, position, definition, reading)
    _create(fresh, reading)
    for tool in (tool for name, tool in known.items() if name not in offered):
        _vanish(tool, reading)
    McpServer.objects.filter(pk=locked.pk).update(read_at=timezone.now())
    if reading.found_something:
        _record(locked, reading, actor)
    touched = {*in_use, *reading.back} & {*reading.changed, *reading.gone, *reading.back}
    if touched:
        refresh(workspace=locked.workspace, keys=touched)
    return reading


def _list(server: McpServer) -> list[Definition]:
    from activities.mcp import session  # the protocol's SDK takes 35 MB: only who calls a server loads it

    return wait_for(partial(session.list_tools, target_of(server), READ_SECONDS, MAX_LIST_BYTES))


def _usable_definitions(definitions: Sequence[Definition], reading: Reading) -> dict[str, Definition]:
    """Return the definitions that can be stored, by name; the first of two with one name counts."""
    found: dict[str, Definition] = {}
    for raw in definitions:
        definition: Any = clean_value(raw)
        name = definition.get("name")
        if (
            not isinstance(name, str)
            or not 0 < len(name) <= MAX_NAME
            or name in found
            or not _storable(definition)
        ):
            reading.refused += 1
        else:
            found[name] = definition
    return found


def _storable(definition: Definition) -> bool:
    try:
        return len(canonical_bytes(definition)) <= MAX_DEFINITION_BYTES
    except (ValueError, TypeError, RecursionError):
        return False


def _new(server: McpServer, name: str, position: int, definition: Definition) -> McpTool:
    return McpTool(
        server=server,
        name=name,
        key=key_for(server, name),
        position=position,
        definition=definition,
        definition_hash=digest(definition),
        usable=not shape_of(definition).unusable,
        **_words(definition),
    )


def _words(definition: Definition) -> dict[str, Any]:
    """Return the server's own words for the tool, until a designer writes others."""
    title, description = definition.get("title"), definition.get("description")
    return {
        "title": {"en": shorten(title, 100)} if isinstance(title, str) and title.strip() else {},
        "summary": shorten(description, 200) if isinstance(description, str) else "",
    }


def _create(tools: list[McpTool], reading: Reading) -> None:
    taken = set(McpTool.objects.filter(key__in=[tool.key for tool in tools]).values_list("key", flat=True))
    kept: dict[str, McpTool] = {}
    for tool in tools:
        if tool.key in taken or tool.key in kept:
            reading.refused += 1
        else:
            kept[tool.key] = tool
    McpTool.objects.bulk_create(kept.values())
    McpToolParam.objects.bulk_create(
        row for tool in kept.values() for row in unsettled(tool, shape_of(tool.definition), ())
    )
    reading.new.extend(kept)


def unsettled(tool: McpTool, shape: Shape, known: Sequence[str]) -> list[McpToolParam]:
    """Return rows for the parameters that have none yet: never the agent's where they may name a record."""
    return [
        McpToolParam(tool=tool, position=position, name=param.name, agent=not param.names_record)
        for position, param in enumerate(shape.params)
        if param.name not in known
    ]


def _meet_again(tool: McpTool, position: int, definition: Definition, reading: Reading) -> None:
    found = digest(definition)
    if found != tool.definition_hash:
        _change(tool, definition, found)
        reading.changed.append(tool.key)
    elif tool.state == McpToolState.GONE:
        _return(tool)
        reading.back.append(tool.key)
    elif tool.position == position:
        return
    tool.position = position
    tool.version += 1
    tool.save()


def _change(tool: McpTool, definition: Definition, found: str) -> None:
    """Take the new definition. What was reviewed before stays pinned, to be compared with."""
    shape = shape_of(definition)
    tool.definition, tool.definition_hash = definition, found
    tool.usable = not shape.unusable
    McpToolParam.objects.bulk_create(unsettled(tool, shape, [param.name for param in tool.params.all()]))
    if tool.pinned_hash:
        tool.state, tool.reason = McpToolState.QUARANTINED, McpReason.CHANGED
    else:
        tool.state, tool.reason = McpToolState.PENDING, ""
        for name, value in _words(definition).items():
            setattr(tool, name, value)


def _return(tool: McpTool) -> None:
    """A tool is again what it was before it vanished; what was in quarantine then still is."""
    if tool.reason != McpReason.VANISHED:
        tool.state = McpToolState.QUARANTINED
    else:
        tool.state = McpToolState.REVIEWED if tool.pinned_hash else McpToolState.PENDING
        tool.reason = ""


def _vanish(tool: McpTool, reading: Reading) -> None:
    if tool.state == McpToolState.GONE:
        return
    tool.state, tool.reason = McpToolState.GONE, tool.reason or McpReason.VANISHED
    tool.version += 1
    tool.save()
    reading.gone.append(tool.key)


def _record(server: McpServer, reading: Reading, actor: User | None) -> None:
    found = {name: getattr(reading, name) for name in ("new", "changed", "gone", "back", "refused")}
    kind = None if actor else ActorKind.SYSTEM
    record(server, "mcp_server.tools_read", actor, found, actor_kind=kind)
