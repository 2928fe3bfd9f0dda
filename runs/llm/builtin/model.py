"""The interpreter as a model: a task in, function calls out."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from activities.discovery.embedder import Embedder
from activities.discovery.embedding.chosen import local_embedder
from runs.llm.base import (
    ASK_PERSON,
    CHOOSE_ACTIVITY,
    ESCALATE,
    FILL_INPUTS,
    FIND_TOOLS,
    SEARCH_WORDS,
    WRITE_PROSE,
    CallDelta,
    Delta,
    FinishDelta,
    InputTask,
    ModelRequest,
    ProseTask,
    RewriteTask,
    RouteTask,
    StepTask,
    Task,
    UsageDelta,
)
from runs.llm.builtin.expansion import expanded
from runs.llm.builtin.inputs import fill_inputs
from runs.llm.builtin.routing import choose
from runs.llm.builtin.stepping import Act, Ask, GiveUp, Search, act


class BuiltinModel:
    """Interprets requests by their task. Without state: the same request has the same answer."""

    name = "built-in interpreter"

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder or local_embedder()

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Yield the calls that answer `request.task`, then usage (nothing is spent) and the end."""
        yield from self._answer(request.task)
        yield UsageDelta()
        yield FinishDelta("tool_calls", self.name)

    def _answer(self, task: Task) -> Iterator[CallDelta]:
        match task:
            case RouteTask():
                yield _call(CHOOSE_ACTIVITY, choose(task, self._embedder))
            case InputTask():
                yield _call(FILL_INPUTS, fill_inputs(task))
            case RewriteTask():
                yield _call(SEARCH_WORDS, {"words": expanded(task.message) or ""})
            case StepTask():
                yield from _step(task, self._embedder)
            case ProseTask():
                # No prose of its own: the designer's texts are already filled from facts.
                yield _call(WRITE_PROSE, {field.name: field.fallback for field in task.fields})
            case _:
                assert_never(task)


def _step(task: StepTask, embedder: Embedder) -> Iterator[CallDelta]:
    said = _declaration(task)
    match act(task, embedder):
        case Act(uses):
            yield from (_call(use.tool.name, {**said, **use.arguments}) for use in uses)
        case Ask(field, question):
            name = field.name if field else None
            yield _call(ASK_PERSON, {**said, "parameter": name, "question": question})
        case Search(words):
            yield _call(FIND_TOOLS, {**said, "words": words})
        case GiveUp(reason):
            yield _call(ESCALATE, {**said, "reason": reason})


def _declaration(task: StepTask) -> dict[str, str]:
    """Say what was announced, and announce the next step's goal."""
    if not task.declares:
        return {}
    now = {"intention": task.announced or task.goal}
    return {**now, "next_intention": task.next_goal} if task.next_goal else now


def _call(name: str, arguments: Mapping[str, Any]) -> CallDelta:
    return CallDelta(name, json.dumps(arguments, ensure_ascii=False))
