"""From a reviewed tool to its contract: the server's schema, the designer's decisions, nothing else."""

import threading
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from django.utils.functional import lazy
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from activities.mcp.calling import TOTAL_BESIDES_CALL, call_tool
from activities.mcp.making import Halves, halves_of
from activities.mcp.objects import require_whole
from activities.mcp.shapes import shape_of
from activities.mcp.types import NotTyped
from activities.models import McpTool
from activities.models.fields import Texts, in_language
from activities.tools import (
    Effect,
    Preview,
    PreviewLine,
    Risk,
    ToolContext,
    ToolContract,
    ToolParams,
    ToolResult,
)
from activities.tools.contract import ParamContract
from agentapp.kernel.errors import Misconfigured

_MAKING = threading.Lock()


class McpContract(ToolContract):
    """The contract of a server's tool. Its typed halves are made when they are first asked for.

    That takes some milliseconds a tool: who lists hundreds of them asks for no halves.
    """

    _tool: McpTool

    @property
    def _halves(self) -> Halves:
        """Made once, whatever threads ask at once: a result is of the class that its contract names."""
        with _MAKING:
            if "_made" not in self.__dict__:
                self.__dict__["_made"] = self._make()
            made: Halves = self.__dict__["_made"]
            return made

    def _make(self) -> Halves:
        try:
            return halves_of(self._tool)
        except NotTyped as refusal:  # it was usable when it was reviewed, by an older version of this site
            raise Misconfigured(f"Tool {self.key!r} cannot be used any more: {refusal}.") from refusal

    @cached_property
    def params_model(self) -> type[ToolParams]:
        return self._halves.params_model

    @cached_property
    def result_model(self) -> type[ToolResult]:
        return self._halves.result_model

    @cached_property
    def params(self) -> tuple[ParamContract, ...]:
        return self._halves.params

    @cached_property
    def params_schema(self) -> Mapping[str, Any]:
        return self._halves.params_schema

    @cached_property
    def result_schema(self) -> Mapping[str, Any]:
        return self._halves.result_schema


def contract_of(tool: McpTool) -> ToolContract:
    """Return the contract of a reviewed tool, its server and parameters read."""
    server = tool.server
    title = in_every_language(tool.title, tool.name)
    contract = object.__new__(McpContract)  # the dataclass would want the halves now
    contract.__dict__.update(
        _tool=tool,
        key=tool.key,
        title=title,
        summary=tool.summary,
        aliases=_phrases(tool.aliases),
        when_not_to_use=tool.when_not_to_use,
        risk=Risk(tool.risk),
        effect=Effect.NONE if tool.reads_only else Effect.EXTERNAL,
        permission=server.permission,
        function=partial(call_tool, contract, tool.pk),
        examples=_phrases(tool.examples),
        tags=tuple(tool.tags),
        guard=partial(_guard, tool.definition),
        preview=partial(_preview, tool.definition, title, server.name),
        timeout_seconds=server.timeout_seconds + TOTAL_BESIDES_CALL,
        protected={},
        result_refs={},
        source=server.source,
        workspace_id=server.workspace_id,
        definition=tool.definition_hash,
    )
    return contract


def _phrases(words: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {language: tuple(phrases) for language, phrases in words.items()}


def _in_language(texts: Texts, otherwise: str) -> str:
    return in_language(texts, (get_language() or "en")[:2]) or otherwise


#: A text in the language of whoever reads it.
in_every_language = lazy(_in_language, str)


def _guard(definition: Mapping[str, Any], context: ToolContext, params: ToolParams) -> None:
    """Refuse an object of which a part is missing, before anybody is asked to confirm it."""
    require_whole(shape_of(definition), (name for name, value in params if value is not None))


def _preview(
    definition: Mapping[str, Any], title: Any, server: str, context: ToolContext, params: ToolParams
) -> Preview:
    """What a person confirms where no app can say what it means: the tool, the server, every argument."""
    names = {param.name: ".".join(param.path) for param in shape_of(definition).params}
    given = {names[name]: value for name, value in params if value is not None}
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
