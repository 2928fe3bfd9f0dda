"""Where tools and reference types are known, by key.

`tools.py` of every installed app is imported at start; each declaration is checked completely there, so
that a wrong one stops the start with the tool's name instead of a run with a surprise.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Protocol, TypeVar, get_args, get_origin, get_type_hints
from uuid import UUID

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from activities.tools.contract import (
    Control,
    ControlledBy,
    Effect,
    ParamContract,
    Preview,
    Protected,
    Ref,
    ReferenceType,
    Risk,
    ToolContext,
    ToolContract,
    ToolParams,
    ToolResult,
)
from activities.tools.strict import NotStrict, strict_object, unwrap_optional
from agentapp.kernel.errors import Misconfigured

_KEY = re.compile(r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$")
_PERMISSION = re.compile(r"^[a-z_]+\.[a-z_]+$")
#: Keys that begin so belong to tools of MCP servers.
RESERVED = "mcp."
Function = TypeVar("Function", bound=Callable[..., ToolResult])


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


__all__ = ["Control", "Registry", "Source", "params_of", "reference", "registry", "tool"]
