"""The written form of an agent's revision: typed, closed, and the only way in from a file or a program.

A blueprint is what a team keeps in git and what an import reads. It names things by key, never by row.
Texts that people see are given per language, as `{"en": ..., "fr": ...}`.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from agentapp.kernel.canonical import digest

Key = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
#: As long as their columns, so that nothing is found too long only when it is stored.
Name = Annotated[str, StringConstraints(max_length=100)]
Path = Annotated[str, StringConstraints(max_length=200)]
Phrase = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Text = Annotated[str, StringConstraints(max_length=20_000)]
Number = Annotated[Decimal, Field(max_digits=24, decimal_places=6)]
Count = Annotated[int, Field(ge=1, le=100_000_000)]
Language = Literal["en", "fr"]
Texts = dict[Language, Text]
Phrases = dict[Language, Annotated[list[Phrase], Field(max_length=200)]]


def each_once(attribute: str) -> AfterValidator:
    """Refuse a list in which two parts have the same `attribute`."""

    def check(parts: Sequence[Any]) -> Sequence[Any]:
        values = [getattr(part, attribute) for part in parts]
        twice = [value for value in values if values.count(value) > 1]
        if twice:
            raise ValueError(f"{twice[0]!r} is given twice")
        return parts

    return AfterValidator(check)


class Part(BaseModel):
    """Base of every part: unknown names are refused, so that a typing error is seen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ChoicePart(Part):
    """One value of an enumeration, with its label and the words people use for it."""

    value: Name
    label: Texts
    words: Phrases = {}


class InputPart(Part):
    """One typed input. `cues` are words that announce the value in running text."""

    name: str = Key
    type: Literal["text", "integer", "decimal", "boolean", "date", "period", "choice", "email", "reference"]
    label: Texts
    description: Text = ""
    required: bool = True
    is_list: bool = False
    choices: Annotated[list[ChoicePart], each_once("value")] = []
    minimum: Number | None = None
    maximum: Number | None = None
    max_length: Count | None = None
    pattern: Path = ""
    reference: Name = ""
    protected: Annotated[str, StringConstraints(max_length=40)] = ""
    cues: Phrases = {}


class OutputPart(Part):
    """One output field and where it comes from.

    `fact` is a path such as `facts.collect_analysis.average_spend`; `input` an input's name; `fixed` a
    value; `prose` a text the model may write, at most `max_length` characters, else `fallback` (Liquid).
    """

    name: str = Key
    label: Texts
    source: Literal["fact", "input", "fixed", "prose"]
    fact: Path = ""
    input: Annotated[str, StringConstraints(max_length=64)] = ""
    fixed: Any = None
    description: Text = ""
    max_length: Count = 400
    fallback: Texts = {}


class ParamPart(Part):
    """Who decides one tool parameter. `input` may name a part of a period: `period.start`."""

    source: Literal["input", "fixed", "agent"]
    input: Name = ""
    fixed: Any = None
    choices: list[Text] = []
    minimum: Number | None = None
    maximum: Number | None = None
    pattern: Path = ""


class ToolPart(Part):
    """A tool the activity may use, with the provenance of each parameter."""

    tool: Name
    params: dict[Annotated[str, Key], ParamPart] = {}
    raise_risk: Literal["", "medium", "high"] = ""
    confirm: bool = False
    disclose_raw: bool = False


class OpeningPart(Part):
    """A part of the catalogue that a step is open to, and what applies to every tool it opens.

    `to` is `tag:<tag>`, `group:<key of a tool group of the workspace>` or `server:<key of an MCP server>`.
    """

    to: Annotated[str, StringConstraints(pattern=r"^(tag|group|server):[^\s:][^\s]{0,99}$", max_length=107)]
    raise_risk: Literal["", "medium", "high"] = ""
    confirm: bool = False


class StepPart(Part):
    """One Check of the procedure. Conditions are CEL over `facts`, `inputs` and `attempts`.

    `tools` are named one by one; `opens` adds what a part of the catalogue leads to, for whoever asks.
    `tool_choice` none makes it the step in which the prose is written.
    `escalate_to` is a group that decides when the step cannot be passed; with `other_person` (left out: where
    a group is named) nobody decides on their own request.
    """

    key: str = Key
    name: Texts
    goal: Text
    tools: list[Name] = []
    opens: Annotated[list[OpeningPart], each_once("to")] = []
    tool_choice: Literal["auto", "required", "none"] = "required"
    passes_when: Text = "true"
    stops_when: Text = ""
    stop_message: Texts = {}
    max_attempts: int = Field(default=3, ge=1, le=20)
    escalate_to: Name = ""
    other_person: bool | None = None


class OutcomePart(Part):
    """A named routing outcome: when it holds, which activity it hands over to, and with which inputs."""

    name: str = Key
    when: Text
    activity: Annotated[str, Key]
    label: Texts = {}
    inputs: dict[Annotated[str, Key], Path] = {}


class GuardrailsPart(Part):
    """The five limits; what is left out has the product's default."""

    max_model_calls: Count | None = None
    max_tool_calls: Count | None = None
    max_duration_seconds: Count | None = None
    max_output_tokens: Count | None = None
    max_context_bytes: Annotated[int, Field(ge=1024, le=100_000_000)] | None = None


class ActivityPart(Part):
    """An activity: its card, its contract, its procedure, its answer.

    With `chaining`, the agent declares what it does now and what comes next with each step's first action.
    """

    key: str = Key
    name: Texts
    summary: Texts
    aliases: Phrases = {}
    examples: Phrases = {}
    when_not_to_use: Text = ""
    instructions: Text = ""
    inputs: Annotated[list[InputPart], each_once("name")] = []
    outputs: Annotated[list[OutputPart], each_once("name")] = []
    tools: Annotated[list[ToolPart], each_once("tool")] = []
    steps: Annotated[list[StepPart], each_once("key")] = []
    routing: Annotated[list[OutcomePart], each_once("name")] = []
    guardrails: GuardrailsPart = GuardrailsPart()
    template: Texts
    entry: bool = True
    chaining: bool = False


class AgentBlueprint(Part):
    """A whole revision of one agent. It may be unfinished: what is missing is told before it is published."""

    format: Literal[1] = 1
    key: str = Key
    name: Texts
    description: Texts = {}
    #: In percent of its test prompts, before it may be published.
    required_pass_rate: Decimal | None = Field(default=None, ge=0, le=100, decimal_places=2)
    activities: Annotated[list[ActivityPart], each_once("key")] = []

    @property
    def fingerprint(self) -> str:
        """SHA-256 of all it says: the same text, the same fingerprint."""
        return digest(self)
