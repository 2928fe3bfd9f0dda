"""Tool calls: through the gate, to a confirmation, to execution, to a fact. Once."""

import logging
from collections.abc import Sequence
from datetime import timedelta
from time import monotonic

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from activities.tools import Effect, ToolContract, ToolError, ToolOutcomeUnknown, ToolParams, ToolResult
from agentapp.kernel.canonical import canonical_bytes, plain
from agentapp.kernel.text import clean_value
from runs.engine.commit import commit
from runs.view import RunView
from runs.finishing import refuse_call
from runs.gate import Admitted, Refused, check, recheck
from runs.journal import Journal
from runs.models import Confirmation, Fact, RunStep, ToolArgument, ToolCall
from runs.protection import protect
from runs.states import CallState, RunState, change_state

logger = logging.getLogger(__name__)
#: A result larger than this is no fact: nobody could check it.
MAX_RESULT_BYTES = 5_000_000


def check_calls(view: RunView, step: RunStep, calls: Sequence[ToolCall]) -> bool:
    """Put proposed calls through the gate, in order; each counts against the limit of tool calls."""
    spent = view.run.tool_calls
    verdicts: list[tuple[ToolCall, Admitted | Refused]] = []
    for call in calls:
        verdict = _verdict(view, step, call, spent)
        if isinstance(verdict, Admitted):
            call.digest, call.state = verdict.digest, CallState.ADMITTED  # the next call may repeat this one
        verdicts.append((call, verdict))
        spent += 1
    for call, _verdict_of in verdicts:
        call.state = CallState.PROPOSED
    with commit(view, tool_calls=spent) as journal:
        for call, verdict in verdicts:
            if isinstance(verdict, Admitted):
                _admit(view, call, verdict, journal)
            else:
                refuse_call(call, journal, verdict.code, verdict.message)
    return True


def _verdict(view: RunView, step: RunStep, call: ToolCall, spent: int) -> Admitted | Refused:
    try:
        return check(view, step, call, spent=spent)
    except Refused as refusal:
        return refusal


def _admit(view: RunView, call: ToolCall, admitted: Admitted, journal: Journal) -> None:
    ToolArgument.objects.bulk_create(
        ToolArgument(
            call=call,
            name=item.name,
            value=item.value,
            label=item.label,
            provenance=item.provenance,
            origin=item.ground.origin,
            detail=item.ground.detail[:300],
        )
        for item in admitted.arguments
    )
    state = CallState.AWAITING if admitted.preview else CallState.ADMITTED
    change_state(
        call,
        state,
        contract_hash=admitted.contract.hash,
        risk=admitted.risk.value,
        effect=admitted.contract.effect.value,
        digest=admitted.digest,
        idempotency_key=call.pk.hex,
    )
    journal.event("call.admitted", {"call": str(call.pk), "tool": call.tool_key, "digest": call.digest})
    if admitted.preview is not None:
        confirmation = Confirmation.objects.create(
            run=view.run,
            call=call,
            digest=admitted.digest,
            preview=plain(_preview_json(admitted)),
            expires_at=timezone.now() + timedelta(seconds=settings.CONFIRMATION_SECONDS),
        )
        journal.event(
            "confirmation.requested",
            {"confirmation": str(confirmation.pk), "call": str(call.pk), "digest": call.digest},
        )


def _preview_json(admitted: Admitted) -> dict[str, object]:
    preview = admitted.preview
    assert preview is not None  # noqa: S101 - asked for by the caller
    return {
        "summary": preview.summary,
        "recipient": preview.recipient,
        "amount": preview.amount,
        "lines": [{"label": str(line.label), "value": str(line.value)} for line in preview.lines],
        "warning": preview.warning,
    }


def wait_for_confirmation(view: RunView) -> bool:
    """Let go of the run until every pending confirmation is decided."""
    with commit(view) as journal:
        change_state(view.run, RunState.AWAITING, where={"fence": view.run.fence}, lease_until=None)
        journal.event("run.waiting", {"for": "confirmation"})
    return False


def execute(view: RunView, step: RunStep, call: ToolCall) -> bool:
    """Execute one admitted call, after asking the gate again."""
    try:
        contract, params = recheck(view, step, call)
    except Refused as refusal:
        with commit(view) as journal:
            refuse_call(call, journal, refusal.code, refusal.message)
        return True
    if contract.effect is Effect.EXTERNAL:
        _execute_external(view, step, call, contract, params)
    elif contract.effect is Effect.LOCAL:
        _execute_local(view, step, call, contract, params)
    else:
        _execute_reading(view, step, call, contract, params)
    return True


def _execute_reading(
    view: RunView, step: RunStep, call: ToolCall, contract: ToolContract, params: ToolParams
) -> None:
    """Nothing is changed, so nothing is lost if the worker goes away in between."""
    started = monotonic()
    outcome = _run_tool(view, call, contract, params)
    with commit(view, intent=True) as journal:
        change_state(call, CallState.EXECUTING, started_at=timezone.now())
        _record(view, step, call, contract, outcome, started, journal)


def _execute_local(
    view: RunView, step: RunStep, call: ToolCall, contract: ToolContract, params: ToolParams
) -> None:
    """The effect, its record and its events are one transaction: all of it, or none."""
    started = monotonic()
    with commit(view, intent=True) as journal:
        change_state(call, CallState.EXECUTING, started_at=timezone.now())
        journal.event("call.executing", _named(call))
        outcome: ToolResult | ToolError
        try:
            with transaction.atomic():
                outcome = _run_tool(view, call, contract, params)
                if isinstance(outcome, ToolError):
                    raise outcome
        except ToolError as error:
            outcome = error
        _record(view, step, call, contract, outcome, started, journal)


def _execute_external(
    view: RunView, step: RunStep, call: ToolCall, contract: ToolContract, params: ToolParams
) -> None:
    """The intent is on record before the request leaves; no transaction is open while it is under way."""
    started = monotonic()
    with commit(view, intent=True) as journal:
        change_state(call, CallState.EXECUTING, started_at=timezone.now())
        journal.event("call.executing", _named(call))
    outcome = _run_tool(view, call, contract, params)
    with commit(view) as journal:
        _record(view, step, call, contract, outcome, started, journal)


def _run_tool(
    view: RunView, call: ToolCall, contract: ToolContract, params: ToolParams
) -> ToolResult | ToolError:
    """Run the tool's function. An unexpected failure is an error of its kind, logged with its trace."""
    try:
        return contract.function(view.context(call), params)
    except ToolError as error:
        return error
    except (OperationalError, InterfaceError):
        if contract.effect is not Effect.EXTERNAL:
            raise
        logger.exception("Tool %s lost the database while its effect was under way", call.tool_key)
        return ToolOutcomeUnknown(_("The action was started and its outcome is not known."))
    except Exception:
        logger.exception("Tool %s failed unexpectedly", call.tool_key)
        if contract.effect is Effect.EXTERNAL:
            return ToolOutcomeUnknown(_("The action was started and its outcome is not known."))
        return ToolError("The tool failed unexpectedly; nothing was changed.")


def _record(
    view: RunView,
    step: RunStep,
    call: ToolCall,
    contract: ToolContract,
    outcome: ToolResult | ToolError,
    started: float,
    journal: Journal,
) -> None:
    milliseconds = round((monotonic() - started) * 1000)
    late = milliseconds > contract.timeout_seconds * 1000
    ended = {"ended_at": timezone.now(), "milliseconds": milliseconds}
    if isinstance(outcome, ToolError):
        state = CallState.UNKNOWN if isinstance(outcome, ToolOutcomeUnknown) else CallState.FAILED
        _failed(call, state, outcome.code, outcome.message, ended, journal)
        return
    problem = _not_a_fact(outcome, contract, late=late)
    if problem:
        state = CallState.UNKNOWN if contract.effect is Effect.EXTERNAL else CallState.FAILED
        _failed(call, state, "invalid_result", problem, ended, journal)
        return
    data = clean_value(plain(outcome.model_dump(mode="python")))
    change_state(call, CallState.SUCCEEDED, result=data, **ended)
    protect(data, contract, view.vault)  # type: ignore[arg-type]
    view.vault.save()
    fact = Fact.objects.create(run=view.run, step=step, call=call, key=contract.fact_key, data=data)
    view.facts.append(fact)
    journal.event("call.succeeded", {**_named(call), "milliseconds": milliseconds})
    journal.event("fact.recorded", {"call": str(call.pk), "key": fact.key})


def _not_a_fact(outcome: ToolResult, contract: ToolContract, *, late: bool) -> str:
    """Return why a result is no fact: of another type, out of date, or too large. Empty when it is one."""
    if not isinstance(outcome, contract.result_model):
        return "The tool returned something its contract does not declare."
    if late and contract.effect is not Effect.LOCAL:
        return "The result came later than the contract allows."
    if len(canonical_bytes(outcome.model_dump(mode="python"))) > MAX_RESULT_BYTES:
        return "The result is too large."
    return ""


def _failed(
    call: ToolCall, state: CallState, code: str, message: str, ended: dict[str, object], journal: Journal
) -> None:
    change_state(call, state, error_code=code[:40], error_message=str(message)[:2000], **ended)
    kind = "call.unknown" if state == CallState.UNKNOWN else "call.failed"
    journal.event(kind, {**_named(call), "code": code, "message": call.error_message})


def recover(view: RunView, call: ToolCall) -> bool:
    """Settle a call whose worker went away while it ran: what left for outside is of unknown outcome."""
    with commit(view) as journal:
        ended = {"ended_at": timezone.now()}
        message = _("The action was started and its outcome is not known.")
        _failed(call, CallState.UNKNOWN, ToolOutcomeUnknown.code, message, ended, journal)
    return True


def _named(call: ToolCall) -> dict[str, object]:
    return {"call": str(call.pk), "tool": call.tool_key}
