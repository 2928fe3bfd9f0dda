"""Acting on a step: which of its tools to call now, and with what.

Values come from the inputs, the facts, the records already known in this run and the person's words, in an
order that never invents: a reference is the identifier of a known record, or stands in the words as it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from agentapp.kernel.text import words
from runs.llm.base import Candidate, CardSpec, FieldSpec, FieldType, StepTask, StepTool
from runs.llm.builtin import filling, questions
from runs.llm.builtin.language import content_stems, stem
from runs.llm.builtin.reading import apart
from runs.llm.builtin.references import Lookup
from runs.llm.builtin.spans import Tier, name_spans

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
    """Known records with this identifier, or whose label holds these words one after the other."""
    said = " ".join(words(text))
    if not said:
        return []
    return [record for record in task.known_references.get(kind, ()) if _is_called(record, said)]


def _is_called(record: Candidate, said: str) -> bool:
    value, label = _spoken(record.value), _spoken(record.label)
    return said == value or f" {said} " in f" {label.replace(value, '|') if value else label} "


@lru_cache(maxsize=8192)
def _spoken(text: str) -> str:
    return " ".join(words(text))


def _value(task: StepTask, spec: FieldSpec, from_words: Mapping[str, Any]) -> Any:
    """An input of the same name, then the words; a required value may also stand in the facts by its name."""
    if spec.type == FieldType.REFERENCE:
        return _reference(task, spec, from_words.get(spec.name))
    same_input = task.inputs.get(spec.name, _end_of_period(task, spec))
    if same_input is not None and isinstance(same_input, list) == spec.is_list:
        return same_input
    said = from_words.get(spec.name)
    if said is not None or not spec.required or spec.is_list:
        return said
    return _fact_named(task.facts, spec)


def _end_of_period(task: StepTask, spec: FieldSpec) -> Any:
    """A date called `…start` or `…end` is that end of the one period among the inputs."""
    periods = [
        value
        for value in task.inputs.values()
        if isinstance(value, Mapping) and {"start", "end"} <= set(value)
    ]
    side = next((side for side in ("start", "end") if spec.name.split("_")[-1] == side), None)
    return periods[0][side] if side and spec.type == FieldType.DATE and len(periods) == 1 else None


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


def _helper(task: StepTask, stuck: Sequence[ToolUse]) -> ToolUse | None:
    """Another tool of the step that may find the record that is missing: one that speaks of its type."""
    missing = [spec for use in stuck for spec in use.missing if spec.type == FieldType.REFERENCE]
    tried = {use.tool.name for use in stuck}
    for tool in _unused(task):
        sought = next((spec for spec in missing if _speaks_of(tool, spec.reference)), None)
        if sought is not None and tool.name not in tried:
            use = _with_search_words(task, _use(task, tool), sought)
            if not use.missing:
                return use
    return None


def _speaks_of(tool: StepTool, kind: str) -> bool:
    subject = {stem(word) for word in words(kind.rsplit(".", 1)[-1].replace("_", " "))}
    card = tool.card
    text = f"{card.key} {card.name} {card.summary} {' '.join(card.aliases)}".replace("_", " ")
    return subject <= set(content_stems(words(text)))


def _with_search_words(task: StepTask, use: ToolUse, sought: FieldSpec) -> ToolUse:
    """Give a search the words by which the person named the record."""
    said = _named(task, sought)
    if len(use.missing) != 1 or use.missing[0].type != FieldType.TEXT or use.missing[0].is_list or not said:
        return use
    return ToolUse(use.tool, {**use.arguments, use.missing[0].name: said}, ())


def _named(task: StepTask, sought: FieldSpec) -> str:
    """The first words that look like the name or identifier of what is sought; empty when none do."""
    started = filling.start(
        task.message, CardSpec("", ""), (), task.today, task.language, Lookup(task.search)
    )
    reading, excluded = started.reading, started.calendar_spans
    tiers = name_spans(reading, sought, excluded)
    numbered = [
        word.span
        for word in reading.words
        if word.has_digit and all(apart(word.span, one) for one in excluded)
    ]
    spans = tiers[Tier.MARKED] or numbered or tiers[Tier.ANNOUNCED]
    return reading.cut(spans[0]) if spans else ""
