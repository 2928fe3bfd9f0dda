"""The typed halves of a contract, made of a tool's definition and what its designer settled."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from activities.mcp.shapes import ParamShape, Shape, shape_of
from activities.mcp.texts import McpText
from activities.mcp.types import NotTyped, build
from activities.models import McpTool, McpToolParam
from activities.tools import Control, ControlledBy, Ref, ToolParams, ToolResult, registry
from activities.tools.contract import ParamContract
from activities.tools.declaring import params_of
from activities.tools.strict import NotStrict, strict_object


@dataclass(frozen=True)
class Halves:
    """The parameters and the result, as classes and as strict schemas."""

    params_model: type[ToolParams]
    result_model: type[ToolResult]
    params: tuple[ParamContract, ...]
    params_schema: dict[str, Any]
    result_schema: dict[str, Any]


def halves_of(tool: McpTool) -> Halves:
    """Return what a contract of this tool is made of. Raises NotTyped with the reason why not."""
    shape = shape_of(tool.definition)
    if shape.unusable:
        raise NotTyped(shape.unusable)
    try:
        return _halves(shape, {param.name: param for param in tool.params.all()})
    except (NotStrict, TypeError, ValueError) as error:
        raise NotTyped(str(error)[:500]) from error


def problem_of(tool: McpTool) -> str:
    """Return why no contract can be made of a tool; empty when one can."""
    try:
        halves_of(tool)
    except NotTyped as refusal:
        return str(refusal)
    return ""


def _halves(shape: Shape, settled: dict[str, McpToolParam]) -> Halves:
    fields = {param.name: _field(param, settled.get(param.name)) for param in shape.params}
    params: Any = build("Params", ToolParams, fields)
    result: Any = shape.result or McpText
    return Halves(params, result, params_of(params), strict_object(params), strict_object(result))


def _field(param: ParamShape, settled: McpToolParam | None) -> tuple[Any, Any]:
    """Return a parameter's declaration. One that nobody settled is fixed or comes from an input."""
    sources = [Control.INPUT, Control.FIXED] if settled is None else _sources(settled)
    annotation = param.typed.annotation if param.required else param.typed.annotation | None
    annotation = Annotated[annotation, ControlledBy(*sources)]
    if settled is not None and registry.reference(settled.reference) is not None:
        annotation = Annotated[annotation, Ref(settled.reference)]
    about: dict[str, Any] = {"description": param.description} if param.description else {}
    return annotation, Field(**about) if param.required else Field(default=None, **about)


def _sources(param: McpToolParam) -> list[Control]:
    allowed = (
        (Control.INPUT, param.from_input),
        (Control.FIXED, param.fixed),
        (Control.AGENT, param.agent),
    )
    return [control for control, yes in allowed if yes]
