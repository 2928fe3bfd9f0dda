"""What every model is to the engine: a frozen request in, a stream of deltas out.

A request carries its *task*, the typed description of what is wanted, beside the messages rendered from
it. A model behind an endpoint reads the messages; the built-in interpreter reads the task. Both answer
with function calls, which one reader turns into data.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any, Literal, Protocol

from activities.models.activity import FieldKind as FieldType

#: The functions by which a model answers something else than a tool call.
CHOOSE_ACTIVITY = "choose_activity"
FILL_INPUTS = "fill_inputs"
WRITE_PROSE = "write_answer"
#: The decision of CHOOSE_ACTIVITY when a message asks for several things.
SEVERAL = "several"
ASK_PERSON = "ask_person"
ESCALATE = "escalate"
#: Searching again among the tools that a step is open to.
FIND_TOOLS = "find_tools"
SEARCH_WORDS = "search_words"
#: No tool is offered under one of these names.
OWN_FUNCTIONS = frozenset(
    {CHOOSE_ACTIVITY, FILL_INPUTS, WRITE_PROSE, ASK_PERSON, ESCALATE, FIND_TOOLS, SEARCH_WORDS}
)


class Purpose(StrEnum):
    """Why the model is called."""

    ROUTE = "route"
    INPUTS = "inputs"
    REWRITE = "rewrite"
    STEP = "step"
    PROSE = "prose"


@dataclass(frozen=True)
class Choice:
    """One value of an enumeration; `labels` are the words people use for it, in any language."""

    value: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class FieldSpec:
    """One value to fill. `cues` are words that announce it in running text ("because", "motif")."""

    name: str
    type: FieldType
    label: str = ""
    description: str = ""
    required: bool = True
    is_list: bool = False
    choices: tuple[Choice, ...] = ()
    minimum: str = ""
    maximum: str = ""
    max_length: int | None = None
    pattern: str = ""
    reference: str = ""
    reference_pattern: str = ""
    cues: tuple[str, ...] = ()


@dataclass(frozen=True)
class CardSpec:
    """The compact entry by which something is chosen."""

    key: str
    name: str
    summary: str = ""
    aliases: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    when_not_to_use: str = ""
    #: Whether what is chosen may change something; a question about the past never means such a card.
    writes: bool = False


@dataclass(frozen=True)
class Candidate:
    """A record that words may mean. Same meaning as the registry's reference."""

    value: str
    label: str
    detail: str = ""
    exact: bool = False


#: (reference type, words) -> records this user may see, best first.
ReferenceSearch = Callable[[str, str], list[Candidate]]


@dataclass(frozen=True)
class RouteTask:
    """Which of these activities is meant? Answered by CHOOSE_ACTIVITY:
    `{"decision": "activity"|"unclear"|"none"|"several", "activity": key|null, "alternatives": [key…],
    "several": [{"activity": key, "words": the part of the message, "needs_earlier": bool}…]}`.
    """

    message: str
    cards: tuple[CardSpec, ...]
    language: str


@dataclass(frozen=True)
class InputTask:
    """Fill these fields from the user's words only. Answered by FILL_INPUTS: `{field: value|null}`.

    A reference is answered by the *words* that name it (or its identifier); code resolves them. A value
    the words do not hold is null, never a guess. Dates and periods are ISO 8601, resolved from `today`.
    """

    message: str
    activity: CardSpec
    fields: tuple[FieldSpec, ...]
    known: Mapping[str, Any]
    today: date
    language: str
    search: ReferenceSearch = field(compare=False, repr=False, default=lambda key, text: [])


@dataclass(frozen=True)
class RewriteTask:
    """Say the same in other words, for a search among tools. Answered by SEARCH_WORDS: `{"words": text}`."""

    message: str
    goal: str
    language: str


@dataclass(frozen=True)
class StepTool:
    """One tool as a step offers it: its card, and the parameters left to the agent."""

    name: str
    card: CardSpec
    fields: tuple[FieldSpec, ...]


@dataclass(frozen=True)
class StepTask:
    """Act on one step. Answered by calls to the step's tools, ASK_PERSON or ESCALATE.

    `wanted` names the tools whose facts the passing condition still misses; `facts` are what was really
    found (projected), by fact key; `known_references` the records that may be named, by reference type.
    Of a step that `is_open` to a part of the catalogue, `found` are the tools found there, the nearest first;
    with `may_search`, FIND_TOOLS searches again: `{"words": text}`; `searched` says that it did, `asked` that
    the person was asked in this step.
    With `declares`, every call also says `intention` (the `announced` one) and, unless `next_goal` is
    empty, `next_intention`.
    """

    message: str
    goal: str
    tools: tuple[StepTool, ...]
    wanted: tuple[str, ...]
    inputs: Mapping[str, Any]
    facts: Mapping[str, Any]
    known_references: Mapping[str, tuple[Candidate, ...]]
    today: date
    language: str
    refusals: tuple[str, ...] = ()
    is_open: bool = False
    found: tuple[str, ...] = ()
    may_search: bool = False
    searched: bool = False
    asked: bool = False
    declares: bool = False
    announced: str = ""
    next_goal: str = ""
    search: ReferenceSearch = field(compare=False, repr=False, default=lambda key, text: [])


@dataclass(frozen=True)
class ProseField:
    """A text the model may write; `fallback` is the designer's, already filled from facts."""

    name: str
    description: str
    max_length: int
    fallback: str


@dataclass(frozen=True)
class ProseTask:
    """Write these texts. Answered by WRITE_PROSE: `{field: text}`."""

    message: str
    fields: tuple[ProseField, ...]
    facts: Mapping[str, Any]
    inputs: Mapping[str, Any]
    language: str


Task = RouteTask | InputTask | RewriteTask | StepTask | ProseTask
ToolChoice = Literal["auto", "required", "none"]


@dataclass(frozen=True)
class FunctionSpec:
    """A function offered to the model: `parameters` is a strict JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class WireCall:
    """A function call in the history, with our own identifier."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Message:
    """One message. An assistant message with `calls` is followed by one "tool" message per call."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    calls: tuple[WireCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True)
class ModelRequest:
    """Everything one model call needs; built once, sent as it is."""

    purpose: Purpose
    task: Task
    messages: tuple[Message, ...]
    functions: tuple[FunctionSpec, ...]
    tool_choice: ToolChoice
    max_output_tokens: int
    timeout_seconds: float = 60.0
    #: Asked about once a second while an endpoint is silent; true ends the call with ModelCancelled.
    cancelled: Callable[[], bool] = field(compare=False, repr=False, default=lambda: False)


@dataclass(frozen=True)
class TextDelta:
    text: str


@dataclass(frozen=True)
class CallDelta:
    """A complete proposed call. Fragments are joined before the engine sees anything."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True)
class UsageDelta:
    prompt_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True)
class FinishDelta:
    """The end. `reason`: stop, tool_calls, length, content_filter, or what the endpoint said."""

    reason: str
    model: str = ""


Delta = TextDelta | CallDelta | UsageDelta | FinishDelta


@dataclass(frozen=True)
class ModelReply:
    """A drained stream. A reply cut by `length` carries no calls: half an argument is no argument."""

    text: str
    calls: tuple[CallDelta, ...]
    finish_reason: str
    model: str
    prompt_tokens: int = 0
    output_tokens: int = 0


class ModelCancelled(Exception):
    """The person asked to stop while the model was being waited for."""


class Model(Protocol):
    """A model: an endpoint, the built-in interpreter, or a script."""

    name: str

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Yield deltas, ending with one FinishDelta. Raises ModelUnavailable, ModelCancelled."""
        ...


def drain(
    stream: Iterator[Delta], model_name: str, *, on_text: Callable[[str], None] | None = None
) -> ModelReply:
    """Read a stream to its end. Raises ModelUnavailable as the stream does."""
    text: list[str] = []
    calls: list[CallDelta] = []
    usage = UsageDelta()
    finish = FinishDelta(reason="")
    for delta in stream:
        match delta:
            case TextDelta():
                text.append(delta.text)
                if on_text is not None:
                    on_text(delta.text)
            case CallDelta():
                calls.append(delta)
            case UsageDelta():
                usage = delta
            case FinishDelta():
                finish = delta
    kept = () if finish.reason == "length" else tuple(calls)
    return ModelReply(
        "".join(text),
        kept,
        finish.reason,
        finish.model or model_name,
        usage.prompt_tokens,
        usage.output_tokens,
    )
