"""Values for a tool's parameters: from the inputs, the facts, the records known in this run, and the words.

In an order that never invents: a reference is the identifier of a known record, or stands in the words as it
is and exists. An optional value is given only when the words say so.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from activities.discovery.reading import apart
from agentapp.kernel.text import words
from runs.llm.base import Candidate, CardSpec, FieldSpec, FieldType, StepTask, StepTool
from runs.llm.builtin import filling
from runs.llm.builtin.fields import fill
from runs.llm.builtin.references import Lookup
from runs.llm.builtin.spans import Tier, name_spans

#: Last words of the names that search parameters have.
_SEARCH_FIELDS = frozenset(["query", "search", "name", "term", "terms", "keyword", "keywords", "q"])
_SCALARS = (str, int, float, bool)


def arguments_for(task: StepTask, tool: StepTool) -> dict[str, Any]:
    """Return the arguments found for `tool`; what is not found is left out."""
    said = _from_words(task, tool)
    found = {spec.name: _value(task, spec, said) for spec in tool.fields}
    return {name: value for name, value in found.items() if value is not None}


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
    lists = {spec.name for spec in tool.fields if spec.is_list}
    return {name: said for name, said in fill(started).items() if name in lists or not isinstance(said, list)}


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
    if spec.required and _seeks(spec):
        return name_said(task, spec) or said
    if said is not None or not spec.required or spec.is_list:
        return said
    return _fact_named(task.facts, spec)


def _seeks(spec: FieldSpec) -> bool:
    """A text to search by: what was named serves better than the sentence it was named in."""
    return spec.type == FieldType.TEXT and not spec.is_list and spec.name.split("_")[-1] in _SEARCH_FIELDS


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


def name_said(task: StepTask, sought: FieldSpec) -> str:
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
