"""Intention chaining: with a step's first action the agent says what it does now and what comes next.

A declaration rides on the call the agent makes anyway, as two more texts in its arguments. It is taken off
before the gate looks at them: it is no argument, stands in no digest, and no verdict reads it. It helps an
agent keep the thread of a procedure, and a person follow it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from activities.discovery.embedder import EmbedderUnavailable, default_embedder
from activities.discovery.language import content_stems
from activities.tools import ToolContract
from agentapp.kernel.text import clean_text, shorten, words
from runs.arguments import BadArguments, parse_arguments
from runs.llm.base import CallDelta, FunctionSpec
from runs.models import RunStep
from runs.states import Declaration
from runs.view import RunView

INTENTION, NEXT = "intention", "next_intention"
_LIMIT = 500
#: Shared stems, as a share of the shorter text's, above which two texts speak of the same thing.
_SHARED = 0.34
#: The same, as a cosine of sentence vectors, for texts without common words or in two languages.
_NEAR = 0.4


@dataclass(frozen=True)
class Declared:
    """What an agent declared with a step's action, and what became of it."""

    intention: str
    next_intention: str
    announced: str
    declaration: Declaration


def is_chained(view: RunView) -> bool:
    """True when this run's agent declares its intentions."""
    if view.run.chaining is not None:
        return view.run.chaining
    return bool(view.activity and view.activity.chaining)


def is_asked(view: RunView, step: RunStep) -> bool:
    """True when the next request of `step` asks for a declaration: the first, and once more if none came."""
    if not is_chained(view) or step.declaration == Declaration.GIVEN:
        return False
    return len({call.model_call_id for call in view.calls_of(step)}) <= 1


def announced(view: RunView, step: RunStep) -> str:
    """Return I(n): what was announced with the step before; where nothing was, the step's goal."""
    before = next((row for row in view.steps if row.position == step.position - 1), None)
    return (before.next_intention if before else "") or step.step.goal


def next_goal(view: RunView, step: RunStep) -> str:
    """Return the goal of the step after `step`; empty for the last one, which announces nothing."""
    after = next((row for row in view.steps if row.position == step.position + 1), None)
    return after.step.goal if after else ""


def with_declarations(
    functions: Sequence[FunctionSpec], view: RunView, step: RunStep
) -> tuple[FunctionSpec, ...]:
    """Return `functions` with the texts of a declaration among their parameters."""
    texts = {INTENTION: "What you do now, in one sentence, as announced."}
    if next_goal(view, step):
        texts[NEXT] = "What you will do in the next step, in one sentence."
    return tuple(_with_texts(function, texts) for function in functions)


def _with_texts(function: FunctionSpec, texts: Mapping[str, str]) -> FunctionSpec:
    properties = function.parameters["properties"]
    if set(texts) & set(properties):
        return function
    added = {name: {"type": "string", "description": text} for name, text in texts.items()}
    # First, so that a model says what it is about to do before it does it.
    extended = {**added, **properties}
    return replace(
        function, parameters={**function.parameters, "properties": extended, "required": list(extended)}
    )


def without_declaration(view: RunView, contract: ToolContract, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call's arguments without the declaration. A parameter of the tool's own is never one."""
    if not is_chained(view):
        return dict(given)
    own = {param.name for param in contract.params}
    return {name: value for name, value in given.items() if name in own or name not in (INTENTION, NEXT)}


def declared(view: RunView, step: RunStep, calls: Sequence[CallDelta]) -> Declared | None:
    """Return the declaration that came with `calls`; None when none was asked for or nothing was called."""
    if not calls or not is_asked(view, step):
        return None
    expected, after = announced(view, step), next_goal(view, step)
    now, then = _texts(calls)
    if not now or (after and not then):
        outcome = Declaration.MISSING
    elif not _related(now, expected, step.step.goal) or (after and not _related(then, after)):
        outcome = Declaration.UNRELATED
    else:
        outcome = Declaration.GIVEN
    return Declared(now, then if after else "", expected, outcome)


def _texts(calls: Sequence[CallDelta]) -> tuple[str, str]:
    for call in calls:
        try:
            given = parse_arguments(call.arguments)
        except BadArguments:
            continue
        if INTENTION in given or NEXT in given:
            return _text(given.get(INTENTION)), _text(given.get(NEXT))
    return "", ""


def _text(value: Any) -> str:
    return shorten(clean_text(value), _LIMIT) if isinstance(value, str) else ""


def _related(text: str, *others: str) -> bool:
    """True when `text` speaks of what one of `others` speaks of: by its words, else by its meaning."""
    stems = set(content_stems(words(text)))
    for other in others:
        theirs = set(content_stems(words(other)))
        if stems and theirs and len(stems & theirs) >= _SHARED * min(len(stems), len(theirs)):
            return True
    try:
        vectors = default_embedder().encode([text, *others])
    except EmbedderUnavailable:
        return True  # without vectors nothing can be said against it
    return bool(max(float(vectors[0] @ other) for other in vectors[1:]) >= _NEAR)
