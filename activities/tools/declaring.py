"""Declaring a tool: a typed function of an app becomes a contract.

`tools.py` of every installed app is imported at start; each declaration is checked completely here, so that
a wrong one stops the start with the tool's name instead of a run with a surprise.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from activities.tools.contract import (
    ControlledBy,
    Effect,
    ParamContract,
    Preview,
    Protected,
    Ref,
    Risk,
    ToolContext,
    ToolContract,
    ToolParams,
    ToolResult,
)
from activities.tools.registry import RESERVED, registry
from activities.tools.strict import NotStrict, strict_object, unwrap_optional
from agentapp.kernel.errors import Misconfigured

_KEY = re.compile(r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$")
#: As long as the columns that hold a tool's key.
MAX_KEY = 100
_PERMISSION = re.compile(r"^[a-z_]+\.[a-z_]+$")
Function = TypeVar("Function", bound=Callable[..., ToolResult])


def tool(
    *,
    key: str,
    title: Any,
    summary: str,
    aliases: Mapping[str, tuple[str, ...]],
    when_not_to_use: str,
    risk: Risk,
    effect: Effect,
    permission: str,
    examples: Mapping[str, tuple[str, ...]] | None = None,
    tags: tuple[str, ...] = (),
    prepare: Callable[[ToolContext, Any], Any] | None = None,
    guard: Callable[[ToolContext, Any], None] | None = None,
    preview: Callable[[ToolContext, Any], Preview] | None = None,
    timeout_seconds: float = 30.0,
) -> Callable[[Function], Function]:
    """Declare the decorated function `(ctx: ToolContext, params: P) -> R` a tool. See ToolContract.

    Raises Misconfigured, naming the tool, for anything missing or not expressible.
    """

    def declare(function: Function) -> Function:
        try:
            params_model, result_model = _models(function)
            contract = ToolContract(
                key=key,
                title=title,
                summary=summary,
                aliases=dict(aliases),
                when_not_to_use=when_not_to_use,
                risk=Risk(risk),
                effect=Effect(effect),
                permission=permission,
                function=function,
                params_model=params_model,
                result_model=result_model,
                params=params_of(params_model),
                params_schema=strict_object(params_model),
                result_schema=strict_object(result_model),
                examples=dict(examples or {}),
                tags=tags,
                prepare=prepare,
                guard=guard,
                preview=preview,
                timeout_seconds=timeout_seconds,
                protected=dict(_marked(result_model, Protected)),
                result_refs={path: mark.type for path, mark in _marked(result_model, Ref)},
            )
            _check(contract)
        except (NotStrict, ValueError, TypeError) as error:
            raise Misconfigured(f"Tool {key!r} is not declared correctly: {error}") from error
        registry.add(contract)
        return function

    return declare


def _check(contract: ToolContract) -> None:
    if not _KEY.match(contract.key):
        raise ValueError("its key must look like 'app.verb_noun'")
    if len(contract.key) > MAX_KEY:
        raise ValueError(f"its key must have at most {MAX_KEY} characters")
    if contract.key.startswith(RESERVED):
        raise ValueError(f"keys that begin with {RESERVED!r} belong to tools of MCP servers")
    if not _PERMISSION.match(contract.permission):
        raise ValueError("its permission must look like 'app.codename'")
    if not contract.summary or not any(contract.aliases.values()):
        raise ValueError("it needs a one-sentence summary and at least one alias")
    if contract.risk is Risk.HIGH and contract.preview is None:
        raise ValueError("a high-risk tool needs a preview, so that a person sees what it will do")
    if contract.effect is not Effect.NONE and contract.risk is Risk.LOW:
        raise ValueError("a tool that changes something is at least of medium risk")


def _models(function: Callable[..., Any]) -> tuple[type[ToolParams], type[ToolResult]]:
    hints = get_type_hints(function)
    names = list(inspect.signature(function).parameters)
    if len(names) != 2:
        raise TypeError("its function takes exactly (ctx, params)")
    params, result = hints.get(names[1]), hints.get("return")
    if not (isinstance(params, type) and issubclass(params, ToolParams)):
        raise TypeError("the second argument must be annotated with a ToolParams class")
    if not (isinstance(result, type) and issubclass(result, ToolResult)):
        raise TypeError("the return value must be annotated with a ToolResult class")
    return params, result


def params_of(model: type[ToolParams]) -> tuple[ParamContract, ...]:
    """Return the parameters that a model declares, with the marks on them."""
    schema = strict_object(model)["properties"]
    return tuple(_param(name, info, schema[name]) for name, info in model.model_fields.items())


def _param(name: str, info: FieldInfo, schema: Mapping[str, Any]) -> ParamContract:
    annotation, _ = unwrap_optional(info.annotation)
    marks = [*info.metadata, *_inner_marks(info.annotation)]
    controls = next((mark for mark in marks if isinstance(mark, ControlledBy)), None)
    if controls is None or not controls.sources:
        raise ValueError(f"parameter {name!r} does not say who may control it (ControlledBy)")
    ref = next((mark for mark in marks if isinstance(mark, Ref)), None)
    return ParamContract(
        name=name,
        schema=schema,
        required=info.is_required(),
        controlled_by=controls.sources,
        description=info.description or "",
        reference=ref.type if ref else "",
        is_list=get_origin(annotation) in (list, tuple),
        default=None if info.is_required() else info.get_default(call_default_factory=True),
        value_type=_value_type(annotation),
    )


def _value_type(annotation: Any) -> str:
    """Return the name of the type of one value. Raises TypeError for a type that no field can take."""
    inner, _optional = unwrap_optional(annotation)
    if get_origin(inner) is Annotated:
        return _value_type(get_args(inner)[0])
    if get_origin(inner) in (list, tuple):
        return _value_type(get_args(inner)[0])
    if get_origin(inner) is Literal or (isinstance(inner, type) and issubclass(inner, Enum)):
        return "choice"
    names = {bool: "boolean", int: "integer", Decimal: "decimal", date: "date", str: "text"}
    if inner not in names:
        raise TypeError(
            f"no field can take a {inner!r}; use text, a number, a date, an enumeration or a list"
        )
    return names[inner]


def _inner_marks(annotation: Any) -> list[Any]:
    """Return the marks inside an annotation: `list[Annotated[str, Ref("x")]]` carries Ref("x")."""
    marks: list[Any] = []
    if get_origin(annotation) is Annotated:
        marks.extend(annotation.__metadata__)
    for child in get_args(annotation):
        if not isinstance(child, Ref | Protected | ControlledBy):
            marks.extend(_inner_marks(child))
    return marks


def _marked(model: type[BaseModel], kind: type[Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, mark) for every field of `model` that carries a mark of `kind`; lists are `name[]`."""
    for name, info in model.model_fields.items():
        annotation, _ = unwrap_optional(info.annotation)
        is_list = get_origin(annotation) in (list, tuple)
        path = f"{prefix}{name}{'[]' if is_list else ''}"
        for mark in [*info.metadata, *_inner_marks(info.annotation)]:
            if isinstance(mark, kind):
                yield path, mark
        for nested in _nested_models(annotation):
            yield from _marked(nested, kind, f"{path}.")


def _nested_models(annotation: Any) -> list[type[BaseModel]]:
    inner, _ = unwrap_optional(annotation)
    if get_origin(inner) is Annotated:
        return _nested_models(get_args(inner)[0])
    if isinstance(inner, type) and issubclass(inner, BaseModel):
        return [inner]
    return [model for child in get_args(inner) for model in _nested_models(child)]
