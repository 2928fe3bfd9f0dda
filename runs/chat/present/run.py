"""A run as its article in the conversation shows it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext

from accounts.models import User
from activities.models.fields import in_language
from agentapp.kernel.sanitise import markdown_html
from runs.answers import TOLD_NOT_TO
from runs.chat import tones
from runs.chat.present.actions import CallView, ConfirmationView, call_view, confirmation_views, origin_words
from runs.chat.present.escalations import EscalationView, escalation_view
from runs.chat.present.questions import QuestionView, answer_words, question_view
from runs.chat.values import shown
from runs.models import MessageAuthor, Question, Run, RunInput, RunStep
from runs.states import (
    ACTIVE_RUN_STATES,
    DRIVEN_RUN_STATES,
    CallState,
    Outcome,
    PartState,
    QuestionState,
    RunState,
    StepState,
)


@dataclass(frozen=True)
class Said:
    """One thing said before the work: by the person, or a question that has been answered since."""

    by_person: bool
    text: str
    at: datetime


@dataclass(frozen=True)
class PartView:
    """One part of a plan: what it does, the person's words for it, whether it is held or was stopped."""

    position: int
    activity: str
    words: str
    state: str
    note: str


@dataclass(frozen=True)
class InputView:
    name: str
    label: str
    value: str
    origin: str


@dataclass(frozen=True)
class StepView:
    name: str
    state: str
    state_label: str
    tone: tones.Tone
    reason: str
    attempts: int
    intention: str
    next_intention: str
    verdict_label: str
    calls: tuple[CallView, ...]


@dataclass(frozen=True)
class RunView:
    """Everything the article shows. `version` is the number of the last event it takes account of."""

    id: UUID
    version: int
    created_at: datetime
    finished_at: datetime | None
    activity: str
    agent: str
    revision: int | None
    state: str
    outcome: str
    outcome_label: str
    tone: tones.Tone
    said: tuple[Said, ...]
    plan: tuple[PartView, ...]
    words: str
    inputs: tuple[InputView, ...]
    steps: tuple[StepView, ...]
    question: QuestionView | None
    confirmations: tuple[ConfirmationView, ...]
    answer: SafeString
    model: str
    progress: str
    active_seconds: float
    escalations: tuple[EscalationView, ...]
    viewer: UUID | None
    continues: bool
    #: Whether the viewer can say that there was something for it, and what was said.
    can_name: bool
    named: tuple[str, ...]

    @property
    def is_active(self) -> bool:
        return self.state in ACTIVE_RUN_STATES

    @property
    def is_driven(self) -> bool:
        """A worker has it, or is about to."""
        return self.state in DRIVEN_RUN_STATES

    @property
    def is_finished(self) -> bool:
        return self.state == RunState.FINISHED

    @property
    def is_waiting_turn(self) -> bool:
        return self.state == RunState.TURN

    @property
    def escalation(self) -> EscalationView | None:
        """The one that is open."""
        return next((item for item in self.escalations if item.is_open), None)

    @property
    def pending(self) -> tuple[ConfirmationView, ...]:
        """What waits for the viewer: what somebody does themselves in an open step waits for them."""
        return tuple(
            item for item in self.confirmations if item.is_pending and self.viewer in (None, item.decider)
        )

    @property
    def decided(self) -> tuple[ConfirmationView, ...]:
        return tuple(item for item in self.confirmations if not item.is_pending)

    @property
    def action_count(self) -> int:
        return sum(call.state == CallState.SUCCEEDED for step in self.steps for call in step.calls)


def run_view(
    run: Run,
    version: int,
    viewer: User | None,
    *,
    problems: Mapping[str, str] | None = None,
    tried: Mapping[str, Any] | None = None,
) -> RunView:
    """Return the view of a run of `rows.whole_runs`. `problems` and `tried` concern an answer just sent."""
    fields = _labels(run)
    labels = {name: label for name, (label, _kind) in fields.items()}
    own = viewer is None or viewer.pk == run.user_id
    calls = {call.pk: call_view(call, labels, own=own) for call in run.calls.all()}
    steps = tuple(_step(step, run, calls) for step in run.steps.all())
    open_question = _open_question(run)
    return RunView(
        id=run.pk,
        version=version,
        created_at=run.created_at,
        finished_at=run.finished_at,
        activity=_name(run.activity),
        agent=_name(run.revision.agent) if run.revision else "",
        revision=run.revision.number if run.revision else None,
        state=run.state,
        outcome=run.outcome,
        outcome_label=str(Outcome(run.outcome).label) if run.outcome else "",
        tone=tones.OUTCOMES[run.outcome] if run.outcome else tones.RUNS[run.state],
        said=tuple(_said(run)),
        plan=tuple(_plan(run)),
        words=run.words if run.parent_id else "",
        inputs=tuple(_input(item, fields, own) for item in run.inputs.all()),
        steps=steps,
        question=question_view(open_question, problems, tried) if open_question else None,
        confirmations=tuple(confirmation_views(run, calls, viewer)),
        answer=markdown_html(run.answer) if run.answer else mark_safe(""),
        model=model_name(run.model),
        progress=_progress(run, steps),
        active_seconds=run.active_seconds,
        escalations=tuple(escalation_view(item) for item in reversed(run.escalations.all())),
        viewer=viewer.pk if viewer else None,
        continues=run.parent_id is not None,
        can_name=can_name(run, viewer),
        named=tuple(named_by(run, viewer)),
    )


def can_name(run: Run, viewer: User | None) -> bool:
    """True where the run's own answer offers its reader to say that there was something for it."""
    own = viewer is None or viewer.pk == run.user_id
    refused = run.outcome == Outcome.DECLINED and run.error_code != TOLD_NOT_TO
    return own and refused and not run.trial


def named_by(run: Run, viewer: User | None) -> Iterator[str]:
    """Yield what was there for the run, as far as this reader named or found it: others may use more."""
    reader = viewer.pk if viewer else run.user_id
    for item in run.missed.all():
        found_by = item.named_by_id or run.user_id
        if found_by == reader:
            yield item.label or item.key


def model_name(model: str) -> str:
    """Return the model's name; the built-in one has it in the reader's language."""
    return gettext("built-in interpreter") if model == "built-in interpreter" else model


def _name(named: Any) -> str:
    return in_language(named.name, get_language() or "en") if named else ""


def _said(run: Run) -> list[Said]:
    """Messages and answered questions, in the order in which they were said."""
    messages = list(run.messages.all())
    said = [Said(m.author == MessageAuthor.PERSON, m.text, m.created_at) for m in messages]
    for question in run.questions.all():
        if question.state == QuestionState.ANSWERED and question.answered_at:
            said.append(Said(False, question.text, question.created_at))
            if not any(question.created_at < m.created_at <= question.answered_at for m in messages):
                said.append(Said(True, answer_words(question), question.answered_at))
    return sorted(said, key=lambda item: item.at)


def _plan(run: Run) -> Iterator[PartView]:
    """Yield the parts of the plan, with the run that has the message."""
    if run.plan is None or run.parent_id is not None:
        return
    for part in run.plan.parts.all():
        note = str(part.get_state_display()) if part.state in (PartState.HELD, PartState.STOPPED) else ""
        yield PartView(part.position, _name(part.activity), part.words, part.state, note)


def _open_question(run: Run) -> Question | None:
    if run.state != RunState.NEEDS_INPUT:
        return None
    return next((question for question in run.questions.all() if question.state == QuestionState.OPEN), None)


def _labels(run: Run) -> dict[str, tuple[str, str]]:
    """Return label and kind of the activity's inputs, by name."""
    language = get_language() or "en"
    fields = run.activity.inputs.all() if run.activity else ()
    return {field.name: (in_language(field.label, language), field.kind) for field in fields}


def _input(item: RunInput, labels: Mapping[str, tuple[str, str]], own: bool) -> InputView:
    label, kind = labels.get(item.name, (item.name, ""))
    return InputView(
        name=item.name,
        label=label,
        value=shown(item.value, item.label, kind),
        origin=origin_words(item.origin, item.words, own=own),
    )


def _step(step: RunStep, run: Run, calls: Mapping[UUID, CallView]) -> StepView:
    return StepView(
        name=_name(step.step),
        state=step.state,
        state_label=step.get_state_display(),
        tone=_step_tone(step, run),
        reason=step.verdict_reason,
        attempts=step.attempts,
        intention=step.intention,
        next_intention=step.next_intention,
        verdict_label=step.get_verdict_display() if step.verdict else "",
        calls=tuple(calls[call.pk] for call in run.calls.all() if call.step_id == step.pk),
    )


def _step_tone(step: RunStep, run: Run) -> tones.Tone:
    """A step in progress that waits for a person does not look busy."""
    waits = step.state == StepState.ENGAGED and run.state in (RunState.NEEDS_INPUT, RunState.AWAITING)
    return tones.CALLS[CallState.AWAITING] if waits else tones.STEPS[step.state]


def _progress(run: Run, steps: Sequence[StepView]) -> str:
    """Return what goes on now, in one phrase; empty when nothing does."""
    if run.stop_requested and run.state in DRIVEN_RUN_STATES:
        return gettext("Stopping…")
    match run.state:
        case RunState.NEEDS_INPUT:
            return gettext("Waiting for your answer")
        case RunState.AWAITING:
            others = [item.by for item in run.calls.all() if item.state == CallState.AWAITING and item.by]
            if others:
                return gettext("%(name)s is deciding") % {"name": others[0].get_full_name()}
            return gettext("Waiting for your decision")
        case RunState.QUEUED | RunState.WORKING:
            return _work(run, steps)
    return ""


def _work(run: Run, steps: Sequence[StepView]) -> str:
    if run.activity is None:
        return gettext("Reading your request…")
    current = next((step for step in steps if step.state == StepState.ENGAGED), None)
    if current is None:
        return gettext("Preparing…")
    open_call = next((call for call in current.calls if call.is_open), None)
    return f"{current.name}: {open_call.title}…" if open_call else f"{current.name}…"
