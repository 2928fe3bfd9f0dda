"""The whole story of a run, step by step, for whoever asked, decides or audits.

What a step did, what it found and where each value came from, the verdict with its condition and the values
that the condition read, what was tried, who decided what, how long it took. A decider who does not hold a
tool's own right does not see what that tool found.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import get_language, gettext

from accounts.models import User
from activities import conditions
from activities.models.fields import in_language
from activities.paths import NoSuchValue, read
from activities.tools import registry
from agentapp.kernel.canonical import plain
from runs.chat import tones
from runs.chat.present.actions import CallView, call_view, tool_title
from runs.chat.present.escalations import EscalationView, escalation_view
from runs.chat.values import found, readable, title_of
from runs.models import Fact, ModelCall, Run, RunStep, ToolCall
from runs.searches import SearchReport, searches_seen
from runs.selectors import hidden_tools
from runs.states import CallState, StepState


@dataclass(frozen=True)
class ReadValue:
    """One value that a condition reads, as it was when the verdict was given."""

    path: str
    label: str
    value: str
    is_there: bool


@dataclass(frozen=True)
class Judgement:
    """The verdict on a step. `reason` is what kept the condition from holding, if it did not."""

    label: str
    tone: tones.Tone
    condition: str
    stop_condition: str
    reason: str
    reads: tuple[ReadValue, ...]


@dataclass(frozen=True)
class FactView:
    """One fact: what was found, in one line and whole, and whose action gave it."""

    title: str
    found: str
    text: str
    at: datetime
    by: str


@dataclass(frozen=True)
class ModelCallView:
    purpose: str
    model: str
    tokens: int
    milliseconds: int
    problem: str
    at: datetime


@dataclass(frozen=True)
class CallStory:
    """A call, and who made it."""

    view: CallView
    by: str
    decision: str


@dataclass(frozen=True)
class StoryStep:
    number: int
    name: str
    goal: str
    state: str
    state_label: str
    tone: tones.Tone
    attempts: int
    max_attempts: int
    intention: str
    next_intention: str
    declaration: str
    instruction: str
    judgement: Judgement | None
    calls: tuple[CallStory, ...]
    facts: tuple[FactView, ...]
    failures: tuple[tuple[str, str], ...]
    escalations: tuple[EscalationView, ...]
    model_calls: tuple[ModelCallView, ...]
    searches: tuple[SearchReport, ...]
    started_at: datetime | None
    ended_at: datetime | None

    @property
    def is_open(self) -> bool:
        return self.state in (StepState.ENGAGED, StepState.ESCALATED)

    @property
    def has_unknown(self) -> bool:
        """True when an action was started and nobody knows what became of it."""
        return any(item.view.state == CallState.UNKNOWN for item in self.calls)

    @property
    def seconds(self) -> float | None:
        """From its beginning to its end, waiting for people included."""
        if self.started_at is None or self.ended_at is None:
            return None
        return (self.ended_at - self.started_at).total_seconds()


@dataclass(frozen=True)
class _Rows:
    """What a run consists of, read once."""

    calls: list[ToolCall]
    facts: list[Fact]
    models: list[ModelCall]
    inputs: Mapping[str, Any]
    labels: Mapping[str, str]
    hidden: frozenset[str]
    searches: list[SearchReport]
    #: The reader is who asked.
    own: bool


def story_of(run: Run, viewer: User) -> tuple[StoryStep, ...]:
    """Return the steps of a run of `rows.whole_runs`, as `viewer` may see them."""
    rows = _Rows(
        calls=list(run.calls.all()),
        facts=list(run.facts.order_by("id")),
        models=list(run.model_call_rows.order_by("id")),
        inputs={item.name: item.value for item in run.inputs.all()},
        labels=_labels(run),
        hidden=hidden_tools(viewer, run),
        searches=searches_seen(run, viewer),
        own=viewer.pk == run.user_id,
    )
    steps = run.steps.select_related("step").prefetch_related("failures")
    return tuple(_step(step, run, rows, number) for number, step in enumerate(steps, start=1))


def _labels(run: Run) -> dict[str, str]:
    language = get_language() or "en"
    fields = run.activity.inputs.all() if run.activity else ()
    return {field.name: in_language(field.label, language) for field in fields}


def _step(step: RunStep, run: Run, rows: _Rows, number: int) -> StoryStep:
    calls = [call for call in rows.calls if call.step_id == step.pk]
    return StoryStep(
        number=number,
        name=in_language(step.step.name, get_language() or "en") or step.step.key,
        goal=step.step.goal,
        state=step.state,
        state_label=step.get_state_display(),
        tone=tones.STEPS[step.state],
        attempts=step.attempts,
        max_attempts=step.step.max_attempts,
        intention=step.intention,
        next_intention=step.next_intention,
        declaration=step.get_declaration_display() if step.declaration else "",
        instruction=step.instruction,
        judgement=_judgement(step, rows),
        calls=tuple(_call(call, run, rows) for call in calls),
        facts=tuple(_fact(fact, rows) for fact in rows.facts if fact.step_id == step.pk),
        failures=tuple((item.get_kind_display(), item.detail) for item in step.failures.all()),
        escalations=tuple(
            escalation_view(item) for item in reversed(run.escalations.all()) if item.step_id == step.pk
        ),
        model_calls=tuple(_model_call(item) for item in rows.models if item.step_id == step.pk),
        searches=tuple(item for item in rows.searches if item.step == step.step.key),
        started_at=step.started_at,
        ended_at=step.ended_at,
    )


def _judgement(step: RunStep, rows: _Rows) -> Judgement | None:
    if step.state == StepState.PENDING:
        return None
    condition = step.step.stops_when if step.state == StepState.STOPPED else step.step.passes_when
    return Judgement(
        label=step.get_verdict_display() if step.verdict else gettext("not judged yet"),
        tone=tones.STEPS[step.state],
        condition=condition,
        stop_condition=step.step.stops_when,
        reason=""
        if step.verdict_reason in (step.step.passes_when, step.step.stops_when)
        else step.verdict_reason,
        reads=_reads(condition, step, rows),
    )


def _reads(condition: str, step: RunStep, rows: _Rows) -> tuple[ReadValue, ...]:
    """Return the values the condition reads, from the facts there were when the verdict was given."""
    known = [fact for fact in rows.facts if step.ended_at is None or fact.created_at <= step.ended_at]
    keys = {call.pk: call.tool_key for call in rows.calls}
    hidden = {fact.key for fact in known if keys.get(fact.call_id) in rows.hidden}
    scope = {
        "facts": {fact.key: plain(fact.data) for fact in known},
        "inputs": dict(rows.inputs),
        "attempts": step.attempts,
    }
    paths = conditions.values_read(condition)
    told = [path for path in paths if not any(other.startswith(f"{path}.") for other in paths)]
    return tuple(_read(path, scope, hidden, rows) for path in told)


def _read(path: str, scope: Mapping[str, Any], hidden: Iterable[str], rows: _Rows) -> ReadValue:
    kind, _dot, rest = path.partition(".")
    key = rest.partition(".")[0]
    if kind == "facts" and key in hidden:
        return ReadValue(path, _path_label(path, rows), gettext("hidden: you lack the right to see it"), True)
    try:
        value = read(path, scope)
    except NoSuchValue:
        return ReadValue(path, _path_label(path, rows), gettext("not there"), False)
    shown = found(value) if isinstance(value, Mapping) else readable(value)
    return ReadValue(path, _path_label(path, rows), shown or gettext("there"), True)


def _path_label(path: str, rows: _Rows) -> str:
    """Return what a path means to a person: the tool's title and the value's name."""
    kind, _dot, rest = path.partition(".")
    key, _dot, field = rest.partition(".")
    if kind == "attempts":
        return gettext("attempts")
    if kind == "inputs":
        return rows.labels.get(key) or title_of(key)
    titles = (str(contract.title) for contract in registry.declared() if contract.fact_key == key)
    title = next(titles, title_of(key))
    return f"{title} → {title_of(field)}" if field else title


def _call(call: ToolCall, run: Run, rows: _Rows) -> CallStory:
    view = call_view(call, rows.labels, own=rows.own)
    if call.tool_key in rows.hidden:
        view = _without_result(view)
    decision = next((item for item in run.confirmations.all() if item.call_id == call.pk), None)
    return CallStory(view, call.by.get_full_name() if call.by else "", _decided(decision))


def _decided(confirmation: Any) -> str:
    if confirmation is None:
        return ""
    who = confirmation.decided_by.get_full_name() if confirmation.decided_by else ""
    label = str(confirmation.get_state_display())
    return f"{label} · {who}" if who else label


def _without_result(view: CallView) -> CallView:
    hidden = gettext("hidden: you lack the right to see it")
    return CallView(**{**vars(view), "found": hidden, "result": None, "arguments": ()})


def _fact(fact: Fact, rows: _Rows) -> FactView:
    call = next(call for call in rows.calls if call.pk == fact.call_id)
    hidden = call.tool_key in rows.hidden
    contract = registry.get(call.tool_key)
    return FactView(
        title=tool_title(call.tool_key),
        found=gettext("hidden: you lack the right to see it") if hidden else found(fact.data, contract),
        text="" if hidden else json.dumps(fact.data, ensure_ascii=False, indent=2),
        at=fact.created_at,
        by=call.by.get_full_name() if call.by else "",
    )


def _model_call(row: ModelCall) -> ModelCallView:
    return ModelCallView(
        purpose=row.purpose,
        model=row.model,
        tokens=row.output_tokens,
        milliseconds=row.milliseconds,
        problem=row.error_message,
        at=row.created_at,
    )
