"""One round with the model on a step: its reply becomes proposed calls, a question, or a way out."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from accounts.models import ActorKind
from activities.models.activity import FieldKind
from activities.tools import registry
from agentapp.kernel.text import clean_text, shorten
from runs.arguments import BadArguments, parse_arguments
from runs.engine import verdicts
from runs.engine.ask import PAUSE, Onward, Prepared, ask, send, settling
from runs.engine.ask import Asked as AskedModel
from runs.engine.light import follow
from runs.engine.requests import step_request
from runs.journal import Journal
from runs.llm.base import ASK_PERSON, ESCALATE, CallDelta
from runs.models import RunStep, ToolCall
from runs.models.escalation import EscalationReason
from runs.models.question import AskedBecause
from runs.questions import Asked, ask_person
from runs.states import RunState, change_state
from runs.view import RunView

#: Of one reply, no more calls than this are even recorded one by one.
MAX_CALLS_PER_REPLY = 200


def ask_model(view: RunView, step: RunStep, prepared: Prepared | None) -> Onward:
    """Let the model propose actions for the step. Returns how the run goes on."""
    asked_model = send(view, prepared) if prepared else ask(view, step_request(view, step), step)
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
        return follow(view, journal)


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
    if contract is not None:
        return contract.key
    written = clean_text(name)[:99]
    return written if registry.get(written) is None else f"{written}?"


def _ask_person(view: RunView, step: RunStep, asked_model: AskedModel, call: CallDelta) -> Onward:
    given = _read(call)
    text = shorten(str(given.get("question") or ""), 500)
    item = Asked(
        name=f"{step.step.key}.{given.get('parameter') or 'answer'}"[:100],
        kind=FieldKind.TEXT,
        label=text or _("your answer"),
        because=AskedBecause.MISSING,
    )
    with settling(view, asked_model, intent=True) as journal:
        change_state(view.run, RunState.NEEDS_INPUT, where={"fence": view.run.fence}, lease_until=None)
        view.questions.append(ask_person(view.run, [item], journal, text=text, step=step))
    return PAUSE


def _escalate_for(view: RunView, step: RunStep, asked_model: AskedModel, call: CallDelta) -> Onward:
    reason = shorten(str(_read(call).get("reason") or ""), 1_000)
    with settling(view, asked_model) as journal:
        gap = verdicts.open_gap(view, step)
        verdicts.escalate(view, step, EscalationReason.AGENT, gap, journal, summary=reason)
    return PAUSE


def _read(call: CallDelta) -> dict[str, object]:
    try:
        return parse_arguments(call.arguments)
    except BadArguments:
        return {}
