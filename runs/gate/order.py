"""The order in which the gate asks."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils import translation
from django.utils.translation import gettext as _

from accounts.standing import Standing
from activities.models import Activity, ToolBinding
from activities.rights import may_use
from activities.tools import (
    Preview,
    Risk,
    ToolContext,
    ToolContract,
    ToolParams,
    registry,
)
from activities.tools.contract import wire_name
from agentapp.kernel.canonical import digest
from runs.deciders import may_act_in
from runs.gate.hands import in_contract_hands
from runs.gate.origins import check_tokens, grounded, references_of
from runs.gate.values import final_params, merged, validated
from runs.gate.verdicts import Admitted, FinalArgument, Refused
from runs.guardrails import limits_of
from runs.models import RunStep, ToolCall
from runs.references import look_up
from runs.states import FRUITFUL_CALL_STATES, CallState
from runs.step_tools import shown_in, usable
from runs.trials.harmless import may_run_in_trial
from runs.view import RunView

_LIVE = (CallState.AWAITING, CallState.ADMITTED, CallState.EXECUTING, *FRUITFUL_CALL_STATES)


def check(view: RunView, step: RunStep, call: ToolCall, *, spent: int) -> Admitted:
    """Put one proposed call through the gate; `spent` are the tool calls this run used before it.

    Raises Refused.
    """
    contract, binding = _contract(view, step, call.tool_key)
    rights = _permission(view, contract, call)
    draft = merged(view, contract, binding, call)
    context = view.context(call)
    params = final_params(view, contract, binding, draft, context)
    arguments = grounded(view, step, contract, draft, params, view.eyes(rights, call))
    in_contract_hands(contract.guard, contract, context, params)
    if spent >= limits_of(view.activity).max_tool_calls:
        raise Refused("guardrail", "The limit of tool calls is reached; this one was not started.")
    check_tokens(arguments)
    return _confirmable(view, contract, binding, call, params, arguments, context)


def recheck(view: RunView, step: RunStep, call: ToolCall) -> tuple[ToolContract, ToolParams]:
    """Ask again right before execution, of the stored arguments. Raises Refused.

    Nothing is computed anew: what runs is what was digested. What may have changed since is checked:
    contract, step, rights, the records named, the business's own rules.
    """
    contract, _binding = _contract(view, step, call.tool_key)
    if contract.hash != call.contract_hash:
        raise Refused(
            "contract_changed", f"The contract of {call.tool_key} changed since this run was pinned to it."
        )
    rights = _permission(view, contract, call)
    values = {argument.name: argument.value for argument in call.arguments.all()}
    if call_digest(view, contract, values, by=call.by_id) != call.digest:
        raise Refused("digest_mismatch", "The arguments are not those that were admitted.")
    params = validated(contract, values)
    context, eyes = view.context(call), view.eyes(rights, call)
    for param in contract.params:
        for value in references_of(param, values):
            if look_up(param.reference, value, eyes) is None:
                raise Refused("not_visible", f"{param.name}: this record is not there for you any more.")
    in_contract_hands(contract.guard, contract, context, params)
    return contract, params


def call_digest(
    view: RunView, contract: ToolContract, values: Mapping[str, Any], *, by: UUID | None = None
) -> str:
    """Return the digest over tool, contract, arguments, run and user: what a confirmation confirms.

    The user is the run's, or `by`, who decided on an escalation and acts themselves.
    """
    return digest(
        {
            "tool": contract.key,
            "contract": contract.hash,
            "arguments": dict(values),
            "run": view.run.pk,
            "user": by or view.run.user_id,
        }
    )


def _contract(view: RunView, step: RunStep, key: str) -> tuple[ToolContract, ToolBinding]:
    contract = registry.get_for(view.run.workspace_id, key)
    binding = None if contract is None else usable(view, step, contract)
    if contract is None or binding is None:
        raise _outside(view, step, key)
    if contract.hash != binding.contract_hash:
        raise Refused("contract_changed", f"The contract of {key} changed since this activity was published.")
    return contract, binding


def _outside(view: RunView, step: RunStep, key: str) -> Refused:
    """Return the refusal of what the step does not offer. What it offered and is gone is nobody's fault.

    Of everything else it says the same, so that nobody learns from it what exists.
    """
    # Of a tool that is gone, only the name that the model used is known.
    shown = {name: each for each in shown_in(view, step) for name in (each, wire_name(each))}
    if key in {*view.bindings, *shown} and (why := registry.why_not(shown.get(key, key))):
        return Refused("contract_changed", f"{key} is not what this activity was published with: {why}.")
    if key in shown:
        return Refused("withdrawn", "This function is not available any more. Use another, or search again.")
    return Refused("not_in_step", "This function is not part of this step. Call one of those it offers.")


def _permission(view: RunView, contract: ToolContract, call: ToolCall) -> Standing:
    rights = view.rights(call)
    if view.activity is None or not _entitled(view, view.activity, rights, call):
        raise Refused("permission", "This user may not use this activity any more.")
    if contract.permission not in rights.permissions:
        raise Refused("permission", "This user does not hold the right this function needs.")
    return rights


def _entitled(view: RunView, activity: Activity, rights: Standing, call: ToolCall) -> bool:
    """True when who acts may: by the activity's own rights, or because the open step is theirs to decide."""
    if call.by is None:
        return may_use(rights, activity, view.run.workspace)
    return rights.member and may_act_in(call.by, view.run)


def _confirmable(
    view: RunView,
    contract: ToolContract,
    binding: ToolBinding,
    call: ToolCall,
    params: ToolParams,
    arguments: tuple[FinalArgument, ...],
    context: ToolContext,
) -> Admitted:
    final = {argument.name: argument.value for argument in arguments}
    fingerprint = call_digest(view, contract, final, by=call.by_id)
    same = {fingerprint, call_digest(view, contract, final)} if call.by_id else {fingerprint}
    for other in view.calls:
        if other.pk != call.pk and other.digest in same and other.state in _LIVE:
            raise Refused("already_done", "Exactly this call was made already in this run; use its result.")
    risk = max((contract.risk, Risk(binding.raised_risk or contract.risk)), key=lambda item: item.rank)
    preview = None
    asks = risk is Risk.HIGH or binding.always_confirm
    if asks or (view.run.trial and not may_run_in_trial(contract)):
        language = call.by.language if call.by else view.language
        preview = _preview(language, contract, params, context)
    return Admitted(contract, params, arguments, fingerprint, risk, preview, asks)


def _preview(language: str, contract: ToolContract, params: ToolParams, context: ToolContext) -> Preview:
    with translation.override(language):
        if contract.preview is None:
            return Preview(summary=_("“%(tool)s” will be carried out.") % {"tool": contract.title})
        shown: Preview = in_contract_hands(contract.preview, contract, context, params)
        return shown
