"""A trial as one object, for the designer's page: route, steps with their calls, what a person would see.

Protected values are shown only to the person the trial was made as; everybody else sees their tokens.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import override

from accounts.models import User
from activities.models import ActivityOutput, DiscoveryLog
from activities.models.fields import in_language
from activities.tools import registry
from runs import answers
from runs.guardrails import Limit, limits_of
from runs.models import Run, RunInput, RunStep, ToolArgument, ToolCall
from runs.offered import offered_to
from runs.protection import Vault
from runs.report import QuestionReport, question_report, shown_outcome
from runs.searches import SearchReport, searches_told
from runs.specs import card_key
from runs.states import DRIVEN_RUN_STATES, CallState, Outcome, RunState
from runs.trials.actions import trial_for
from runs.trials.expectations import route_of
from runs.trials.simulation import SOURCES


@dataclass(frozen=True)
class Offered:
    """An activity among which the request was routed."""

    key: str
    name: str
    chosen: bool


@dataclass(frozen=True)
class Route:
    """Where the request led: an activity's key, or `unclear`, or `declined`."""

    led_to: str
    name: str
    offered: list[Offered]


@dataclass(frozen=True)
class Value:
    """An input or an argument: as a person reads it, who was entitled to decide it, where it is from."""

    name: str
    label: str
    value: Any
    shown: str
    provenance: str
    origin: str
    origin_label: str
    detail: str


@dataclass(frozen=True)
class Call:
    """One tool call. `sources` says of each field of a simulated result where it was taken from.

    `dialog` is what the confirmation would show (summary, recipient, amount, lines, warning); `asks`
    whether a person would be asked.
    """

    id: UUID
    tool: str
    title: str
    state: str
    state_label: str
    risk: str
    effect: str
    arguments: list[Value]
    error_code: str
    error: str
    result: Any
    simulated: bool
    sources: dict[str, str]
    dialog: dict[str, Any] | None
    asks: bool

    @property
    def made_of(self) -> list[tuple[str, str]]:
        """Each field of a simulated result, and in words where its value was taken from."""
        return [(name, str(SOURCES.get(source, source))) for name, source in self.sources.items()]


@dataclass(frozen=True)
class StepPart:
    """One step: its state, the verdict's reason, its calls in order."""

    key: str
    name: str
    state: str
    state_label: str
    attempts: int
    reason: str
    intention: str
    next_intention: str
    searches: list[SearchReport]
    calls: list[Call]


@dataclass(frozen=True)
class Seen:
    """One thing a person would see, in order: their own `message`, a `question`, a `dialog`, the `answer`."""

    kind: str
    text: str = ""
    question: QuestionReport | None = None
    dialog: dict[str, Any] | None = None
    call: Call | None = None


@dataclass(frozen=True)
class LimitUse:
    """What was used of one of the five limits."""

    limit: Limit
    used: float
    allowed: int


@dataclass(frozen=True)
class TrialReport:
    """Everything the trial page shows. `answer` is Markdown, as a person would get it.

    `following` are the runs it was followed by: handed over to, or the next parts of a plan.
    `is_working` is true while one of all these works.
    """

    id: UUID
    as_user: str
    by: str
    agent: str
    revision: int
    language: str
    model: str
    state: str
    outcome: str
    outcome_label: str
    error_code: str
    is_working: bool
    route: Route
    inputs: list[Value]
    steps: list[StepPart]
    outputs: list[Value]
    seen: list[Seen]
    answer: str
    limits: list[LimitUse]
    following: list["TrialReport"]


def trial_report(run: Run, *, reader: User) -> TrialReport:
    """Return the report of a trial of `reader`'s own. Raises NotFound for anybody else's."""
    run = trial_for(reader, run)
    hide = _Hiding(None if run.user_id == reader.pk else Vault.of(run))
    logs = DiscoveryLog.whole.filter(run_id=run.pk).order_by("id").prefetch_related("candidates")
    searches = searches_told(run, list(logs), None)
    steps = [
        _step(step, searches, run, hide) for step in run.steps.select_related("step").order_by("position")
    ]
    outcome = shown_outcome(run)
    assert run.revision is not None  # noqa: S101 - trial_for returns none without
    return TrialReport(
        id=run.pk,
        as_user=run.user.get_full_name(),
        by=run.trial_by.get_full_name() if run.trial_by else "",
        agent=run.revision.agent.key,
        revision=run.revision.number,
        language=run.language,
        model=run.model,
        state=run.state,
        outcome=outcome,
        outcome_label=str(Outcome(outcome).label if outcome else RunState(run.state).label),
        error_code=run.error_code,
        is_working=run.conversation.runs.filter(state__in=DRIVEN_RUN_STATES).exists(),
        route=_route(run),
        inputs=[_input(row, run, hide) for row in run.inputs.all()],
        steps=steps,
        outputs=_outputs(run, hide),
        seen=_seen(run, steps, hide),
        answer=hide(_answer(run)),
        limits=_limits(run),
        following=[trial_report(child, reader=reader) for child in run.children.order_by("pk")],
    )


@dataclass(frozen=True)
class _Hiding:
    """Protected values replaced by their tokens, for who may not see them."""

    vault: Vault | None

    def __call__(self, value: Any) -> Any:
        if self.vault is None:
            return value
        if isinstance(value, str):
            return self.vault.hide(value)
        if isinstance(value, dict):
            return {key: self(item) for key, item in value.items()}
        return [self(item) for item in value] if isinstance(value, list) else value


def _route(run: Run) -> Route:
    chosen = run.activity
    offered = [
        Offered(card_key(item), in_language(item.name, run.language), chosen is not None and item == chosen)
        for item in offered_to(run)
    ]
    name = in_language(chosen.name, run.language) if chosen else ""
    return Route("" if _is_underway(run) else route_of(run), name, offered)


def _is_underway(run: Run) -> bool:
    return run.activity_id is None and run.state in DRIVEN_RUN_STATES


def _input(row: RunInput, run: Run, hide: _Hiding) -> Value:
    fields = {field.name: field for field in run.activity.inputs.all()} if run.activity else {}
    label = in_language(fields[row.name].label, run.language) if row.name in fields else row.name
    return Value(
        row.name,
        label,
        hide(row.value),
        hide(row.label),
        "input",
        row.origin,
        row.get_origin_display(),
        hide(row.words),
    )


def _step(step: RunStep, searches: Sequence[SearchReport], run: Run, hide: _Hiding) -> StepPart:
    calls = step.calls.prefetch_related("arguments").order_by("position")
    return StepPart(
        key=step.step.key,
        name=in_language(step.step.name, run.language),
        state=step.state,
        state_label=step.get_state_display(),
        attempts=step.attempts,
        reason=hide(step.verdict_reason),
        intention=step.intention,
        next_intention=step.next_intention,
        searches=[item for item in searches if item.step == step.step.key],
        calls=[_call(call, hide) for call in calls],
    )


def _call(call: ToolCall, hide: _Hiding) -> Call:
    contract = registry.get(call.tool_key)
    simulation = call.simulation or {}
    return Call(
        id=call.pk,
        tool=call.tool_key,
        title=str(contract.title) if contract else call.tool_key,
        state=call.state,
        state_label=call.get_state_display(),
        risk=call.risk,
        effect=call.effect,
        arguments=[_argument(argument, hide) for argument in call.arguments.all()],
        error_code=call.error_code,
        error=hide(call.error_message),
        result=hide(call.result),
        simulated=call.state == CallState.SIMULATED,
        sources=simulation.get("sources", {}),
        dialog=hide(simulation.get("preview")),
        asks=bool(simulation.get("asks")),
    )


def _argument(argument: ToolArgument, hide: _Hiding) -> Value:
    return Value(
        argument.name,
        argument.name,
        hide(argument.value),
        hide(argument.label),
        argument.provenance,
        argument.origin,
        argument.get_origin_display(),
        hide(argument.detail),
    )


def _outputs(run: Run, hide: _Hiding) -> list[Value]:
    fields: Iterable[ActivityOutput] = run.activity.outputs.all() if run.activity else ()
    labels = {field.name: in_language(field.label, run.language) for field in fields}
    return [
        Value(
            row.name,
            labels.get(row.name) or row.name,
            hide(row.value),
            "",
            row.source,
            row.source,
            "",
            row.detail,
        )
        for row in run.outputs.all()
    ]


def _seen(run: Run, steps: list[StepPart], hide: _Hiding) -> list[Seen]:
    """Return what a person would see, in order of time: identifiers of rows are."""
    found: list[tuple[UUID, Seen]] = [(row.pk, Seen("message", row.text)) for row in run.messages.all()]
    for question in run.questions.prefetch_related("fields__candidates"):
        found.append((question.pk, Seen("question", question.text, question=question_report(question))))
    for step in steps:
        found += [
            (call.id, Seen("dialog", call.title, dialog=call.dialog, call=call))
            for call in step.calls
            if call.asks
        ]
    seen = [item for _pk, item in sorted(found, key=lambda pair: pair[0])]
    return [*seen, Seen("answer", hide(_answer(run)))] if run.answer else seen


def _answer(run: Run) -> str:
    """Return the answer without the words that mark it as a trial's: the page says that itself."""
    with override(run.language):
        return run.answer.removeprefix(answers.tried_out("")) if run.answer else ""


def _limits(run: Run) -> list[LimitUse]:
    allowed = limits_of(run.activity)
    spent: dict[Limit, float] = {
        Limit.MODEL_CALLS: run.model_calls,
        Limit.TOOL_CALLS: run.tool_calls,
        Limit.DURATION: round(run.active_seconds, 3),
        Limit.OUTPUT_TOKENS: run.output_tokens,
        Limit.CONTEXT: run.context_bytes,
    }
    return [LimitUse(limit, value, getattr(allowed, limit.value)) for limit, value in spent.items()]
