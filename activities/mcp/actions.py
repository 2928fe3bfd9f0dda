"""What a designer does with MCP servers: set one up, switch it, review a tool, put one in quarantine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.models import ActorKind, User, Workspace
from activities.actions.authority import require_workspace
from activities.discovery.index import refresh
from activities.mcp.address import check_address
from activities.mcp.making import problem_of
from activities.mcp.secrets import check_variable
from activities.mcp.shapes import shape_of
from activities.models import (
    McpReason,
    McpSecret,
    McpServer,
    McpTool,
    McpToolParam,
    McpToolState,
    McpTransport,
)
from activities.tools import registry
from agentapp.kernel.errors import Conflict, InvalidInput

#: Where the server is: a change of these makes it another server.
ADDRESS = ("transport", "command", "args", "url")
SETTINGS = (
    "name", *ADDRESS, "allowed_hosts", "private_addresses", "timeout_seconds", "max_result_bytes", "enabled",
)  # fmt: skip


#: Headers that are the connection's own affair.
_HEADERS = frozenset(
    ("host", "content-length", "transfer-encoding", "connection", "accept", "accept-encoding", "content-type")
)


@dataclass(frozen=True)
class SecretPart:
    """A header or variable, and the environment variable that holds its value."""

    name: str
    variable: str
    prefix: str = ""


@dataclass(frozen=True)
class ParamPart:
    """Who may control a parameter, and which records its value names."""

    from_input: bool = True
    fixed: bool = True
    agent: bool = False
    reference: str = ""


@dataclass(frozen=True)
class ReviewPart:
    """What a designer settles about a tool."""

    summary: str
    title: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    examples: Mapping[str, Sequence[str]] = field(default_factory=dict)
    when_not_to_use: str = ""
    tags: Sequence[str] = ()
    risk: str = "high"
    reads_only: bool = False
    params: Mapping[str, ParamPart] = field(default_factory=dict)


@transaction.atomic
def server_create(
    *, workspace: Workspace, key: str, actor: User | None, secrets: Sequence[SecretPart] = (), **values: Any
) -> McpServer:
    """Add a server to a workspace; its tools are not read yet. Raises NotAllowed, InvalidInput, Conflict."""
    require_workspace(actor, workspace)
    if McpServer.objects.filter(key=key).exists():
        raise Conflict(_("The key “%(key)s” is taken. Choose another.") % {"key": key})
    server = McpServer(workspace=workspace, key=key)
    _set(server, values)
    server.save(force_insert=True)
    _write_secrets(server, secrets)
    _record(server, "mcp_server.created", actor, {"settings": _settings(server), "secrets": _names(secrets)})
    return server


@transaction.atomic
def server_update(
    server: McpServer, *, actor: User | None, secrets: Sequence[SecretPart] | None = None, **values: Any
) -> McpServer:
    """Change a server. At another address it is another server: its reviewed tools go into quarantine."""
    require_workspace(actor, server.workspace)
    locked = _locked(server)
    before = _settings(locked)
    known = _names(_secret_parts(locked))
    _set(locked, values)
    after, named = _settings(locked), known
    if secrets is not None:
        named = _names(secrets)
        locked.secrets.all().delete()
        _write_secrets(locked, secrets)
    if after == before and named == known:
        return locked
    locked.version += 1
    locked.retry_at, locked.failures = None, 0
    locked.save()
    moved = _quarantine_all(locked) if any(before[name] != after[name] for name in ADDRESS) else 0
    changes = {name: [before[name], after[name]] for name in after if before[name] != after[name]}
    about = {"changes": changes, "secrets": named, "quarantined": moved}
    _record(locked, "mcp_server.changed", actor, about)
    _cards(locked)
    return locked


@transaction.atomic
def tool_review(tool: McpTool, part: ReviewPart, *, definition_hash: str, actor: User | None) -> McpTool:
    """Let a tool be used as it is defined now, on these terms; the definition is pinned.

    `definition_hash` is of the definition that was looked at. Raises NotAllowed, InvalidInput, and Conflict
    when it changed meanwhile.
    """
    require_workspace(actor, tool.server.workspace)
    reviewed = _review(tool, part, definition_hash, actor)
    refresh(workspace=tool.server.workspace, keys=[reviewed.key])
    return reviewed


@transaction.atomic
def tools_review(
    server: McpServer, definition_hashes: Mapping[UUID, str], *, actor: User | None
) -> dict[str, str]:
    """Review several tools on the terms they have: of high risk, in the server's words, by their keys.

    Returns for each why it was not reviewed, empty when it was. Raises NotAllowed.
    """
    require_workspace(actor, server.workspace)
    tools = server.tools.filter(pk__in=definition_hashes).select_related("server__workspace")
    found = {tool.key: _tried(tool, definition_hashes[tool.pk], actor) for tool in tools}
    refresh(workspace=server.workspace, keys=[key for key, problem in found.items() if not problem])
    return found


def _tried(tool: McpTool, definition_hash: str, actor: User | None) -> str:
    try:
        with transaction.atomic():
            _review(tool, ReviewPart(summary=tool.summary, title=tool.title), definition_hash, actor)
    except (Conflict, InvalidInput) as refusal:
        return str(refusal)
    return ""


def _review(tool: McpTool, part: ReviewPart, definition_hash: str, actor: User | None) -> McpTool:
    locked = _locked_tool(tool)
    if locked.state == McpToolState.GONE:
        raise Conflict(_("The server does not offer this tool any more."))
    if locked.definition_hash != definition_hash:
        raise Conflict(_("The definition changed while you looked at it. Look at it again."))
    _check(locked, part)
    before = settled(locked)
    for name in ("summary", "when_not_to_use", "risk", "reads_only"):
        setattr(locked, name, getattr(part, name))
    locked.title, locked.tags = dict(part.title), list(part.tags)
    locked.aliases = {language: list(words) for language, words in part.aliases.items() if words}
    locked.examples = {language: list(words) for language, words in part.examples.items() if words}
    _write_params(locked, part)
    _pin(locked, actor)
    if problem := problem_of(McpTool.objects.prefetch_related("params").get(pk=locked.pk)):
        raise InvalidInput(_("This tool cannot be used: %(why)s.") % {"why": problem})
    changes = {"before": before, "after": settled(locked), "definition": definition_hash}
    _record(locked.server, "mcp_tool.reviewed", actor, {"tool": locked.key, **changes})
    return locked


@transaction.atomic
def tool_quarantine(tool: McpTool, *, actor: User | None) -> McpTool:
    """Take a reviewed tool out of use, at once and everywhere, until somebody reviews it again."""
    require_workspace(actor, tool.server.workspace)
    locked = _locked_tool(tool)
    if locked.state != McpToolState.REVIEWED:
        raise Conflict(_("Only a reviewed tool can be put in quarantine."))
    locked.state, locked.reason = McpToolState.QUARANTINED, McpReason.WITHDRAWN
    locked.version += 1
    locked.save()
    _record(locked.server, "mcp_tool.quarantined", actor, {"tool": locked.key})
    refresh(workspace=locked.server.workspace, keys=[locked.key])
    return locked


def settled(tool: McpTool) -> dict[str, Any]:
    """Return what was decided about a tool, for the history."""
    params = {
        row.name: [row.from_input, row.fixed, row.agent, row.reference]
        for row in tool.params.all().iterator()
    }
    names = ("summary", "when_not_to_use", "risk", "reads_only", "title", "aliases", "examples", "tags")
    return {**{name: getattr(tool, name) for name in names}, "params": params, "pinned": tool.pinned_hash}


def _check(tool: McpTool, part: ReviewPart) -> None:
    if not part.summary.strip():
        raise InvalidInput(_("Say in one sentence what the tool does."))
    if part.risk == "low" and not part.reads_only:
        raise InvalidInput(_("A tool that changes something is at least of medium risk."))
    shape = shape_of(tool.definition)
    if shape.unusable:
        raise InvalidInput(_("This tool cannot be used: %(why)s.") % {"why": shape.unusable})
    kinds = {param.name: param.typed.value_type for param in shape.params}
    for name, param in part.params.items():
        if name not in kinds:
            raise InvalidInput(_("The tool has no parameter “%(name)s”.") % {"name": name})
        _check_param(name, kinds[name], param)


def _check_param(name: str, kind: str, param: ParamPart) -> None:
    if not (param.from_input or param.fixed or param.agent):
        raise InvalidInput(_("Somebody must be able to control “%(name)s”.") % {"name": name})
    if not param.reference:
        return
    if registry.reference(param.reference) is None:
        raise InvalidInput(_("There are no records of this kind: %(kind)s.") % {"kind": param.reference})
    if kind != "text":
        raise InvalidInput(_("“%(name)s” is no text, so it cannot name a record.") % {"name": name})


def _write_params(tool: McpTool, part: ReviewPart) -> None:
    """Keep exactly the parameters of the definition; what the designer did not mention stays as it was."""
    shape, rows = shape_of(tool.definition), {row.name: row for row in tool.params.all()}
    tool.params.exclude(name__in=[param.name for param in shape.params]).delete()
    for position, param in enumerate(shape.params):
        row = rows.get(param.name) or McpToolParam(tool=tool, name=param.name, agent=not param.names_record)
        chosen = part.params.get(param.name)
        if chosen is not None:
            row.from_input, row.fixed, row.agent = chosen.from_input, chosen.fixed, chosen.agent
            row.reference = chosen.reference
        row.position = position
        row.save()


def _pin(tool: McpTool, actor: User | None) -> None:
    tool.pinned, tool.pinned_hash = tool.definition, tool.definition_hash
    tool.state, tool.reason, tool.usable = McpToolState.REVIEWED, "", True
    tool.reviewed_by, tool.reviewed_at = actor, timezone.now()
    tool.version += 1
    tool.save()


def _locked(server: McpServer) -> McpServer:
    return McpServer.objects.select_for_update(of=("self",)).select_related("workspace").get(pk=server.pk)


def _locked_tool(tool: McpTool) -> McpTool:
    rows = McpTool.objects.select_for_update(of=("self",)).select_related("server__workspace")
    return rows.get(pk=tool.pk)


def _set(server: McpServer, values: Mapping[str, Any]) -> None:
    """Take these settings over. Raises InvalidInput for one that is not usable."""
    unknown = sorted(set(values) - set(SETTINGS))
    if unknown:
        raise InvalidInput(_("This cannot be changed here."), fields=unknown)
    for name, value in values.items():
        setattr(server, name, value)
    if server.transport == McpTransport.STDIO:
        server.url, server.allowed_hosts, server.private_addresses = "", [], False
    else:
        server.command, server.args = "", []
    try:
        server.full_clean(validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        raise InvalidInput(" ".join(error.messages), fields=error.message_dict) from error
    check_address(server)


def _write_secrets(server: McpServer, secrets: Sequence[SecretPart]) -> None:
    for part in secrets:
        check_variable(server.workspace, part.variable)
        _check_name(server, part)
    if len({part.name.lower() for part in secrets}) < len(secrets):
        raise InvalidInput(_("A header or variable is named twice."))
    McpSecret.objects.bulk_create(
        McpSecret(server=server, name=part.name, variable=part.variable, prefix=part.prefix)
        for part in secrets
    )


def _check_name(server: McpServer, part: SecretPart) -> None:
    """Refuse what would change where a request goes, or which code a program runs."""
    usable = part.name.isascii() and part.name.replace("-", "").replace("_", "").isalnum()
    if server.transport == McpTransport.STDIO:
        taken = part.name.startswith(("LD_", "PYTHON", "NODE_")) or part.name in ("PATH", "HOME")
    else:
        taken = part.name.lower() in _HEADERS
    if not usable or taken or not part.prefix.isprintable() or not part.prefix.isascii():
        raise InvalidInput(_("“%(name)s” cannot be used as a header or variable.") % {"name": part.name})


def _quarantine_all(server: McpServer) -> int:
    reviewed = server.tools.filter(state=McpToolState.REVIEWED)
    found = reviewed.select_for_update().values_list("pk", flat=True)
    rows = McpTool.objects.filter(pk__in=list(found))
    return rows.update(state=McpToolState.QUARANTINED, reason=McpReason.MOVED)


def _cards(server: McpServer) -> None:
    keys = list(server.tools.exclude(pinned_hash="").values_list("key", flat=True))
    if keys:
        refresh(workspace=server.workspace, keys=keys)


def _settings(server: McpServer) -> dict[str, Any]:
    return {name: getattr(server, name) for name in SETTINGS}


def _secret_parts(server: McpServer) -> list[SecretPart]:
    return [SecretPart(row.name, row.variable, row.prefix) for row in server.secrets.all()]


def _names(secrets: Sequence[SecretPart]) -> list[str]:
    """Return what may be said of secrets: which variable goes where."""
    return sorted(f"{part.name} ← {part.variable}" for part in secrets)


def _record(server: McpServer, kind: str, actor: User | None, data: Mapping[str, Any]) -> None:
    audit.record(
        stream=server.pk,
        type=kind,
        workspace=server.workspace_id,
        actor=actor,
        actor_kind=ActorKind.PERSON if actor else ActorKind.OPERATOR,
        data={"server": server.key, **data},
    )
