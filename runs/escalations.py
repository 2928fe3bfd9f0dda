"""Deciding on an escalation: take it, let the step go on, act, pass it on, close it. Once, by one person.

Every function locks the run, then the escalation; who comes second is told who was first. Only facts pass a
step: a decision lets it go on or ends it, and never counts as done.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts.models import ActorKind, User
from activities.values import ValueInvalid
from agentapp.kernel.canonical import dumps
from agentapp.kernel.errors import Conflict, InvalidInput, NotFound
from agentapp.kernel.text import clean_text, clean_value
from runs import answers, deciders
from runs.escalating import settle, wake
from runs.finishing import finish_run, refuse_call
from runs.gate import Refused, check
from runs.inputs import Settled, answered
from runs.journal import Journal, write_events
from runs.models import Escalation, EscalationDecision, Run, RunInput, RunStep, ToolCall
from runs.models.run import Origin
from runs.own_actions import read_params
from runs.queueing import run_resume
from runs.states import DecisionKind, EscalationState, Outcome, RunState, StepState, change_state
from runs.step_tools import usable_tools
from runs.view import RunView

MAX_TEXT = 2_000


@dataclass
class Deciding:
    """One decision under way: its rows are locked until the transaction ends."""

    user: User
    run: Run
    escalation: Escalation
    journal: Journal = field(default_factory=Journal)

    def decided(self, kind: DecisionKind, **values: Any) -> None:
        """Put the decision on record."""
        row = EscalationDecision.objects.create(escalation=self.escalation, kind=kind, by=self.user, **values)
        data = {
            "escalation": str(self.escalation.pk),
            "decision": kind.value,
            "text": row.text,
            "values": row.values,
            "call": str(row.call_id) if row.call_id else None,
        }
        told = {key: value for key, value in data.items() if value not in ("", None, {})}
        to = row.to_user.get_full_name() if row.to_user else str(row.to_group or "")
        if to:
            told["to"] = to
        self.journal.event("escalation.decided", told, ActorKind.PERSON)

    def hold(self) -> None:
        """Keep others from deciding for a while."""
        self.escalation.taken_by, self.escalation.taken_at = self.user, timezone.now()
        self.escalation.save(update_fields=["taken_by", "taken_at"])

    def close(self) -> Escalation:
        """Write the events and wake who watches."""
        write_events(self.run, self.journal, self.user)
        wake(self.escalation)
        return self.escalation


def take(escalation_id: UUID, *, user: User, over: bool = False) -> Escalation:
    """Say that one is on it. `over` takes it from who has it. Raises NotFound, Conflict."""
    with transaction.atomic():
        deciding = _begin(escalation_id, user, over=over)
        deciding.hold()
        deciding.decided(DecisionKind.TAKE)
        return deciding.close()


def supply(
    escalation_id: UUID, *, user: User, values: Mapping[str, Any], instruction: str = ""
) -> Escalation:
    """Give inputs that have no value yet, an instruction, or both, and let the step go on.

    Raises NotFound, Conflict, InvalidInput with `data["fields"]`.
    """
    said = _text(instruction, "instruction", required=False)
    given = {name: value for name, value in values.items() if value not in (None, "", [])}
    if not said and not given:
        raise InvalidInput(
            _("Give a value or an instruction: without either, the step would stop at the same place."),
            fields={"instruction": _("Write what should be done.")},
        )
    with transaction.atomic():
        deciding = _begin(escalation_id, user)
        view = RunView.load(deciding.run.pk)
        rows = [item.row(view) for item in _settled_values(view, given)]
        RunInput.objects.bulk_create(rows)
        deciding.decided(DecisionKind.SUPPLY, text=said, values={row.name: row.value for row in rows})
        for row in rows:
            data = {"name": row.name, "value": row.value, "label": row.label, "origin": row.origin}
            deciding.journal.event("run.input", data, ActorKind.PERSON)
        _resume_step(deciding, said)
        settle(deciding.escalation, EscalationState.RESUMED, deciding.journal, by=user)
        run_resume(deciding.run)
        Run.objects.filter(pk=deciding.run.pk).update(answer="")
        return deciding.close()


def act(escalation_id: UUID, *, user: User, tool: str, params: Mapping[str, Any]) -> ToolCall:
    """Do one action of the open step oneself, with one's own rights, through the gate.

    What the gate refuses is on record and raised as InvalidInput; a high-risk action then waits for the
    decider's own confirmation. Raises NotFound, Conflict.
    """
    with transaction.atomic():
        deciding = _begin(escalation_id, user)
        view = RunView.load(deciding.run.pk)
        step = next(item for item in view.steps if item.pk == deciding.escalation.step_id)
        call = _proposed(deciding, view, step, tool, params)
        deciding.hold()
        refusal = _refused(view, step, call)
        call.save(force_insert=True)
        named = {"call": str(call.pk), "tool": call.tool_key}
        deciding.journal.event("call.proposed", named, ActorKind.PERSON)
        deciding.decided(DecisionKind.ACT, call=call)
        if refusal is None:
            run_resume(deciding.run)
        else:
            refuse_call(call, deciding.journal, refusal.code, refusal.message)
        deciding.close()
    if refusal is not None:
        wrong = dict.fromkeys(refusal.params, refusal.message)
        raise InvalidInput(
            _("This was refused: %(reason)s") % {"reason": refusal.message}, reason=refusal.code, fields=wrong
        )
    return call


def pass_on(escalation_id: UUID, *, user: User, to: str) -> Escalation:
    """Give it to somebody else: `to` is "group:<id>" or "user:<id>", one of `deciders.can_be_passed_to`.

    Raises NotFound, Conflict, InvalidInput.
    """
    with transaction.atomic():
        deciding = _begin(escalation_id, user)
        groups, people = deciders.can_be_passed_to(deciding.escalation)
        group = next((item for item in groups if to == f"group:{item.pk}"), None)
        person = next((item for item in people if to == f"user:{item.pk}"), None)
        if group is None and person is None:
            raise InvalidInput(
                _("Choose who should decide."), fields={"to": _("Choose a group or a person of the list.")}
            )
        escalation = deciding.escalation
        escalation.group, escalation.assignee = group or escalation.group, person
        escalation.taken_by = escalation.taken_at = None
        escalation.save(update_fields=["group", "assignee", "taken_by", "taken_at"])
        deciding.decided(DecisionKind.PASS_ON, to_group=group, to_user=person)
        return deciding.close()


def close(escalation_id: UUID, *, user: User, reason: str) -> Escalation:
    """End the run as not done, for a reason that the person who asked reads. Raises NotFound, Conflict,
    InvalidInput.
    """
    told = _text(reason, "reason", required=True)
    with transaction.atomic():
        deciding = _begin(escalation_id, user)
        deciding.decided(DecisionKind.CLOSE, text=told)
        settle(deciding.escalation, EscalationState.CLOSED, deciding.journal, by=user, reason=told)
        with translation.override(deciding.run.language):
            answer = answers.closed(user.get_full_name(), told)
        finish_run(
            deciding.run,
            Outcome.REFUSED,
            deciding.journal,
            answer=answer,
            code="closed",
            by=ActorKind.PERSON,
        )
        return deciding.close()


def _begin(escalation_id: UUID, user: User, *, over: bool = False) -> Deciding:
    """Lock what a decision changes, and check that it is this person's to make now."""
    run_id = Escalation.objects.filter(pk=escalation_id).values_list("run_id", flat=True).first()
    if run_id is None:
        raise NotFound(_("There is no such escalation."))
    run = Run.objects.select_for_update(of=("self",)).select_related("workspace", "user").get(pk=run_id)
    locked = Escalation.objects.select_for_update(of=("self",)).filter(pk=escalation_id)
    escalation = deciders.complete(locked).get()
    if not deciders.may_decide(user, escalation):
        if deciders.seen_by(user, run.workspace).filter(pk=escalation.pk).exists():
            raise Conflict(_told_who(escalation), state=escalation.state)
        raise NotFound(_("There is no such escalation."))
    _still_open(run, escalation, user, over=over)
    return Deciding(user, run, escalation)


def _still_open(run: Run, escalation: Escalation, user: User, *, over: bool) -> None:
    if escalation.state != EscalationState.OPEN:
        raise Conflict(_told_who(escalation), state=escalation.state)
    if run.state != RunState.ESCALATED:
        raise Conflict(_("An action is under way in this run. Wait until it has ended."), state=run.state)
    held_by = deciders.holder(escalation)
    if held_by is not None and held_by != user and not over:
        raise Conflict(_told_who(escalation), state=escalation.state)


def _told_who(escalation: Escalation) -> str:
    """Return what to tell who comes second."""
    by = escalation.closed_by or escalation.taken_by
    name = {"name": by.get_full_name() if by else _("somebody else")}
    match escalation.state:
        case EscalationState.RESUMED:
            return _("%(name)s already decided: the step goes on.") % name
        case EscalationState.SOLVED:
            return _("%(name)s already did this; the step is passed.") % name
        case EscalationState.CLOSED if escalation.closed_by:
            return _("%(name)s already closed this as not done.") % name
        case EscalationState.CLOSED:
            return _("The run has ended; nothing is left to decide.")
    return _("%(name)s has taken this and is on it.") % name


def _text(text: str, name: str, *, required: bool) -> str:
    cleaned = clean_text(text).strip()
    if required and not cleaned:
        raise InvalidInput(_("Give a reason."), fields={name: _("Write why: the person who asked reads it.")})
    if len(cleaned) > MAX_TEXT:
        told = _("At most %(limit)d characters.") % {"limit": MAX_TEXT}
        raise InvalidInput(told, fields={name: told})
    return cleaned


def _settled_values(view: RunView, given: Mapping[str, Any]) -> list[Settled]:
    by_name = {item.name: item for item in (view.activity.inputs.all() if view.activity else ())}
    eyes = view.eyes()
    settled: list[Settled] = []
    wrong: dict[str, str] = {}
    for name, raw in given.items():
        if name not in by_name or name in view.inputs:
            wrong[name] = _("This value is not missing.")
            continue
        try:
            item = answered(view, by_name[name], clean_value(raw), eyes)
            settled.append(replace(item, origin=Origin.DECIDER))
        except ValueInvalid as error:
            wrong[name] = str(error)
    if wrong:
        raise InvalidInput(_("Some values cannot be used."), fields=wrong)
    return settled


def _resume_step(deciding: Deciding, instruction: str) -> None:
    step: RunStep = deciding.escalation.step
    said = "\n".join(filter(None, (step.instruction, instruction)))
    change_state(
        step,
        StepState.ENGAGED,
        attempts=0,
        verdict="",
        instruction=said,
        resumed_at=timezone.now(),
        ended_at=None,
    )
    deciding.journal.event(
        "step.resumed", {"step": step.step.key, "position": step.position}, ActorKind.PERSON
    )


def _proposed(
    deciding: Deciding, view: RunView, step: RunStep, tool: str, params: Mapping[str, Any]
) -> ToolCall:
    """Return the action as a call of the run that is not stored yet."""
    found = next(
        (pair for pair in usable_tools(view, step) if tool in (pair[0].key, pair[0].wire_name)), None
    )
    if found is None:
        raise InvalidInput(
            _("This action is not part of the open step."),
            fields={"tool": _("Choose an action of the step.")},
        )
    call = ToolCall(
        run=deciding.run,
        step=step,
        by=deciding.user,
        position=max((item.position for item in view.calls), default=0) + 1,
        tool_key=found[0].key,
    )
    eyes = view.eyes(call=call)
    permitted = found[0].permission in eyes.permissions  # else it is refused at the gate, whatever they are
    values = read_params(*found, params, eyes) if permitted else clean_value(dict(params))
    call.proposed_arguments = dumps(values)
    return call


def _refused(view: RunView, step: RunStep, call: ToolCall) -> Refused | None:
    """Ask the gate now, so that who acts is told at once; it is asked again when the call is carried out."""
    try:
        check(view, step, call, spent=0)
    except Refused as refusal:
        return refusal
    return None
