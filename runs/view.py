"""What the engine knows of a run: its rows, read once when the lease is taken, then kept current.

The holder of the lease is the only writer, so what it wrote is what stands.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Model, QuerySet
from django.utils import timezone

from accounts.models import User
from accounts.standing import Standing, standing
from activities.frozen import pinned_activity
from activities.models import Activity, ActivityInput, ActivityOutput, DiscoveryLog, Step, ToolBinding
from activities.models.activity import OutputSource
from activities.models.discovery import DiscoveryStage
from activities.rights import standing_for
from activities.tools import ToolContext, registry
from agentapp.kernel.canonical import plain
from agentapp.kernel.compiled import Compiled
from runs.grounding import Ground, NamedRecord, references_in
from runs.models import Fact, Message, ModelCall, Question, Run, RunInput, RunOutput, RunStep, ToolCall
from runs.models.run import Origin
from runs.protection import Vault, project
from runs.references import Eyes
from runs.states import QuestionState, StepState

R = TypeVar("R", bound=Model)


def _actor(run: Run, call: ToolCall | None) -> User:
    """Return with whose rights an action is done: the run's person, or who decided and acts themselves."""
    return call.by if call is not None and call.by is not None else run.user


def _of_run(rows: Callable[[], QuerySet[R]]) -> Compiled[R, R]:
    return Compiled(lambda run: rows().filter(run=run))


_RUN = Compiled(lambda run: Run.objects.select_related("workspace", "user").filter(pk=run))
_STOPPED = Compiled.existing(lambda run: Run.objects.filter(pk=run, stop_requested=True))
_MESSAGES = _of_run(Message.objects.all)
_INPUTS = _of_run(RunInput.objects.all)
_STEPS = _of_run(RunStep.objects.all)
_CALLS = _of_run(lambda: ToolCall.objects.prefetch_related("arguments"))
_FACTS = _of_run(Fact.objects.all)
_OUTPUTS = _of_run(RunOutput.objects.all)
_MODEL_CALLS = _of_run(ModelCall.objects.all)
_QUESTIONS = _of_run(lambda: Question.objects.prefetch_related("fields__candidates"))


def _read(rows: Compiled[R, R], run: Run) -> list[R]:
    """Return what hangs on `run`, which they then share."""
    found = rows.rows(run.pk)
    for row in found:
        row.run = run  # type: ignore[attr-defined]
    return found


def _searches_of(run: Run) -> list[DiscoveryLog]:
    found = DiscoveryLog.whole.filter(run_id=run.pk, stage=DiscoveryStage.TOOLS)
    return list(found.order_by("id").prefetch_related("candidates"))


@dataclass
class RunView:
    """A run and everything that hangs on it."""

    run: Run
    messages: list[Message]
    inputs: dict[str, RunInput]
    steps: list[RunStep]
    calls: list[ToolCall]
    facts: list[Fact]
    outputs: dict[str, RunOutput]
    model_calls: list[ModelCall]
    questions: list[Question]
    vault: Vault
    activity: Activity | None = None
    bindings: dict[str, ToolBinding] = field(default_factory=dict)
    #: The searches for tools of its open steps.
    searches: list[DiscoveryLog] = field(default_factory=list)
    #: Set when the lease was taken; active time is counted from here.
    driving_since: datetime = field(default_factory=timezone.now)

    @classmethod
    def load(cls, run_id: UUID) -> "RunView":
        """Read the run. Raises Run.DoesNotExist."""
        return cls.of(_RUN.get(run_id))

    @classmethod
    def of(cls, run: Run) -> "RunView":
        """Read what hangs on a run that was just read with its workspace and user."""
        if run.fence <= 1 and run.parent_id is None and run.activity_id is None:
            return cls.untouched(run)
        view = cls(
            run=run,
            messages=_read(_MESSAGES, run),
            inputs={row.name: row for row in _read(_INPUTS, run)},
            steps=_read(_STEPS, run),
            calls=_read(_CALLS, run),
            facts=_read(_FACTS, run),
            outputs={row.name: row for row in _read(_OUTPUTS, run)},
            model_calls=_read(_MODEL_CALLS, run),
            questions=_read(_QUESTIONS, run),
            vault=Vault.of(run),
        )
        if run.activity_id:
            view.use_activity(run.activity_id)
        return view

    def read_calls(self) -> None:
        """Read the calls anew: a person may decide on them while this worker holds the run."""
        self.calls = _read(_CALLS, self.run)

    @classmethod
    def untouched(cls, run: Run) -> "RunView":
        """Return the view of a run nobody drove before: it has its messages and nothing else."""
        return cls(run, _read(_MESSAGES, run), {}, [], [], [], {}, [], [], Vault(run.pk))

    def use_activity(self, activity_id: UUID) -> None:
        """Take the pinned activity with its contract and procedure."""
        self.activity = pinned_activity(activity_id)
        self.bindings = {binding.tool_key: binding for binding in self.activity.tool_bindings.all()}
        by_id = {step.pk: step for step in self.activity.steps.all()}
        if any(step.openings.all() for step in by_id.values()):
            self.searches = _searches_of(self.run)
        for row in self.steps:
            row.step = by_id[row.step_id]

    # What the person said and where they are

    @property
    def language(self) -> str:
        return self.run.language

    @property
    def words(self) -> list[str]:
        """Everything the person wrote in this run: of its message, the part that the run is about."""
        said = [message.text for message in self.messages]
        return [self.run.words, *self.answers] if self.run.words else said

    @property
    def answers(self) -> list[str]:
        """What the person wrote after the request. A linked run has no message of its own."""
        said = [message.text for message in self.messages]
        return said if self.run.parent_id else said[1:]

    def context(self, call: ToolCall | None = None) -> ToolContext:
        """Return the context in which this run's tools act."""
        return ToolContext(
            user=_actor(self.run, call),
            workspace=self.run.workspace,
            language=self.run.language,
            time_zone=ZoneInfo(self.run.time_zone),
            now=timezone.now(),
            run_id=self.run.pk,
            tool_call_id=call.pk if call else None,
            idempotency_key=call.idempotency_key if call else "",
            stopped=self.is_stopped,
        )

    def is_stopped(self) -> bool:
        """True when the person pressed Stop, asked of the database."""
        return _STOPPED.found(self.run.pk)

    def rights(self, call: ToolCall | None = None) -> Standing:
        """Return what the user, or who makes `call` themselves, is and may here, read anew at each call."""
        user = _actor(self.run, call)
        if self.activity is None:
            return standing(user, self.run.workspace)
        return standing_for(user, self.activity, self.run.workspace)

    def eyes(self, rights: Standing | None = None, call: ToolCall | None = None) -> Eyes:
        """Return as whom this run looks records up; without `rights`, as they are now."""
        return Eyes(self.context(call), (rights or self.rights(call)).permissions)

    # The procedure

    @property
    def procedure(self) -> list[Step]:
        return list(self.activity.steps.all()) if self.activity else []

    @property
    def current_step(self) -> RunStep | None:
        """Return the first step that is not passed, None when all are."""
        return next((step for step in self.steps if step.state != StepState.PASSED), None)

    def calls_of(self, step: RunStep) -> list[ToolCall]:
        return [call for call in self.calls if call.step_id == step.pk]

    def rounds_of(self, step: RunStep) -> list[ModelCall]:
        """Return the model calls of a step that came to an end; one under way is no round yet."""
        return [
            call
            for call in self.model_calls
            if call.step_id == step.pk and call.purpose == "step" and call.ended
        ]

    @property
    def open_question(self) -> Question | None:
        return next((question for question in self.questions if question.state == QuestionState.OPEN), None)

    @property
    def unread_answer(self) -> list[str]:
        """Return the inputs the last question asked for whose answer, in words, was not read yet."""
        last = self.questions[-1] if self.questions else None
        if last is None or last.state != QuestionState.ANSWERED or last.step_id is not None:
            return []
        fields = [field for field in last.fields.all() if field.answer is None]
        known = {item.name for item in self.activity.inputs.all()} if self.activity else set()
        return [field.name for field in fields if field.name in known and field.name not in self.inputs]

    @property
    def unwritten_prose(self) -> list[ActivityOutput]:
        """Return the prose fields of the activity that have no text yet."""
        fields = self.activity.outputs.all() if self.activity else ()
        return [
            item for item in fields if item.source == OutputSource.PROSE and item.name not in self.outputs
        ]

    # The evidence

    @property
    def input_values(self) -> dict[str, Any]:
        return {name: row.value for name, row in self.inputs.items()}

    def projected_inputs(self) -> dict[str, Any]:
        """Return the inputs as a model may see them: what the designer protects is a token."""
        protected = {field_.name: field_.protected for field_ in self._protected_fields()}
        return {
            name: self._tokens(protected[name], value)
            if name in protected
            else self.vault.project_json(value)
            for name, value in self.input_values.items()
        }

    def projected_words(self, texts: Sequence[str]) -> str:
        """Return the person's words as a model may see them."""
        text = "\n".join(texts)
        for field_ in self._protected_fields():
            row = self.inputs.get(field_.name)
            for said in (row.words, str(row.value)) if row and row.value is not None else ():
                text = text.replace(said, self.vault.token(field_.protected, said)) if said else text
        return self.vault.project_words(text)

    def _protected_fields(self) -> list[ActivityInput]:
        return [item for item in self.activity.inputs.all() if item.protected] if self.activity else []

    def _tokens(self, kind: str, value: Any) -> Any:
        if isinstance(value, list):
            return [self._tokens(kind, item) for item in value]
        return value if value is None else self.vault.token(kind, str(value))

    def scope(self, step: RunStep | None = None) -> dict[str, Any]:
        """Return what conditions and templates read: inputs, attempts, the latest fact of each tool."""
        return {
            "facts": {fact.key: plain(fact.data) for fact in self.facts},
            "inputs": self.input_values,
            "attempts": step.attempts if step else 0,
        }

    def projected_facts(self) -> dict[str, Any]:
        """Return the facts as a model may see them."""
        by_call = {call.pk: call for call in self.calls}
        return {fact.key: self.projected(fact.data, by_call[fact.call_id].tool_key) for fact in self.facts}

    def projected(self, data: Mapping[str, Any], tool_key: str) -> dict[str, Any]:
        """Return one result as a model may see it; of a tool that is gone, nothing."""
        contract = registry.get(tool_key)
        if contract is None:
            return {}
        return project(data, contract, self.bindings.get(tool_key), self.run, self.vault)

    def named_records(self) -> list[NamedRecord]:
        """Return the records that inputs and facts of this run name."""
        records = [
            NamedRecord(field_.reference, value, row.label or value, Ground(Origin.INPUT, field_.name))
            for field_ in (self.activity.inputs.all() if self.activity else [])
            if field_.reference and (row := self.inputs.get(field_.name)) is not None
            for value in (row.value if isinstance(row.value, list) else [row.value])
            if value
        ]
        by_call = {call.pk: call for call in self.calls}
        for fact in self.facts:
            contract = registry.get(by_call[fact.call_id].tool_key)
            if contract is not None:
                records.extend(references_in(fact.data, contract))
        return records
