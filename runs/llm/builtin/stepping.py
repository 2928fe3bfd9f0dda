"""Acting on a step: which of its tools to call now, and with what.

Values come from the inputs, the facts, the records already known in this run and the person's words, in an
order that never invents: a reference is the identifier of a known record, or stands in the words as it is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agentapp.kernel.text import contains_words, words
from runs.llm.base import Candidate, FieldSpec, FieldType, StepTask, StepTool
from runs.llm.builtin import filling, questions
from runs.llm.builtin.language import content_stems, stem
from runs.llm.builtin.masking import mask
from runs.llm.builtin.references import Lookup

_SCALARS = (str, int, float, bool)


@dataclass(frozen=True)
class ToolUse:
    """A tool with the arguments found for it, and the required fields that have none."""

    tool: StepTool
    arguments: Mapping[str, Any]
    missing: tuple[FieldSpec, ...]


@dataclass(frozen=True)
class Act:
    """Call these tools."""

    uses: tuple[ToolUse, ...]


@dataclass(frozen=True)
class Ask:
    """Ask the person for this value."""

    field: FieldSpec
    question: str


@dataclass(frozen=True)
class GiveUp:
    """Nothing can be done within this step."""

    reason: str


def act(task: StepTask) -> Act | Ask | GiveUp:
    """Decide what to do now on the step."""
    if task.refusals:
        # The same words and facts would lead to the same refused call: somebody else has to decide.
        return GiveUp(questions.refused(task.refusals[-1], task.language))
    wanted = [tool for tool in task.tools if tool.name in task.wanted] or list(_unused(task))
    uses = [_use(task, tool) for tool in wanted]
    ready = tuple(use for use in uses if not use.missing)
    if ready:
        return Act(ready)
    helper = _helper(task, uses)
    if helper is not None:
        return Act((helper,))
    missing = next((use.missing[0] for use in uses if use.missing), None)
    return (
        Ask(missing, questions.ask_for(missing, task.language))
        if missing
        else GiveUp(questions.stuck(task.language))
    )


def _unused(task: StepTask) -> Iterator[StepTool]:
    """The step's tools that have not produced a fact yet."""
    for tool in task.tools:
        if _fact_key(tool) not in task.facts:
            yield tool


def _fact_key(tool: StepTool) -> str:
    return tool.card.key.rsplit(".", 1)[-1]


def _use(task: StepTask, tool: StepTool) -> ToolUse:
    from_words = _from_words(task, tool)
    found = {spec.name: _value(task, spec, from_words) for spec in tool.fields}
    arguments = {name: value for name, value in found.items() if value is not None}
    missing = tuple(spec for spec in tool.fields if spec.required and spec.name not in arguments)
    return ToolUse(tool, arguments, missing)


def _from_words(task: StepTask, tool: StepTool) -> dict[str, Any]:
    """What the person's words say; records are matched against what the run knows, not searched for."""
    started = filling.start(
        task.message,
        tool.card,
        tool.fields,
        task.today,
        task.language,
        Lookup(lambda kind, text: _known_by(task, kind, text)),
    )
    return filling.fill(started)


def _known_by(task: StepTask, kind: str, text: str) -> list[Candidate]:
    """Known records whose label or identifier holds these words."""
    known = task.known_references.get(kind, ())
    return [record for record in known if contains_words(f"{record.value} {record.label}", text)]


def _value(task: StepTask, spec: FieldSpec, from_words: Mapping[str, Any]) -> Any:
    if spec.type == FieldType.REFERENCE:
        return _reference(task, spec, from_words.get(spec.name))
    said = from_words.get(spec.name)
    same_input = task.inputs.get(spec.name)
    if same_input is not None and isinstance(same_input, list) == spec.is_list:
        return same_input
    if said is not None or not spec.required:
        return said
    return None if spec.is_list else _fact_named(task.facts, spec)


def _reference(task: StepTask, spec: FieldSpec, said: Any) -> Any:
    """A required reference may be the only record known of its type; an optional one has to be said."""
    known = task.known_references.get(spec.reference, ())
    if spec.is_list:
        chosen = [value for text in said or () if (value := _identified(task, spec, text))]
        return chosen or ([record.value for record in known] or None if spec.required else None)
    same_input = task.inputs.get(spec.name)
    if isinstance(same_input, str) and same_input:
        return same_input
    if isinstance(said, str) and (value := _identified(task, spec, said)):
        return value
    return known[0].value if spec.required and len(known) == 1 else None


def _identified(task: StepTask, spec: FieldSpec, text: str) -> str | None:
    """The identifier that `text` means: a known record's, or one that stands in the words and exists."""
    known = _known_by(task, spec.reference, text)
    if len({record.value for record in known}) == 1:
        return known[0].value
    found = {
        record.value
        for record in task.search(spec.reference, text)
        if record.value.casefold() == text.casefold()
    }
    return found.pop() if len(found) == 1 else None


def _fact_named(facts: Mapping[str, Any], spec: FieldSpec) -> Any:
    """The one value that the facts give under the parameter's own name."""
    values = [fact[spec.name] for fact in facts.values() if isinstance(fact, Mapping) and spec.name in fact]
    scalars = [value for value in values if isinstance(value, _SCALARS)]
    return scalars[0] if scalars and all(value == scalars[0] for value in scalars) else None


def _helper(task: StepTask, stuck: list[ToolUse]) -> ToolUse | None:
    """Another tool of the step that may find the record that is missing: one that speaks of its type."""
    wanted_names = {use.tool.name for use in stuck}
    kinds = {spec.reference for use in stuck for spec in use.missing if spec.type == FieldType.REFERENCE}
    for tool in _unused(task):
        if tool.name not in wanted_names and any(_speaks_of(tool, kind) for kind in kinds):
            use = _with_search_words(task, _use(task, tool))
            if not use.missing:
                return use
    return None


def _speaks_of(tool: StepTool, kind: str) -> bool:
    subject = {stem(word) for word in words(kind.rsplit(".", 1)[-1].replace("_", " "))}
    text = f"{tool.card.key} {tool.card.name} {tool.card.summary} {' '.join(tool.card.aliases)}".replace(
        "_", " "
    )
    return subject <= set(content_stems(words(text)))


def _with_search_words(task: StepTask, use: ToolUse) -> ToolUse:
    """Give a search what the person named: the names and identifiers of the message."""
    texts = [spec for spec in use.missing if spec.type == FieldType.TEXT and not spec.is_list]
    said = named_words(task.message)
    if len(use.missing) != 1 or len(texts) != 1 or not said:
        return use
    return ToolUse(use.tool, {**use.arguments, texts[0].name: said}, ())


def named_words(message: str) -> str:
    """What masking takes out of a message, put together: its names and identifiers."""
    kept = words(mask(message))
    said: list[str] = []
    for word in message.split():
        folded = words(word)
        if folded and not all(part in kept for part in folded):
            said.append(word.strip(".,;:!?\"'«»“”()"))
    return " ".join(said)
