"""Tool calls: through the gate, to a confirmation or to execution, to a fact. Once."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from activities.tools import (
    Effect,
    Preview,
    ToolContract,
    ToolError,
    ToolOutcomeUnknown,
    ToolParams,
    ToolResult,
)
from agentapp.kernel.canonical import canonical_bytes, plain
from agentapp.kernel.gathering import send_gathered
from agentapp.kernel.rows import insert
from agentapp.kernel.text import clean_value
from runs.engine.act_simulated import simulate
from runs.engine.admission import admission, named, preview_json, write_arguments
from runs.engine.ask import PAUSE, Onward
from runs.engine.commit import commit
from runs.engine.failures import of_refusal, record_failure
from runs.engine.light import follow
from runs.engine.wrong_inputs import ask_again, inputs_refused
from runs.finishing import refuse_call
from runs.gate import Admitted, Refused, check, recheck
from runs.journal import Journal
from runs.models import Confirmation, Fact, RunStep, ToolCall
from runs.protection import protect
from runs.states import CallState, change_state
from runs.trials.harmless import forbid_effects, may_run_in_trial, reading_only, run_in_trial
from runs.view import RunView

logger = logging.getLogger(__name__)
#: A result larger than this is no fact: nobody could check it.
MAX_RESULT_BYTES = 5_000_000


class _NotAFact(ToolError):
    """The tool returned, and what it returned cannot be used."""

    code = "invalid_result"


@dataclass(frozen=True)
class _Execution:
    """A call about to be executed: what the gate let through, and how its row gets there."""

    step: RunStep
    call: ToolCall
    contract: ToolContract
    params: ToolParams
    #: Set for a call that comes straight from its proposal: its admission is written with its execution.
    admitted: Admitted | None = None


def carry_out(view: RunView, step: RunStep, call: ToolCall) -> Onward:
    """Put a proposed call through the gate, and execute it unless it has to be confirmed first."""
    spent = view.run.tool_calls
    try:
        # The limits bind the agent; somebody who decided and acts themselves is counted, not limited.
        # What a contract declares beside its tool (prepare, guard, preview) only reads; a trial sees to it.
        with reading_only(view.run.trial):
            admitted = check(view, step, call, spent=0 if call.by_id else spent)
    except Refused as refusal:
        with commit(view, tool_calls=spent + 1) as journal:
            refuse_call(call, journal, refusal.code, refusal.message)
            _name_failure(view, step, call, refusal, journal)
            fields = inputs_refused(view, call, refusal)
            if fields and call.by_id is None:
                ask_again(view, fields, refusal, journal)
                return PAUSE
            return follow(view, journal)
    if view.run.trial and not may_run_in_trial(admitted.contract):
        return simulate(view, step, call, admitted)
    if admitted.preview is not None and not view.run.trial:
        with commit(view, tool_calls=spent + 1) as journal:
            _await_confirmation(view, call, admitted, admitted.preview, journal)
            return follow(view, journal)
    return _execute(view, _Execution(step, call, admitted.contract, admitted.params, admitted))


def _name_failure(view: RunView, step: RunStep, call: ToolCall, refusal: Refused, journal: Journal) -> None:
    kind = of_refusal(refusal.code)
    if kind is not None and call.by_id is None:  # what a person tries themselves is no failure of the model
        detail = f"{call.tool_key}: {refusal.message}"
        record_failure(view, kind, detail, journal, step=step, model_call_id=call.model_call_id, call=call)


def execute(view: RunView, step: RunStep, call: ToolCall) -> Onward:
    """Execute a call that was admitted before (it was confirmed), after asking the gate again."""
    try:
        contract, params = recheck(view, step, call)
    except Refused as refusal:
        with commit(view) as journal:
            refuse_call(call, journal, refusal.code, refusal.message)
            return follow(view, journal)
    return _execute(view, _Execution(step, call, contract, params))


def _await_confirmation(
    view: RunView, call: ToolCall, admitted: Admitted, preview: Preview, journal: Journal
) -> None:
    write_arguments(call, admitted)
    change_state(call, CallState.AWAITING, **admission(call, admitted))
    confirmation = Confirmation(
        run=view.run,
        call=call,
        digest=admitted.digest,
        preview=plain(preview_json(preview)),
        expires_at=timezone.now() + timedelta(seconds=settings.CONFIRMATION_SECONDS),
    )
    insert([confirmation])
    journal.event("call.admitted", {**named(call), "digest": call.digest})
    journal.event(
        "confirmation.requested",
        {"confirmation": str(confirmation.pk), "call": str(call.pk), "digest": call.digest},
    )


def _execute(view: RunView, execution: _Execution) -> Onward:
    if view.run.trial:
        forbid_effects(execution.contract)
    match execution.contract.effect:
        case Effect.EXTERNAL:
            return _execute_external(view, execution)
        case Effect.LOCAL:
            return _execute_local(view, execution)
        case Effect.NONE:
            return _execute_reading(view, execution)


@contextmanager
def _starting(view: RunView, execution: _Execution) -> Iterator[tuple[Journal, dict[str, Any]]]:
    """The transaction before which nothing was started. Gives the values that say how the call got here."""
    call, admitted = execution.call, execution.admitted
    counted = {"tool_calls": view.run.tool_calls + 1} if admitted else {}
    with commit(view, intent=True, **counted) as journal:
        values: dict[str, Any] = {"started_at": timezone.now()}
        if admitted is not None:
            write_arguments(call, admitted)
            values |= admission(call, admitted)
            if view.run.trial and admitted.preview is not None:
                values["simulation"] = plain(
                    {"asks": admitted.asks, "preview": preview_json(admitted.preview)}
                )
            journal.event("call.admitted", {**named(call), "digest": admitted.digest})
        yield journal, values


def _execute_reading(view: RunView, execution: _Execution) -> Onward:
    """Nothing is changed, so nothing is lost if the worker goes away in between."""
    started = monotonic()
    outcome = _run_tool(view, execution)
    with _starting(view, execution) as (journal, values):
        _record(view, execution, outcome, started, journal, values)
        return follow(view, journal)


def _execute_local(view: RunView, execution: _Execution) -> Onward:
    """The effect, its record and its events are one transaction: all of it, or none."""
    started = monotonic()
    with _starting(view, execution) as (journal, values):
        journal.event("call.executing", named(execution.call))
        send_gathered()  # which refuses the intent after a stop
        outcome: ToolResult | ToolError
        try:
            with transaction.atomic():
                outcome = _run_tool(view, execution)
                if isinstance(outcome, ToolError):
                    raise outcome
                if problem := _not_a_fact(outcome, execution.contract, late=False):
                    raise _NotAFact(problem)
        except ToolError as error:
            outcome = error
        _record(view, execution, outcome, started, journal, values)
        return follow(view, journal)


def _execute_external(view: RunView, execution: _Execution) -> Onward:
    """The intent is on record before the request leaves; no transaction is open while it is under way."""
    started = monotonic()
    with _starting(view, execution) as (journal, values):
        via = _to_executing(execution)[:-1]
        change_state(execution.call, CallState.EXECUTING, via=via, **values)
        journal.event("call.executing", named(execution.call))
    outcome = _run_tool(view, execution)
    with commit(view) as journal:
        _record(view, execution, outcome, started, journal, {})
        return follow(view, journal)


def _to_executing(execution: _Execution) -> tuple[CallState, ...]:
    """Return the states a call still has to pass to be executing, that one included."""
    match execution.call.state:
        case CallState.PROPOSED:
            return (CallState.ADMITTED, CallState.EXECUTING)
        case CallState.ADMITTED:
            return (CallState.EXECUTING,)
    return ()


def _run_tool(view: RunView, execution: _Execution) -> ToolResult | ToolError:
    """Run the tool's function. An unexpected failure is an error of its kind, logged with its trace."""
    contract = execution.contract
    context = view.context(execution.call)
    try:
        if view.run.trial:
            return run_in_trial(contract, context, execution.params)
        return contract.function(context, execution.params)
    except ToolError as error:
        return error
    except (OperationalError, InterfaceError):
        if contract.effect is not Effect.EXTERNAL:
            raise
        logger.exception("Tool %s lost the database while its effect was under way", contract.key)
        return ToolOutcomeUnknown(_("The action was started and its outcome is not known."))
    except Exception:
        logger.exception("Tool %s failed unexpectedly", contract.key)
        if contract.effect is Effect.EXTERNAL:
            return ToolOutcomeUnknown(_("The action was started and its outcome is not known."))
        return ToolError("The tool failed unexpectedly; nothing was changed.")


def _record(
    view: RunView,
    execution: _Execution,
    outcome: ToolResult | ToolError,
    started: float,
    journal: Journal,
    values: dict[str, Any],
) -> None:
    contract = execution.contract
    milliseconds = round((monotonic() - started) * 1000)
    values = {**values, "ended_at": timezone.now(), "milliseconds": milliseconds}
    if isinstance(outcome, ToolError):
        _failed(
            execution, isinstance(outcome, ToolOutcomeUnknown), outcome.code, outcome.message, values, journal
        )
        return
    problem = _not_a_fact(outcome, contract, late=milliseconds > contract.timeout_seconds * 1000)
    if problem:
        unknown = contract.effect is Effect.EXTERNAL
        _failed(execution, unknown, "invalid_result", problem, values, journal)
        return
    _succeeded(view, execution, outcome, values, journal)


def _succeeded(
    view: RunView, execution: _Execution, outcome: ToolResult, values: dict[str, Any], journal: Journal
) -> None:
    call, contract = execution.call, execution.contract
    data = clean_value(plain(outcome.model_dump(mode="python")))
    change_state(call, CallState.SUCCEEDED, via=_to_executing(execution), result=data, **values)
    protect(data, contract, view.vault)  # type: ignore[arg-type]
    view.vault.save()
    fact = Fact(run=view.run, step=execution.step, call=call, key=contract.fact_key, data=data)
    insert([fact])
    view.facts.append(fact)
    journal.event("call.succeeded", {**named(call), "milliseconds": call.milliseconds})
    journal.event("fact.recorded", {"call": str(call.pk), "key": fact.key})


def _not_a_fact(outcome: ToolResult, contract: ToolContract, *, late: bool) -> str:
    """Return why a result is no fact: of another type, out of date, or too large. Empty when it is one."""
    if not isinstance(outcome, contract.result_model):
        return "The tool returned something its contract does not declare."
    if late and contract.effect is not Effect.LOCAL:
        return "The result came later than the contract allows."
    try:
        size = len(canonical_bytes(clean_value(plain(outcome.model_dump(mode="python")))))
    except (TypeError, ValueError):
        return "The tool returned a value that cannot be written down."
    return "The result is too large." if size > MAX_RESULT_BYTES else ""


def _failed(
    execution: _Execution, unknown: bool, code: str, message: str, values: dict[str, Any], journal: Journal
) -> None:
    call = execution.call
    state = CallState.UNKNOWN if unknown else CallState.FAILED
    told: dict[str, Any] = {"error_code": code[:40], "error_message": str(message)[:2000]}
    change_state(call, state, via=_to_executing(execution), **values, **told)
    kind = "call.unknown" if unknown else "call.failed"
    journal.event(kind, {**named(call), "code": code, "message": call.error_message})
