"""Reviewing tools: what a designer settles about one, and taking one out of use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from activities.actions.authority import require_workspace
from activities.discovery.index import refresh
from activities.mcp.history import record
from activities.mcp.making import problem_of
from activities.mcp.shapes import shape_of
from activities.models import McpReason, McpServer, McpTool, McpToolParam, McpToolState
from activities.tools import registry
from agentapp.kernel.errors import Conflict, InvalidInput


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
def tool_review(
    tool: McpTool,
    part: ReviewPart,
    *,
    definition_hash: str,
    actor: User | None,
    version: int | None = None,
) -> McpTool:
    """Let a tool be used as it is defined now, on these terms; the definition is pinned.

    `definition_hash` is of the definition that was looked at, `version` of the terms, where they were. Raises
    NotAllowed, InvalidInput, and Conflict when one of them changed meanwhile.
    """
    require_workspace(actor, tool.server.workspace)
    _require_as_seen(_locked_tool(tool), version)
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
    record(locked.server, "mcp_tool.reviewed", actor, {"tool": locked.key, **changes})
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
    record(locked.server, "mcp_tool.quarantined", actor, {"tool": locked.key})
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


def _require_as_seen(locked: McpTool, version: int | None) -> None:
    """What somebody else settled is not undone by who has not seen it. Raises Conflict."""
    if version is not None and locked.version != version:
        raise Conflict(_("The tool was changed while you looked at it. Look at it again."))


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


def _locked_tool(tool: McpTool) -> McpTool:
    rows = McpTool.objects.select_for_update(of=("self",)).select_related("server__workspace")
    return rows.get(pk=tool.pk)
