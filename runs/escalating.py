"""The rows of an escalation: opened by the engine, settled by what people do; those who decide are woken."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from accounts.models import User
from agentapp.kernel import broadcast
from runs.deciders import addressee
from runs.journal import Journal
from runs.models import Escalation, Run, RunStep, ToolCall
from runs.models.escalation import EscalationReason
from runs.states import CallState, EscalationState, change_state

#: The share of the time to decide that is left when those who decide are reminded.
_REMINDED_AT = 0.25


def open_escalation(
    run: Run, step: RunStep, reason: EscalationReason, gap: str, *, summary: str = ""
) -> Escalation:
    """Put the step into somebody else's hands, in the current transaction. `summary` is a model's."""
    hours = settings.ESCALATION_HOURS
    now = timezone.now()
    escalation = Escalation.objects.create(
        run=run,
        step=step,
        reason=reason,
        intention=step.intention or step.step.goal,
        gap=gap,
        summary=summary,
        attempts=step.attempts,
        group=addressee(run, step),
        due_at=now + timedelta(hours=hours),
        remind_at=now + timedelta(hours=hours * (1 - _REMINDED_AT)),
    )
    wake(escalation)
    return escalation


def settle(
    escalation: Escalation, state: EscalationState, journal: Journal, *, by: User | None, reason: str = ""
) -> None:
    """End an open escalation. Raises TransitionLost when somebody else did."""
    change_state(escalation, state, closed_at=timezone.now(), closed_by=by, closing_reason=reason)
    journal.event(
        "escalation.settled",
        {"escalation": str(escalation.pk), "state": state.value, "reason": reason},
    )
    wake(escalation)


def settle_of_step(step: RunStep, state: EscalationState, journal: Journal) -> None:
    """End the open escalation of `step`, if there is one: by whose action, if it was somebody's."""
    for escalation in Escalation.objects.select_related("run").filter(step=step, state=EscalationState.OPEN):
        done = ToolCall.objects.filter(step=step, state=CallState.SUCCEEDED, by__isnull=False)
        last = done.select_related("by").order_by("-position").first()
        settle(escalation, state, journal, by=last.by if last else None)


def wake(escalation: Escalation) -> None:
    """Tell the inboxes of the workspace that something changed, when the transaction commits."""
    broadcast.publish(escalation.run.workspace_id, {"inbox": str(escalation.pk)})
