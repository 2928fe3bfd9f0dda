"""Acting on a step: a round with the model, the gate, execution, and the verdict."""

from collections.abc import Sequence

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import ActorKind
from activities.models.activity import FieldKind
from activities.models.fields import in_language
from activities.templates import BadTemplate, render
from activities.tools import registry
from agentapp.kernel.text import clean_text, shorten
from runs import answers
from runs.arguments import BadArguments, parse_arguments
from runs.engine.ask import Asked as AskedModel
from runs.engine.ask import ask, settling
from runs.engine.commit import commit
from runs.engine.requests import step_request
from runs.engine.steps import EscalateStep
from runs.view import RunView
from runs.finishing import finish_run
from runs.journal import Journal
from runs.llm.base import ASK_PERSON, ESCALATE, CallDelta
from runs.models import Escalation, RunStep, ToolCall
from runs.models.escalation import EscalationReason
from runs.models.question import AskedBecause
from runs.questions import Asked, ask_person
from runs.states import Outcome, RunState, StepState, Verdict, change_state

#: Of one reply, no more calls than this are even recorded one by one.
MAX_CALLS_PER_REPLY = 200


def engage(view: RunView, step: RunStep) -> bool:
    """Begin a step. Its stop condition is looked at before anything is done."""
    with commit(view) as journal:
        change_state(step, StepState.ENGAGED, started_at=timezone.now())
        journal.event("step.engaged", _named(step))
    return True


def ask_model(view: RunView, step: RunStep) -> bool:
    """Let the model propose actions for the step."""
    asked_model = ask(view, step_request(view, step), step)
    calls = asked_model.reply.calls
    for call in calls:
        if call.name == ASK_PERSON:
            return _ask_person(view, step, asked_model, call)
        if call.name == ESCALATE:
            return _escalate_for(view, step, asked_model, call)
    if asked_model.reply.finish_reason == "length":
        asked_model.row.error_code = "cut"
        asked_model.row.error_message = "The reply was cut by its length limit; no part of it was used."
    with settling(view, asked_model) as journal:
        _propose(view, step, asked_model, calls, journal)
    return True


def _propose(
    view: RunView, step: RunStep, asked_model: AskedModel, calls: Sequence[CallDelta], journal: Journal
) -> None:
    rows = [
        ToolCall(
            run=view.run,
            step=step,
            model_call=asked_model.row,
            position=len(view.calls) + index,
            tool_key=_key_of(call.name),
            proposed_arguments=clean_text(call.arguments)[:200_000],
        )
        for index, call in enumerate(calls[:MAX_CALLS_PER_REPLY], start=1)
    ]
    ToolCall.objects.bulk_create(rows)
    view.calls.extend(rows)
    for row in rows:
        journal.event("call.proposed", {"call": str(row.pk), "tool": row.tool_key}, ActorKind.MODEL)


def _key_of(name: str) -> str:
    """Return the tool's key for the name a model used, else that name as it is: nothing is fuzzy-matched."""
    contract = registry.by_wire_name(name)
    return contract.key if contract else clean_text(name)[:100]


def _ask_person(view: RunView, step: RunStep, asked_model: AskedModel, call: CallDelta) -> bool:
    given = _read(call)
    text = shorten(str(given.get("question") or ""), 500)
    item = Asked(
        name=f"{step.step.key}.{given.get('parameter') or 'answer'}"[:100],
        kind=FieldKind.TEXT,
        label=text or _("your answer"),
        because=AskedBecause.MISSING,
    )
    with settling(view, asked_model) as journal:
        change_state(view.run, RunState.NEEDS_INPUT, where={"fence": view.run.fence}, lease_until=None)
        view.questions.append(ask_person(view.run, [item], journal, text=text, step=step))
    return False


def _escalate_for(view: RunView, step: RunStep, asked_model: AskedModel, call: CallDelta) -> bool:
    reason = shorten(str(_read(call).get("reason") or ""), 1_000)
    with settling(view, asked_model) as journal:
        gap = _("The step “%(step)s” is open: %(reason)s") % {
            "step": in_language(step.step.name, view.language),
            "reason": step.verdict_reason or step.step.passes_when,
        }
        _escalated(view, step, EscalationReason.AGENT, gap, reason, journal)
    return False


def _read(call: CallDelta) -> dict[str, object]:
    try:
        return parse_arguments(call.arguments)
    except BadArguments:
        return {}


def adjust(view: RunView, step: RunStep, reason: str) -> bool:
    """Count a round that brought no new fact."""
    with commit(view) as journal:
        step.attempts += 1
        step.verdict, step.verdict_reason = Verdict.ADJUST, shorten(reason, 2_000)
        step.save(update_fields=["attempts", "verdict", "verdict_reason"])
        journal.event("step.verdict", {**_named(step), "verdict": Verdict.ADJUST, "reason": step.verdict_reason})
    return True


def pass_step(view: RunView, step: RunStep, reason: str) -> bool:
    """The passing condition holds over the facts."""
    with commit(view) as journal:
        change_state(
            step, StepState.PASSED, verdict=Verdict.PASS, verdict_reason=reason, ended_at=timezone.now()
        )
        journal.event("step.verdict", {**_named(step), "verdict": Verdict.PASS, "reason": reason})
    return True


def stop_step(view: RunView, step: RunStep, reason: str) -> bool:
    """The stop condition holds: the run ends with nothing to do, and says so."""
    with commit(view) as journal:
        change_state(
            step, StepState.STOPPED, verdict=Verdict.STOP, verdict_reason=reason, ended_at=timezone.now()
        )
        journal.event("step.verdict", {**_named(step), "verdict": Verdict.STOP, "reason": reason})
        finish_run(view.run, Outcome.NOTHING_TO_DO, journal, answer=_stop_message(view, step))
    return False


def _stop_message(view: RunView, step: RunStep) -> str:
    source = in_language(step.step.stop_message, view.language)
    try:
        filled = render(source, view.scope(step), view.language).strip() if source else ""
    except BadTemplate:
        filled = ""
    return filled or _("There is nothing to do.")


def escalate(view: RunView, intended: EscalateStep) -> bool:
    """Hand the open step over. Nothing of it counts as done."""
    with commit(view) as journal:
        _escalated(view, intended.step, intended.reason, shorten(intended.gap, 2_000), "", journal)
    return False


def _escalated(
    view: RunView, step: RunStep, reason: EscalationReason, gap: str, summary: str, journal: Journal
) -> None:
    now = timezone.now()
    change_state(step, StepState.ESCALATED, verdict=Verdict.ESCALATE, verdict_reason=gap, ended_at=now)
    Escalation.objects.create(
        run=view.run,
        step=step,
        reason=reason,
        intention=step.intention or step.step.goal,
        gap=gap,
        summary=summary,
        group=step.step.escalate_to or view.run.workspace.escalation_group,
    )
    text = answers.unknown_outcome() if reason == EscalationReason.UNKNOWN_OUTCOME else answers.escalated(gap)
    change_state(
        view.run, RunState.ESCALATED, where={"fence": view.run.fence}, lease_until=None, answer=text
    )
    journal.event("step.verdict", {**_named(step), "verdict": Verdict.ESCALATE, "reason": gap})
    journal.event("run.escalated", {**_named(step), "reason": reason.value, "gap": gap})


def _named(step: RunStep) -> dict[str, object]:
    return {"step": step.step.key, "position": step.position}
