"""Audit events as sentences."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import AuditEvent
from agentapp.kernel.canonical import dumps

TITLES: Mapping[str, Any] = {
    "run.created": _("The request was received"),
    "run.working": _("Work began"),
    "run.waiting": _("The run waits for a person"),
    "run.routed": _("The activity was chosen"),
    "run.routing": _("The run hands over to another activity"),
    "run.planned": _("The message asks for several things: a plan was made"),
    "run.followed": _("The next part of the plan began"),
    "run.handed_over": _("The next activity began"),
    "plan.held": _("A part of the plan is held: what it builds on is not done"),
    "plan.stopped": _("A part of the plan was stopped before it began"),
    "run.input": _("The request's values were read"),
    "run.question": _("A question was asked"),
    "run.answered": _("The question was answered"),
    "run.started": _("The procedure began"),
    "step.engaged": _("A step began"),
    "intention.declared": _("The agent declared its intention"),
    "escalation.put_off": _("The agent wanted to hand over while it looked something up: it looks first"),
    "failure.named": _("The model left the path: this is named"),
    "tools.searched": _("The tools that may be needed were looked up"),
    "model.called": _("The model was asked"),
    "model.answered": _("The model answered"),
    "model.failed": _("The model gave no usable answer"),
    "call.proposed": _("An action was proposed"),
    "call.refused": _("The action was refused"),
    "call.admitted": _("The action was admitted"),
    "call.executing": _("The action was started"),
    "call.succeeded": _("The action was done"),
    "call.failed": _("The action failed"),
    "call.unknown": _("The action's outcome is not known"),
    "confirmation.requested": _("A confirmation was asked for"),
    "confirmation.decided": _("A confirmation was decided"),
    "confirmation.expired": _("A confirmation expired"),
    "confirmation.void": _("A confirmation was no longer needed"),
    "fact.recorded": _("A fact was recorded"),
    "step.verdict": _("The step was judged"),
    "prose.written": _("A text was written"),
    "run.stop_requested": _("Stop was pressed"),
    "run.escalated": _("The run was handed to somebody else"),
    "escalation.decided": _("Somebody decided on the open step"),
    "escalation.settled": _("The escalation ended"),
    "escalation.reminded": _("Those who decide were reminded"),
    "step.resumed": _("The step went on"),
    "run.missed": _("Somebody said what there was for it"),
    "run.finished": _("The run ended"),
    "run.discarded": _("Something was discarded"),
}


@dataclass(frozen=True)
class EventView:
    seq: int
    at: datetime
    title: str
    type: str
    actor: str
    data: str
    hash: str


def event_views(events: Iterable[AuditEvent]) -> list[EventView]:
    return [
        EventView(
            seq=event.seq,
            at=event.at,
            title=str(TITLES.get(event.type, event.type)),
            type=event.type,
            actor=event.actor.get_full_name() if event.actor else _kind(event),
            data=dumps(event.data) if event.data else "",
            hash=event.hash[:12],
        )
        for event in events
    ]


def _kind(event: AuditEvent) -> str:
    return {
        "person": gettext("Person"),
        "system": gettext("Mandate"),
        "model": gettext("Model"),
        "operator": gettext("Operator"),
    }.get(event.actor_kind, event.actor_kind)
