"""One round with the model on a step: its reply becomes proposed calls, a question, or a way out."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from accounts.models import ActorKind
from activities.models.activity import FieldKind
from activities.tools import Effect, registry
from activities.tools.contract import wire_name
from agentapp.kernel.rows import insert
from agentapp.kernel.text import clean_text, shorten
from runs.arguments import BadArguments, parse_arguments
from runs.engine import failures, verdicts
from runs.engine.act_discover import mark_called, record_again, search_again
from runs.engine.ask import PAUSE, Onward, Prepared, ask, send, settling
from runs.engine.ask import Asked as AskedModel
from runs.engine.failures import record_failure
from runs.engine.light import follow
from runs.engine.requests import step_request
from runs.intentions import Declared, declared
from runs.journal import Journal
from runs.llm.base import ASK_PERSON, ESCALATE, FIND_TOOLS, CallDelta
from runs.models import FailureKind, RunStep, ToolCall
from runs.models.escalation import EscalationReason
from runs.models.question import AskedBecause
from runs.questions import Asked, ask_person
from runs.states import RunState, change_state
from runs.step_tools import shown_in
from runs.view import RunView

#: Of one reply, no more calls than this are even recorded one by one.
MAX_CALLS_PER_REPLY = 200


def ask_model(view: RunView, step: RunStep, prepared: Prepared | None) -> Onward:
    """Let the model propose actions for the step. Returns how the run goes on."""
    asked_model = send(view, prepared) if prepared else ask(view, step_request(view, step), step)
    calls, put_off = _acting_first(view, step, asked_model.reply.calls)
    said = declared(view, step, calls)
    for call in calls:
        if call.name == ASK_PERSON:
            return _ask_person(view, step, asked_model, call, said)
        if call.name == ESCALATE:
            return _escalate_for(view, step, asked_model, call, said)
    again = search_again(view, step, calls)
    failure = _ended_without_a_call(view, step, asked_model)
    if again.refused:
        asked_model.row.error_code, asked_model.row.error_message = "no_search_left", again.refused
    with settling(view, asked_model) as journal:
        if failure is not None:
            text = asked_model.reply.text
            record_failure(view, failure, text, journal, step=step, model_call_id=asked_model.row.pk)
        if put_off is not None:
            reason = shorten(str(_read(put_off).get("reason") or ""), 1_000)
            journal.event("escalation.put_off", {"step": step.step.key, "reason": reason}, ActorKind.MODEL)
        _declare(step, said, journal)
        record_again(view, step, again, asked_model.row, journal)
        _propose(view, step, asked_model, [call for call in calls if call.name != FIND_TOOLS], journal)
        return follow(view, journal)


def _acting_first(
    view: RunView, step: RunStep, calls: Sequence[CallDelta]
) -> tuple[Sequence[CallDelta], CallDelta | None]:
    """Return the calls to go by, and the escalation that waits for what they find.

    A reply that looks something up and gives up in the same breath has not seen yet what it looked up. Where
    anything but reading was proposed beside it, the escalation stands and nothing is started.
    """
    escalation = next((call for call in calls if call.name == ESCALATE), None)
    others = [call for call in calls if call.name != ESCALATE]
    if escalation is None or not others or not _all_read(view, step, others):
        return calls, None
    return others, escalation


def _all_read(view: RunView, step: RunStep, calls: Sequence[CallDelta]) -> bool:
    """True when each call is of a tool this run knows that only reads; of others nothing is told."""
    known = _known_names(view, step)
    keys = [known.get(call.name, "") for call in calls]
    found = registry.many(keys)
    return all(key in found and found[key].effect is Effect.NONE for key in keys)


def _ended_without_a_call(view: RunView, step: RunStep, asked_model: AskedModel) -> FailureKind | None:
    """Note on the call's row why its reply is of no use, and return the failure that it is, if it is one."""
    row, reply = asked_model.row, asked_model.reply
    failure = failures.of_reply(view, step, reply)
    if failure is not None:
        row.error_code, row.error_message = failure.value, _("The model ended while the step is open.")
    elif reply.finish_reason == "length":
        row.error_code = "cut"
        row.error_message = "The reply was cut by its length limit; no part of it was used."
    elif reply.finish_reason == "content_filter" and not reply.calls:
        row.error_code, row.error_message = "filtered", "The endpoint's filter kept the reply back."
    return failure


def _propose(
    view: RunView, step: RunStep, asked_model: AskedModel, calls: Sequence[CallDelta], journal: Journal
) -> None:
    known = _known_names(view, step)
    rows = [
        ToolCall(
            run=view.run,
            step=step,
            model_call=asked_model.row,
            position=len(view.calls) + index,
            tool_key=_key_of(known, call.name),
            proposed_arguments=clean_text(call.arguments)[:200_000],
        )
        for index, call in enumerate(calls[:MAX_CALLS_PER_REPLY], start=1)
    ]
    insert(rows)
    view.calls.extend(rows)
    mark_called(view, step, [row.tool_key for row in rows])
    for row in rows:
        journal.event("call.proposed", {"call": str(row.pk), "tool": row.tool_key}, ActorKind.MODEL)


def _known_names(view: RunView, step: RunStep) -> dict[str, str]:
    """Return the keys of the tools that this run knows, by the names that models call them."""
    return {wire_name(key): key for key in (*view.bindings, *shown_in(view, step))}


def _key_of(known: Mapping[str, str], name: str) -> str:
    """Return the tool's key for the name a model used, else that name as it is, which is no key.

    Nothing is fuzzy-matched, and whether something else is called so is not told.
    """
    written = clean_text(name)[:99]
    return known.get(name) or (f"{written}?" if "." in written else written)


def _declare(step: RunStep, said: Declared | None, journal: Journal) -> None:
    """Keep what was declared with the step. A declaration that is missing is on record, and is no failure."""
    if said is None:
        return
    step.intention, step.next_intention = said.intention, said.next_intention
    step.announced, step.declaration = said.announced, said.declaration
    step.save(update_fields=["intention", "next_intention", "announced", "declaration"])
    journal.event(
        "intention.declared",
        {
            "step": step.step.key,
            "intention": said.intention,
            "next_intention": said.next_intention,
            "declaration": said.declaration.value,
        },
        ActorKind.MODEL,
    )


def _ask_person(
    view: RunView, step: RunStep, asked_model: AskedModel, call: CallDelta, said: Declared | None
) -> Onward:
    given = _read(call)
    text = shorten(str(given.get("question") or ""), 500)
    item = Asked(
        name=f"{step.step.key}.{given.get('parameter') or 'answer'}"[:100],
        kind=FieldKind.TEXT,
        label=text or _("your answer"),
        because=AskedBecause.MISSING,
    )
    with settling(view, asked_model, intent=True) as journal:
        _declare(step, said, journal)
        change_state(view.run, RunState.NEEDS_INPUT, where={"fence": view.run.fence}, lease_until=None)
        view.questions.append(ask_person(view.run, [item], journal, text=text, step=step))
    return PAUSE


def _escalate_for(
    view: RunView, step: RunStep, asked_model: AskedModel, call: CallDelta, said: Declared | None
) -> Onward:
    reason = shorten(str(_read(call).get("reason") or ""), 1_000)
    with settling(view, asked_model) as journal:
        _declare(step, said, journal)
        gap = verdicts.open_gap(view, step)
        verdicts.escalate(view, step, EscalationReason.AGENT, gap, journal, summary=reason)
    return PAUSE


def _read(call: CallDelta) -> dict[str, object]:
    try:
        return parse_arguments(call.arguments)
    except BadArguments:
        return {}
