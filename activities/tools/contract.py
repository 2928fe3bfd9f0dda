"""The tool contract: what a capability is, before anybody uses it.

A tool author writes a typed function and decorates it with :func:`tool`; this module holds the types the
declaration is made of. Everything the gate checks later is stated here and nowhere else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict

from accounts.models import User, Workspace
from agentapp.kernel.canonical import digest


class Risk(StrEnum):
    """The most a tool's contract allows it to do to the business; static, never an estimate of one call."""

    LOW = "low"  #: Reads, searches, computes; nothing lasting.
    MEDIUM = "medium"  #: Changes something that can be undone or is only prepared.
    HIGH = "high"  #: Commits the company outside, or is hard to undo. Always confirmed.

    @property
    def rank(self) -> int:
        return ("low", "medium", "high").index(self.value)


class Effect(StrEnum):
    """Where a tool's effect lands; decides how it is executed once and only once."""

    NONE = "none"  #: Reads only.
    LOCAL = "local"  #: Writes to this database: commits with the tool call's record.
    EXTERNAL = "external"  #: Reaches another system: carries the call's idempotency key.


class Control(StrEnum):
    """Who may decide a parameter's value."""

    INPUT = "input"
    FIXED = "fixed"
    AGENT = "agent"


@dataclass(frozen=True)
class ControlledBy:
    """Annotation on a parameter: the sources the contract allows. Every parameter needs one."""

    sources: frozenset[Control]

    def __init__(self, *sources: Control) -> None:
        object.__setattr__(self, "sources", frozenset(sources))


@dataclass(frozen=True)
class Ref:
    """Annotation on a parameter or result field: its value names a record of this reference type."""

    type: str


@dataclass(frozen=True)
class Protected:
    """Annotation on a result field: a model sees a token. `raw_allowed` is the first of three yeses."""

    kind: str
    raw_allowed: bool = False


class ToolParams(BaseModel):
    """Base of every tool's parameters: closed, immutable, strings stripped."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class ToolResult(BaseModel):
    """Base of every tool's result: closed and immutable. What does not fit it is no fact."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class ToolContext:
    """For whom and when a tool runs. `idempotency_key` is the same for every attempt at one call."""

    user: User
    workspace: Workspace
    language: str
    time_zone: ZoneInfo
    now: datetime
    run_id: UUID | None = None
    tool_call_id: UUID | None = None
    idempotency_key: str = ""
    #: Asked now and then by a tool that waits for another system: True when nobody waits for it any more.
    stopped: Callable[[], bool] = lambda: False

    @property
    def today(self) -> date:
        """The date where the user is."""
        return self.now.astimezone(self.time_zone).date()


@dataclass(frozen=True)
class PreviewLine:
    label: str
    value: str


@dataclass(frozen=True)
class Preview:
    """What a confirmation dialog shows, in the user's language: looked up, never guessed.

    `summary` is one sentence with the effect; `recipient` whom it touches; `amount` how much, already
    formatted; `lines` whatever else the decision needs; `warning` what cannot be undone.
    """

    summary: str
    recipient: str = ""
    amount: str = ""
    lines: tuple[PreviewLine, ...] = ()
    warning: str = ""


@dataclass(frozen=True)
class Reference:
    """A record a person may name. `value` is its business key, stable and readable (a number, a code).

    `exact` is true when the searched text is the whole name or the identifier, false for a partial match.
    """

    value: str
    label: str
    detail: str = ""
    exact: bool = False


@dataclass(frozen=True)
class ReferenceType:
    """How values of one kind of record are looked up, always as one user sees them.

    `get` returns the record of exactly this value, or None when it does not exist *for this user*.
    `search` takes words a person used (a name, part of it, an identifier) and returns at most `limit`
    matches, best first, an empty list for none.
    `pattern` is a regular expression (no anchors) that finds identifiers of this type in running text.
    """

    key: str
    label: Any
    permission: str
    get: Callable[[ToolContext, str], Reference | None]
    search: Callable[[ToolContext, str, int], list[Reference]]
    pattern: str = ""


@dataclass(frozen=True)
class ParamContract:
    """One parameter as the gate and the designer see it."""

    name: str
    schema: Mapping[str, Any]
    required: bool
    controlled_by: frozenset[Control]
    description: str = ""
    reference: str = ""
    is_list: bool = False
    default: Any = None
    #: text, integer, decimal, boolean, date or choice: the type of the value, or of a list's items.
    value_type: str = "text"


def wire_name(key: str) -> str:
    """Return the name a model sees of the tool `key`: letters, digits, underscores, at most 64 characters."""
    return key.replace(".", "_")[:64]


def fact_key_of(key: str) -> str:
    """Return the name of a tool's facts, also of one that is not there any more."""
    return key.rsplit(".", 1)[-1]


@dataclass(frozen=True)
class ToolContract:
    """A registered tool. `hash` covers all that a caller relies on: runs are pinned to it.

    `prepare` turns validated parameters into the final ones (defaults looked up, values normalised)
    before anything is shown or digested; it only reads. `guard` raises :class:`ToolRefused` or
    :class:`ToolArgumentError` when the business forbids the call; it only reads and runs again right
    before execution. `preview` describes the effect of exactly these parameters.
    """

    key: str
    title: Any
    summary: str
    aliases: Mapping[str, tuple[str, ...]]
    when_not_to_use: str
    risk: Risk
    effect: Effect
    permission: str
    function: Callable[[ToolContext, Any], ToolResult]
    params_model: type[ToolParams]
    result_model: type[ToolResult]
    params: tuple[ParamContract, ...]
    params_schema: Mapping[str, Any]
    result_schema: Mapping[str, Any]
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    prepare: Callable[[ToolContext, Any], Any] | None = None
    guard: Callable[[ToolContext, Any], None] | None = None
    preview: Callable[[ToolContext, Any], Preview] | None = None
    timeout_seconds: float = 30.0
    protected: Mapping[str, Protected] = field(default_factory=dict)
    result_refs: Mapping[str, str] = field(default_factory=dict)
    #: "python", or "mcp:" and the server's key.
    source: str = "python"
    #: The workspace it exists for; None: for every one.
    workspace_id: UUID | None = None
    #: Digest of the definition a server gave; empty for a tool that an app declares.
    definition: str = ""

    @property
    def wire_name(self) -> str:
        """The name a model sees."""
        return wire_name(self.key)

    @property
    def fact_key(self) -> str:
        """The name of this tool's facts in conditions and templates."""
        return fact_key_of(self.key)

    def is_for(self, workspace_id: UUID) -> bool:
        """True when the tool exists for this workspace."""
        return self.workspace_id is None or self.workspace_id == workspace_id

    def param(self, name: str) -> ParamContract:
        """Return the parameter called `name`. Raises KeyError."""
        return next(item for item in self.params if item.name == name)

    @cached_property
    def hash(self) -> str:
        """Digest of all that binds: schemas, risk, effect, permission, controls, references, protection."""
        outside = {"definition": self.definition, "source": self.source} if self.definition else {}
        return digest(
            {
                **outside,
                "key": self.key,
                "params": self.params_schema,
                "result": self.result_schema,
                "risk": self.risk,
                "effect": self.effect,
                "permission": self.permission,
                "controls": {p.name: sorted(p.controlled_by) for p in self.params},
                "references": {p.name: p.reference for p in self.params},
                "result_references": dict(self.result_refs),
                "protected": {path: [p.kind, p.raw_allowed] for path, p in self.protected.items()},
                "prepared": self.prepare is not None,
                "guarded": self.guard is not None,
            }
        )
