"""The verdict on a step, written down: engaged, adjusted, passed, stopped, handed over."""

from django.utils import timezone
from django.utils.translation import gettext as _

from activities.models.fields import in_language
from activities.templates import BadTemplate, render
from activities.tools import ToolOutcomeUnknown, registry
from agentapp.kernel.text import shorten
from runs import answers
from runs.engine.controller import not_yet, still_wanted
from runs.escalating import open_escalation, settle_of_step
from runs.finishing import finish_run, void_pending
from runs.journal import Journal
from runs.models import Run, RunStep, ToolCall
from runs.models.escalation import EscalationReason
from runs.queueing import call_next
from runs.sequence import follow_run
from runs.states import CallState, EscalationState, Outcome, RunState, StepState, Verdict, change_state
from runs.view import RunView


def engage(step: RunStep, journal: Journal) -> None:
    """Begin a step."""
    change_state(step, StepState.ENGAGED, started_at=timezone.now())
    journal.event("step.engaged", _named(step))


def adjust(step: RunStep, reason: str, journal: Journal) -> None:
    """Count a round that brought no new fact."""
    step.attempts += 1
    step.verdict, step.verdict_reason = Verdict.ADJUST, shorten(reason, 2_000)
    step.save(update_fields=["attempts", "verdict", "verdict_reason"])
    journal.event("step.verdict", {**_named(step), "verdict": Verdict.ADJUST, "reason": step.verdict_reason})


def pass_step(view: RunView, step: RunStep, reason: str, journal: Journal) -> None:
    """The passing condition holds over the facts, whoever's action gave them."""
    if step.state == StepState.ESCALATED:
        Run.objects.filter(pk=view.run.pk).update(answer="")
        view.run.answer = ""
    _ended(step, StepState.PASSED, Verdict.PASS, reason, journal)


def stop_step(view: RunView, step: RunStep, reason: str, journal: Journal) -> None:
    """The stop condition holds: the run ends with nothing to do, and says so."""
    _ended(step, StepState.STOPPED, Verdict.STOP, reason, journal)
    finish_run(view.run, Outcome.NOTHING_TO_DO, journal, answer=_stop_message(view, step))


def _ended(step: RunStep, state: StepState, verdict: Verdict, reason: str, journal: Journal) -> None:
    handed_back = step.state == StepState.ESCALATED
    via = (StepState.ENGAGED,) if handed_back else ()
    change_state(step, state, via=via, verdict=verdict, verdict_reason=reason, ended_at=timezone.now())
    if handed_back:
        settle_of_step(step, EscalationState.SOLVED, journal)
    journal.event("step.verdict", {**_named(step), "verdict": verdict, "reason": reason})


def _stop_message(view: RunView, step: RunStep) -> str:
    source = in_language(step.step.stop_message, view.language)
    try:
        filled = render(source, view.scope(step), view.language).strip() if source else ""
    except BadTemplate:
        filled = ""
    return filled or _("There is nothing to do.")


def escalate(
    view: RunView, step: RunStep, reason: EscalationReason, gap: str, journal: Journal, *, summary: str = ""
) -> None:
    """Hand the open step over. Nothing of it counts as done, and nothing of it is started any more.

    `summary` is a model's, marked as such.
    """
    gap = shorten(open_gap(view, step) if gap == not_yet(step.step) else gap, 2_000)
    void_pending(view.run, journal)
    _ended(step, StepState.ESCALATED, Verdict.ESCALATE, gap, journal)
    text = answers.unknown_outcome() if reason == EscalationReason.UNKNOWN_OUTCOME else answers.escalated(gap)
    if view.run.trial:  # nobody is called upon
        journal.event("run.escalated", {**_named(step), "reason": reason.value, "gap": gap})
        finish_run(view.run, Outcome.ESCALATED, journal, answer=text, code=reason.value)
        return
    escalation = open_escalation(view.run, step, reason, gap, summary=summary)
    change_state(view.run, RunState.ESCALATED, where={"fence": view.run.fence}, lease_until=None, answer=text)
    named = {"escalation": str(escalation.pk), "due": escalation.due_at}
    journal.event("run.escalated", {**_named(step), **named, "reason": reason.value, "gap": gap})
    follow_run(view.run, journal)
    call_next(view.run)


def open_gap(view: RunView, step: RunStep) -> str:
    """Return one sentence, written by code, on what keeps the step open."""
    missing = [_title_of(step, key) for key in still_wanted(step.step, view.scope(step))]
    if missing:
        reason = _("not found yet: %(facts)s") % {"facts": ", ".join(missing)}
    else:
        reason = step.verdict_reason or step.step.passes_when
    name = in_language(step.step.name, view.language)
    return _("The step “%(step)s” is open: %(reason)s") % {"step": name, "reason": reason}


def _title_of(step: RunStep, fact: str) -> str:
    """Return the name, for people, of the tool of the step that gives this fact."""
    contracts = [registry.get(binding.tool_key) for binding in step.step.tools.all()]
    return next((str(found.title) for found in contracts if found and found.fact_key == fact), fact)


def recover(call: ToolCall, journal: Journal) -> None:
    """Settle a call whose worker went away while it ran: what left for outside is of unknown outcome."""
    message = _("The action was started and its outcome is not known.")
    change_state(
        call,
        CallState.UNKNOWN,
        error_code=ToolOutcomeUnknown.code,
        error_message=message,
        ended_at=timezone.now(),
    )
    journal.event("call.unknown", {"call": str(call.pk), "tool": call.tool_key, "code": call.error_code})


def _named(step: RunStep) -> dict[str, object]:
    return {"step": step.step.key, "position": step.position}
