"""From a reviewed tool to its contract: the server's schema, the designer's decisions, nothing else."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.utils.functional import lazy
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from activities.mcp.calling import TOTAL_BESIDES_CALL, call_tool
from activities.mcp.making import halves_of
from activities.mcp.types import NotTyped
from activities.models import McpTool
from activities.models.fields import Texts, in_language
from activities.tools import Effect, Preview, PreviewLine, Risk, ToolContext, ToolContract, ToolParams


def contract_of(tool: McpTool) -> ToolContract | None:
    """Return the contract of a tool, its server and parameters read; None when none can be made."""
    try:
        halves = halves_of(tool)
    except NotTyped:
        return None
    server = tool.server
    title = in_every_language(tool.title, tool.name)
    return ToolContract(
        key=tool.key,
        title=title,
        summary=tool.summary,
        aliases=_phrases(tool.aliases),
        when_not_to_use=tool.when_not_to_use,
        risk=Risk(tool.risk),
        effect=Effect.NONE if tool.reads_only else Effect.EXTERNAL,
        permission=server.permission,
        function=partial(call_tool, tool.pk, tool.definition_hash),
        params_model=halves.params_model,
        result_model=halves.result_model,
        params=halves.params,
        params_schema=halves.params_schema,
        result_schema=halves.result_schema,
        examples=_phrases(tool.examples),
        tags=tuple(tool.tags),
        preview=partial(_preview, title, server.name),
        timeout_seconds=server.timeout_seconds + TOTAL_BESIDES_CALL,
        source=server.source,
        workspace_id=server.workspace_id,
        definition=tool.definition_hash,
    )


def _phrases(words: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {language: tuple(phrases) for language, phrases in words.items()}


def _in_language(texts: Texts, otherwise: str) -> str:
    return in_language(texts, (get_language() or "en")[:2]) or otherwise


#: A text in the language of whoever reads it.
in_every_language = lazy(_in_language, str)


def _preview(title: Any, server: str, context: ToolContext, params: ToolParams) -> Preview:
    """What a person confirms where no app can say what it means: the tool, the server, every argument."""
    given = {name: value for name, value in params if value is not None}
    return Preview(
        summary=_("“%(tool)s” of %(server)s is called with exactly these values.")
        % {"tool": title, "server": server},
        lines=tuple(PreviewLine(name, _shown(value)) for name, value in given.items()),
        warning=_("The action happens in another system, which says itself what it did."),
    )


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value))
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(value)
