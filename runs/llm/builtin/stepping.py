"""Acting on a step: which of its tools to call now, whom to ask, when to give up."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from activities.discovery.embedder import Embedder
from activities.discovery.language import content_stems, stem
from activities.discovery.ranking import Fit
from agentapp.kernel.text import words
from runs.llm.base import FieldSpec, FieldType, StepTask, StepTool
from runs.llm.builtin import questions
from runs.llm.builtin.arguments import arguments_for, name_said
from runs.llm.builtin.expansion import expanded
from runs.llm.builtin.routing import ranked, rivals_of


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
    """Ask the person for this value; without one, what they mean."""

    field: FieldSpec | None
    question: str


@dataclass(frozen=True)
class Search:
    """Search the catalogue again, with these words."""

    words: str


@dataclass(frozen=True)
class GiveUp:
    """Nothing can be done within this step."""

    reason: str


def act(task: StepTask, embedder: Embedder | None = None) -> Act | Ask | Search | GiveUp:
    """Decide what to do now on the step."""
    if task.refusals:
        # The same words and facts would lead to the same refused call: somebody else has to decide.
        return GiveUp(questions.refused(task.refusals[-1], task.language))
    wanted = [tool for tool in task.tools if tool.name in task.wanted]
    if not wanted and task.is_open:
        chosen = _chosen(task, embedder)
        if not isinstance(chosen, StepTool):
            return chosen
        wanted = [chosen]
    return _with_arguments(task, wanted or list(_unused(task)))


def _chosen(task: StepTask, embedder: Embedder | None) -> StepTool | Ask | Search | GiveUp:
    """Return the tool that the words ask for: of what is offered the one that clearly fits, never a guess."""
    by_key = {tool.card.key: tool for tool in _unused(task)}
    cards = tuple(tool.card for tool in by_key.values())
    # What was said at different times are sentences of their own.
    said = ".\n".join(line.rstrip(" .") for line in task.message.splitlines() if line.strip())
    ranking = ranked(said, cards, embedder) if cards else None
    if ranking is not None and ranking.verdict is Fit.FOUND:
        rivals = [by_key[key] for key in rivals_of(ranking)]
        if len(rivals) < 2 or not any(tool.card.writes for tool in rivals):
            # Of those that read and are as near, the one for which everything was said.
            return next((tool for tool in rivals if not _use(task, tool).missing), rivals[0])
        if not task.asked:
            return Ask(None, questions.which_of([tool.card.name for tool in rivals], task.language))
    words = expanded(task.message)
    if task.may_search and not task.searched and words:
        return Search(words)
    if not task.asked:
        return Ask(None, questions.say_otherwise(task.language))
    return GiveUp(questions.none_fits(task.language))


def _with_arguments(task: StepTask, wanted: Sequence[StepTool]) -> Act | Ask | GiveUp:
    """Call those of `wanted` whose arguments are known; else what may find them; else ask."""
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
    arguments = arguments_for(task, tool)
    missing = tuple(spec for spec in tool.fields if spec.required and spec.name not in arguments)
    return ToolUse(tool, arguments, missing)


def _helper(task: StepTask, stuck: Sequence[ToolUse]) -> ToolUse | None:
    """Another tool of the step that may find the record that is missing: one that speaks of its type."""
    missing = [spec for use in stuck for spec in use.missing if spec.type == FieldType.REFERENCE]
    tried = {use.tool.name for use in stuck}
    for tool in _unused(task):
        sought = next((spec for spec in missing if _speaks_of(tool, spec.reference)), None)
        unasked = tool.name in task.found and tool.card.writes
        if sought is not None and tool.name not in tried and not unasked:
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
    said = name_said(task, sought)
    texts = [
        spec for spec in use.tool.fields if spec.required and spec.type == FieldType.TEXT and not spec.is_list
    ]
    if len(texts) != 1 or not said:
        return use
    missing = tuple(spec for spec in use.missing if spec is not texts[0])
    return ToolUse(use.tool, {**use.arguments, texts[0].name: said}, missing)
