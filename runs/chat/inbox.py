"""The inbox: what waits for somebody, and one escalation with all that a decision needs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils.translation import get_language, gettext

from accounts.access import permissions_in
from accounts.models import User, Workspace
from activities.models import ParamBinding, ToolBinding
from activities.models.authority import ParamSource
from activities.models.fields import in_language
from activities.tools import Risk, ToolContract
from runs import deciders, selectors
from runs.chat import rows
from runs.chat.present.actions import ConfirmationView, origin_words, risk_label
from runs.chat.present.escalations import EscalationView, escalation_view, group_name
from runs.chat.present.questions import FieldView
from runs.chat.present.run import InputView, run_view
from runs.chat.present.story import StoryStep, story_of
from runs.chat.values import readable, title_of
from runs.inputs import asked
from runs.llm.base import FieldSpec, FieldType
from runs.models import Escalation
from runs.models.question import AskedBecause
from runs.own_actions import fields_of
from runs.states import EscalationState, RunState
from runs.step_tools import usable_tools
from runs.view import RunView

Texts = Mapping[str, str]
_SETTLED = 20


@dataclass(frozen=True)
class Row:
    """One escalation in the list."""

    view: EscalationView
    activity: str
    step: str
    person: str


@dataclass(frozen=True)
class Lists:
    overdue: list[Row]
    waiting: list[Row]
    settled: list[Row]


@dataclass(frozen=True)
class ParamField:
    """One parameter of an action the decider does themselves."""

    id: str
    name: str
    label: str
    required: bool
    is_list: bool
    input_type: str
    input_mode: str
    choices: tuple[tuple[str, str], ...]
    known: tuple[tuple[str, str], ...]
    value: str
    error: str


@dataclass(frozen=True)
class Bound:
    """A parameter that is decided already: by the request, or by the designer."""

    label: str
    value: str
    origin: str


@dataclass(frozen=True)
class ToolForm:
    key: str
    title: str
    risk_label: str
    permitted: bool
    asks: bool
    bound: tuple[Bound, ...]
    fields: tuple[ParamField, ...]


@dataclass(frozen=True)
class Typed:
    """What was just sent and could not be used, kept for correction."""

    kind: str = ""
    texts: Texts = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    problems: Texts = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """One escalation, as one decider sees it."""

    run_id: UUID
    view: EscalationView
    activity: str
    step: str
    person: str
    words: str
    inputs: tuple[InputView, ...]
    steps: tuple[StoryStep, ...]
    may_decide: bool
    held_by_me: bool
    held_by_other: bool
    under_way: str
    confirmation: ConfirmationView | None
    missing: tuple[FieldView, ...]
    tools: tuple[ToolForm, ...]
    groups: tuple[tuple[str, str], ...]
    people: tuple[tuple[str, str], ...]
    #: What somebody said there was for it.
    named: tuple[str, ...]

    @property
    def choices(self) -> tuple[object, ...]:
        """What can be decided now. What somebody is typing is no part of it: it is never swapped away."""
        return (
            self.view.state,
            self.view.taken_by,
            len(self.view.decisions),
            (self.may_decide, self.held_by_me, self.held_by_other, self.under_way),
            self.confirmation and (self.confirmation.id, self.confirmation.state),
            tuple(item.name for item in self.missing),
            tuple((item.key, item.permitted) for item in self.tools),
        )

    @property
    def open_step(self) -> StoryStep | None:
        """The step that is in somebody's hands."""
        ids = {item.id: step for step in self.steps for item in step.escalations}
        return ids.get(self.view.id)


def lists(user: User, workspace: Workspace) -> Lists:
    """Return what waits for `user`, the overdue first, and what they had a hand in lately."""
    waiting = [_row(item) for item in _with_decisions(selectors.escalations_for(user, workspace))]
    seen = deciders.seen_by(user, workspace).exclude(state=EscalationState.OPEN)
    newest = Escalation.objects.filter(pk__in=seen.values("pk")).order_by("-closed_at", "-id")
    settled = _with_decisions(deciders.complete(newest)[:_SETTLED])
    return Lists(
        overdue=[row for row in waiting if row.view.is_overdue],
        waiting=[row for row in waiting if not row.view.is_overdue],
        settled=[_row(item) for item in settled],
    )


def _with_decisions(found: Any) -> Iterable[Escalation]:
    return found.prefetch_related(
        "decisions__by", "decisions__call", "decisions__to_user", "decisions__to_group__workspace_group"
    )


def _row(item: Escalation) -> Row:
    language = get_language() or "en"
    return Row(
        view=escalation_view(item),
        activity=in_language(item.run.activity.name, language) if item.run.activity else "",
        step=in_language(item.step.step.name, language) or item.step.step.key,
        person=item.run.user.get_full_name(),
    )


def page_of(user: User, escalation_id: UUID, typed: Typed) -> Page:
    """Return everything a decision needs. Raises NotFound for whom it does not concern."""
    item = selectors.escalation_for(user, escalation_id)
    shown = rows.whole_runs().get(pk=item.run_id)
    view = run_view(shown, 0, user)
    escalation = next(each for each in view.escalations if each.id == item.pk)
    may_decide = item.state == EscalationState.OPEN and deciders.may_decide(user, item)
    decides_now = may_decide and shown.state == RunState.ESCALATED
    held_by = deciders.holder(item)
    engine = RunView.load(shown.pk) if decides_now else None
    groups, people = _passable(item) if decides_now else ((), ())
    first = next(iter(shown.messages.all()), None)
    return Page(
        run_id=shown.pk,
        view=escalation,
        activity=view.activity,
        step=in_language(item.step.step.name, get_language() or "en") or item.step.step.key,
        person=shown.user.get_full_name(),
        words=first.text if first else "",
        inputs=view.inputs,
        steps=story_of(shown, user),
        may_decide=decides_now,
        held_by_me=held_by == user,
        held_by_other=held_by is not None and held_by != user,
        under_way=_under_way(item, shown.state),
        confirmation=next((each for each in view.pending if each.decider == user.pk), None),
        missing=_missing(engine, typed) if engine else (),
        tools=_tools(engine, item, user, typed) if engine else (),
        groups=groups,
        people=people,
        named=view.named,
    )


def _under_way(item: Escalation, state: str) -> str:
    """Return what goes on while nothing can be decided, empty when something can."""
    if item.state == EscalationState.OPEN and state == RunState.TURN:
        return gettext("The action waits until the other request in this conversation has ended.")
    if item.state == EscalationState.OPEN and state == RunState.AWAITING:
        return gettext("The action waits for its confirmation.")
    if item.state == EscalationState.OPEN and state != RunState.ESCALATED:
        return gettext("The action is being carried out…")
    return ""


def _passable(item: Escalation) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    groups, people = deciders.can_be_passed_to(item)
    return (
        tuple((f"group:{group.pk}", group_name(group)) for group in groups),
        tuple((f"user:{person.pk}", person.get_full_name()) for person in people),
    )


def _missing(view: RunView, typed: Typed) -> tuple[FieldView, ...]:
    """Return the inputs that have no value, as fields."""
    language = get_language() or "en"
    fields = view.activity.inputs.all() if view.activity else ()
    open_ones = [item for item in fields if item.name not in view.inputs]
    return tuple(
        FieldView(
            name=item.name,
            kind=item.kind,
            label=in_language(item.label, language) or item.name,
            hint="",
            error=typed.problems.get(item.name, "") if typed.kind == "supply" else "",
            candidates=asked(view, item, AskedBecause.MISSING).candidates,  # type: ignore[arg-type]
            value=typed.values.get(item.name, ""),
        )
        for item in open_ones
    )


def _tools(view: RunView, item: Escalation, user: User, typed: Typed) -> tuple[ToolForm, ...]:
    step = next(row for row in view.steps if row.pk == item.step_id)
    held = permissions_in(user, item.run.workspace)
    known: dict[str, dict[str, str]] = {}
    for record in view.named_records():
        known.setdefault(record.type, {}).setdefault(record.value, record.label)
    return tuple(
        _tool(view, contract, binding, contract.permission in held, known, typed)
        for contract, binding in usable_tools(view, step)
        if contract.permission in held or not binding.opened
    )


def _tool(
    view: RunView,
    contract: ToolContract,
    binding: ToolBinding,
    permitted: bool,
    known: Mapping[str, Mapping[str, str]],
    typed: Typed,
) -> ToolForm:
    risk = max((contract.risk, Risk(binding.raised_risk or contract.risk)), key=lambda each: each.rank)
    mine = typed if typed.texts.get("tool") == contract.key else Typed()
    return ToolForm(
        key=contract.key,
        title=str(contract.title),
        risk_label=risk_label(risk.value),
        permitted=permitted,
        asks=risk is Risk.HIGH or binding.always_confirm,
        bound=tuple(filter(None, (_bound(view, param) for param in binding.params.all()))),
        fields=tuple(_field(contract, spec, known, mine) for spec in fields_of(contract, binding)),
    )


def _bound(view: RunView, param: ParamBinding) -> Bound | None:
    if param.source == ParamSource.FIXED:
        return Bound(title_of(param.name), readable(param.fixed_value), gettext("set by the designer"))
    row = view.inputs.get(param.input_path.partition(".")[0]) if param.source == ParamSource.INPUT else None
    if row is None:
        return None
    return Bound(
        title_of(param.name), row.label or readable(row.value), origin_words(row.origin, row.words, own=False)
    )


def _field(
    contract: ToolContract, spec: FieldSpec, known: Mapping[str, Mapping[str, str]], typed: Typed
) -> ParamField:
    choices = tuple((choice.value, title_of(choice.value)) for choice in spec.choices)
    if spec.type == FieldType.BOOLEAN:
        choices = (("true", gettext("yes")), ("false", gettext("no")))
    return ParamField(
        id=f"act-{contract.wire_name}-{spec.name}",
        name=spec.name,
        label=title_of(spec.name),
        required=spec.required,
        is_list=spec.is_list,
        input_type="date" if spec.type == FieldType.DATE else "text",
        input_mode={FieldType.INTEGER: "numeric", FieldType.DECIMAL: "decimal"}.get(spec.type, "text"),
        choices=() if spec.is_list else choices,
        known=tuple(known.get(spec.reference, {}).items()) if spec.reference else (),
        value=str(typed.values.get(spec.name, "")),
        error=typed.problems.get(spec.name, ""),
    )
