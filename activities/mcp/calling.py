"""One call of a reviewed tool: checked against what is stored, sent within deadlines, its answer judged."""

from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from pydantic import ValidationError

from activities.mcp.failures import Answered, NotConnected, Rejected, ServerFailure
from activities.mcp.health import require_turn, was_ill, was_well
from activities.mcp.objects import put_together
from activities.mcp.reading import read_if_due
from activities.mcp.schemas import misfit
from activities.mcp.shapes import shape_of
from activities.mcp.target import target_of
from activities.mcp.texts import McpText
from activities.mcp.waiting import Stopped, wait_for
from activities.models import McpTool, McpToolState
from activities.tools import (
    ToolArgumentError,
    ToolContext,
    ToolContract,
    ToolError,
    ToolOutcomeUnknown,
    ToolParams,
    ToolRefused,
    ToolResult,
    ToolUnavailable,
)
from agentapp.kernel.canonical import dumps, plain
from agentapp.kernel.errors import MandateError
from agentapp.kernel.text import clean_text, clean_value, shorten

#: To connect, greet and take leave: what a contract's time has besides the server's own.
TOTAL_BESIDES_CALL = 20
#: The name under which a call's key travels: the same for every attempt at one call.
IDEMPOTENCY_KEY = "mandate/idempotency-key"


class DefinitionChanged(ToolRefused):
    """The tool is not what was reviewed any more. The run stops by this name."""

    code = "contract_changed"


class UnusableAnswer(ToolOutcomeUnknown):
    """The server did something, and its answer is not what it declares."""

    code = "invalid_result"


def call_tool(contract: ToolContract, tool_id: UUID, context: ToolContext, params: ToolParams) -> ToolResult:
    """Call the tool, if it still is what its contract was made of. Raises the tools' own errors."""
    tool = _current(tool_id, contract.definition, context)
    require_turn(tool.server)
    arguments = put_together(shape_of(tool.definition), on_the_wire(params))
    try:
        if read_if_due(tool.server):
            tool = _current(tool_id, contract.definition, context)
        answered = _exchange(tool, arguments, context)
    except (Rejected, ToolError):
        raise
    except ServerFailure as failure:
        was_ill(tool.server, str(failure))
        raise ToolUnavailable(_said(tool, failure)) from failure
    except MandateError as error:
        raise ToolUnavailable(_said(tool, error)) from error
    was_well(tool.server)
    return _result(tool, contract.result_model, answered)


def on_the_wire(params: ToolParams) -> dict[str, Any]:
    """Return the values as JSON; what was left out stays out. Raises ToolArgumentError."""
    given = ((name, value) for name, value in params if value is not None)
    return {name: _json(name, value) for name, value in given}


def _json(name: str, value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_json(name, item) for item in value]
    if not isinstance(value, Decimal):
        return plain(value)
    number: int | float = int(value) if value == value.to_integral_value() else float(value)
    if Decimal(str(number)) != value:
        raise ToolArgumentError([name], _("This number has more digits than the server can be sent."))
    return number


def _current(tool_id: UUID, definition: str, context: ToolContext) -> McpTool:
    """Return the tool as it is stored. Raises DefinitionChanged unless it may be used as it was reviewed."""
    tool = (
        McpTool.objects.select_related("server__workspace")
        .filter(pk=tool_id, server__workspace=context.workspace)
        .first()
    )
    if tool is None:
        raise DefinitionChanged(_("This tool does not exist any more."))
    pinned = tool.state == McpToolState.REVIEWED and tool.definition_hash == tool.pinned_hash == definition
    if not (pinned and tool.usable and tool.server.enabled):
        reason = tool.get_reason_display() or tool.get_state_display()
        raise DefinitionChanged(_("“%(tool)s” is not used: %(why)s.") % {"tool": tool, "why": reason})
    return tool


def _exchange(tool: McpTool, arguments: Mapping[str, Any], context: ToolContext) -> Answered:
    """Send the call and wait. From the moment it left, a failure is an outcome that nobody knows."""
    from activities.mcp import session  # the protocol's SDK takes 35 MB: only who calls a server loads it

    server = tool.server
    left: list[bool] = []
    do = partial(
        session.call,
        target_of(server),
        float(server.timeout_seconds),
        server.max_result_bytes,
        name=tool.name,
        arguments=dict(arguments),
        meta={IDEMPOTENCY_KEY: context.idempotency_key},
        sent=lambda: left.append(True),
    )
    try:
        return wait_for(do, context.stopped)
    except Rejected as refusal:
        was_well(server)
        raise ToolError(_("%(server)s refuses the call: %(why)s") % _quoted(tool, str(refusal))) from refusal
    except Stopped as stopped:
        if left and not tool.reads_only:
            raise ToolOutcomeUnknown(_("It was stopped while the action was under way.")) from stopped
        raise ToolUnavailable(_("It was stopped before anything happened.")) from stopped
    except ServerFailure as failure:
        if tool.reads_only or not left or isinstance(failure, NotConnected):
            raise
        was_ill(server, str(failure))
        raise ToolOutcomeUnknown(_said(tool, failure)) from failure


def _result(tool: McpTool, model: type[ToolResult], answered: Answered) -> ToolResult:
    if answered.is_error:
        told = " ".join(answered.texts)
        raise ToolError(_("%(server)s reports an error: %(why)s") % _quoted(tool, told))
    schema = tool.definition.get("outputSchema")
    if schema is not None and (problem := misfit(schema, answered.structured)):
        raise _unusable(tool, problem)
    if model is McpText:
        text = "\n".join(answered.texts) or ("" if schema is None else dumps(answered.structured))
        return McpText(text=clean_text(text))
    try:
        return model.model_validate(clean_value(answered.structured))
    except ValidationError as error:
        raise _unusable(tool, error.errors()[0]["msg"]) from error


def _unusable(tool: McpTool, problem: str) -> ToolError:
    sentence = _("The answer of %(server)s is not what it declares (%(why)s).") % {
        "server": tool.server.name,
        "why": shorten(clean_text(problem), 200),
    }
    return ToolError(sentence) if tool.reads_only else UnusableAnswer(sentence)


def _said(tool: McpTool, error: Exception) -> str:
    return f"{tool.server.name}: {error}"


def _quoted(tool: McpTool, text: str) -> dict[str, str]:
    """What a server wrote, short and marked as its words: it is data, for people and models alike."""
    return {"server": tool.server.name, "why": f"“{shorten(clean_text(text), 300)}”"}
