"""The gate: whether a proposed call may run. Asked when it is proposed, and again when it is executed.

contract → step → permission → provenance → schema → grounding → domain guard → guardrail → disclosure →
confirmation. Each refusal has a code, and a sentence the model or a person can act on without being
handed values they did not know.
"""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID

from django.db import InterfaceError, OperationalError
from django.utils import translation
from django.utils.translation import gettext as _
from pydantic import ValidationError

from accounts.standing import Standing
from activities.models import Activity, ParamBinding, ToolBinding
from activities.models.authority import ParamSource
from activities.paths import NoSuchValue, read
from activities.rights import may_use
from activities.tools import (
    Preview,
    Risk,
    ToolArgumentError,
    ToolContext,
    ToolContract,
    ToolError,
    ToolParams,
    registry,
)
from activities.tools.contract import ParamContract
from agentapp.kernel.canonical import digest, plain
from runs.arguments import BadArguments, is_unwieldy, parse_arguments
from runs.deciders import may_act_in
from runs.grounding import Ground, ground_reference, ground_words, stands_in
from runs.guardrails import limits_of
from runs.intentions import without_declaration
from runs.models import RunStep, ToolCall
from runs.models.run import Origin
from runs.references import Eyes, look_up
from runs.states import FRUITFUL_CALL_STATES, CallState
from runs.trials.harmless import may_run_in_trial
from runs.view import RunView

logger = logging.getLogger(__name__)
_TOKEN = re.compile(r"\[\[[a-z_]+-\d+\]\]")
_LIVE = (CallState.AWAITING, CallState.ADMITTED, CallState.EXECUTING, *FRUITFUL_CALL_STATES)
T = TypeVar("T")


class Refused(Exception):
    """The call may not run. `code` is stable; `message` is for the model and the record.

    `params` names the parameters whose values are wrong, where it is about values.
    """

    def __init__(self, code: str, message: str, params: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.params = params


@dataclass(frozen=True)
class FinalArgument:
    """One argument as it will be executed, as the dialog shows it, and where it came from."""

    name: str
    value: Any
    label: str
    provenance: str
    ground: Ground


@dataclass(frozen=True)
class Admitted:
    """A call that may run, now or, when it `asks`, after its confirmation.

    A trial simulates what has an effect, and is given the preview of that also where nobody is asked.
    """

    contract: ToolContract
    params: ToolParams
    arguments: tuple[FinalArgument, ...]
    digest: str
    risk: Risk
    preview: Preview | None = None
    asks: bool = False


@dataclass
class _Draft:
    """The values being put together, each with its provenance and ground."""

    values: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, str] = field(default_factory=dict)
    grounds: dict[str, Ground] = field(default_factory=dict)

    def put(self, name: str, value: Any, provenance: str, ground: Ground) -> None:
        self.values[name], self.provenance[name], self.grounds[name] = value, provenance, ground


def check(view: RunView, step: RunStep, call: ToolCall, *, spent: int) -> Admitted:
    """Put one proposed call through the gate; `spent` are the tool calls this run used before it.

    Raises Refused.
    """
    contract, binding = _contract(view, step, call.tool_key)
    rights = _permission(view, contract, call)
    draft = _provenance(view, contract, binding, call)
    context = view.context(call)
    params = _final(view, contract, binding, draft, context)
    arguments = _grounded(view, step, contract, draft, params, view.eyes(rights, call))
    _in_contract_hands(contract.guard, contract, context, params)
    if spent >= limits_of(view.activity).max_tool_calls:
        raise Refused("guardrail", "The limit of tool calls is reached; this one was not started.")
    _disclosure(arguments)
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
    params = _validated(contract, values)
    context, eyes = view.context(call), view.eyes(rights, call)
    for param in contract.params:
        for value in _references(param, values):
            if look_up(param.reference, value, eyes) is None:
                raise Refused("not_visible", f"{param.name}: this record is not there for you any more.")
    _in_contract_hands(contract.guard, contract, context, params)
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
    contract = registry.get(key)
    if contract is None:
        raise Refused("unknown_tool", "There is no such function. Call one of those this step offers.")
    binding = next((item for item in step.step.tools.all() if item.tool_key == key), None)
    if binding is None:
        raise Refused("not_in_step", "This function is not part of this step. Call one of those it offers.")
    if contract.hash != binding.contract_hash:
        raise Refused("contract_changed", f"The contract of {key} changed since this activity was published.")
    return contract, binding


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


def _provenance(view: RunView, contract: ToolContract, binding: ToolBinding, call: ToolCall) -> _Draft:
    try:
        written = without_declaration(view, contract, parse_arguments(call.proposed_arguments))
        given = view.vault.restore(written)
    except BadArguments as error:
        raise Refused("invalid_arguments", f"Nothing was called: {error}.") from error
    bound = {param.name: param for param in binding.params.all()}
    agents = {name for name, param in bound.items() if param.source == ParamSource.AGENT}
    foreign = sorted(set(given) - agents)
    if foreign:
        raise Refused("not_agent_controlled", f"These arguments are not yours to give: {', '.join(foreign)}.")
    draft = _Draft()
    chosen = Ground(Origin.AGENT if call.by_id is None else Origin.DECIDER)
    for name, param in bound.items():
        _merge(view, draft, name, param, given, chosen)
    return draft


def _merge(
    view: RunView,
    draft: _Draft,
    name: str,
    param: ParamBinding,
    given: Mapping[str, Any],
    chosen: Ground,
) -> None:
    match param.source:
        case ParamSource.FIXED:
            draft.put(name, param.fixed_value, param.source, Ground(Origin.FIXED))
        case ParamSource.INPUT:
            row = view.inputs.get(param.input_path.partition(".")[0])
            if row is not None and row.value is not None:
                ground = Ground(Origin(row.origin), row.words or row.name)
                draft.put(name, _input_value(view, param.input_path), param.source, ground)
        case _:
            # In the strict schema, null is how an optional value is left out.
            if given.get(name) is not None:
                draft.put(name, given[name], param.source, chosen)


def _input_value(view: RunView, path: str) -> Any:
    try:
        return read(path, view.input_values)
    except NoSuchValue as error:
        raise Refused("missing_input", f"The activity's input {path} has no value.") from error


def _final(
    view: RunView, contract: ToolContract, binding: ToolBinding, draft: _Draft, context: ToolContext
) -> ToolParams:
    params = _validated(contract, draft.values)
    for narrowed in binding.params.all():
        if narrowed.source == ParamSource.AGENT and narrowed.name in draft.values:
            _narrowed(narrowed, getattr(params, narrowed.name))
    if contract.prepare is None:
        return params
    prepared: ToolParams = _in_contract_hands(contract.prepare, contract, context, params)
    return prepared


def _validated(contract: ToolContract, values: Mapping[str, Any]) -> ToolParams:
    try:
        params: ToolParams = contract.params_model.model_validate(dict(values))
    except ValidationError as error:
        told = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        raise Refused("invalid_arguments", f"Nothing was called. {told}.") from error
    for name, value in params:
        numbers = [
            item for item in (value if isinstance(value, list) else [value]) if isinstance(item, Decimal)
        ]
        if any(map(is_unwieldy, numbers)):
            raise Refused("invalid_arguments", f"Nothing was called. {name}: this number is out of range.")
    return params


def _narrowed(narrowed: ParamBinding, value: Any) -> None:
    """Refuse an agent's value outside the limits the designer drew."""
    for item in value if isinstance(value, list | tuple) else [value]:
        if narrowed.allowed_values and plain(item) not in narrowed.allowed_values:
            raise Refused("outside_limits", f"{narrowed.name}: this value is not among those allowed here.")
        if isinstance(item, int | Decimal) and not isinstance(item, bool):
            if narrowed.minimum is not None and item < narrowed.minimum:
                raise Refused("outside_limits", f"{narrowed.name}: below the limit set for this activity.")
            if narrowed.maximum is not None and item > narrowed.maximum:
                raise Refused("outside_limits", f"{narrowed.name}: above the limit set for this activity.")
        if narrowed.pattern and (len(str(item)) > 200 or not re.fullmatch(narrowed.pattern, str(item))):
            raise Refused("outside_limits", f"{narrowed.name}: not of the form allowed here.")


def _grounded(
    view: RunView, step: RunStep, contract: ToolContract, draft: _Draft, params: ToolParams, eyes: Eyes
) -> tuple[FinalArgument, ...]:
    """Return the final arguments with their origins. Raises Refused for an identifier from nowhere."""
    values = plain(params.model_dump(mode="python"))
    before = plain(_validated(contract, draft.values).model_dump(mode="python"))
    records = view.named_records()
    arguments = []
    for param in contract.params:
        value = values[param.name]
        provenance, ground = _source(param, draft, changed=value != before[param.name])
        if ground.origin is Origin.AGENT and value is not None:
            ground = _agent_ground(view, step, param, value, records)
        label = _label(param, value, eyes)
        arguments.append(FinalArgument(param.name, value, label, provenance, ground))
    return tuple(arguments)


def _source(param: ParamContract, draft: _Draft, *, changed: bool) -> tuple[str, Ground]:
    if changed:
        return draft.provenance.get(param.name, "default"), Ground(Origin.LOOKED_UP)
    if param.name not in draft.values:
        return "default", Ground(Origin.DEFAULT)
    return draft.provenance[param.name], draft.grounds[param.name]


def _agent_ground(
    view: RunView, step: RunStep, param: ParamContract, value: Any, records: list[Any]
) -> Ground:
    instruction = [step.instruction] if step.instruction else []
    items = value if isinstance(value, list) else [value]
    if not param.reference:
        if items and all(_said(view.words, item) for item in items):
            return Ground(Origin.WORDS, "")
        by_decider = items and instruction and all(_said(instruction, item) for item in items)
        return Ground(Origin.DECIDER if by_decider else Origin.AGENT)
    ground = Ground(Origin.AGENT)
    for item in items:
        ground = ground_reference(item, param.reference, records, view.words)
        if not ground.ok and any(stands_in(item, text) for text in instruction):
            ground = Ground(Origin.DECIDER, item)
        if not ground.ok:
            raise Refused(
                "ungrounded",
                f"{param.name}: this value stands neither in the facts nor in the user's words. "
                "Look the record up first, or ask the user.",
            )
    return ground


def _said(texts: list[str], item: Any) -> bool:
    value = str(item)
    return any(stands_in(value, words) for words in texts) or ground_words(value, texts).ok


def _references(param: ParamContract, values: Mapping[str, Any]) -> list[str]:
    value = values.get(param.name) if param.reference else None
    return [item for item in (value if isinstance(value, list) else [value]) if item]


def _label(param: ParamContract, value: Any, eyes: Eyes) -> str:
    """Return how a person reads the value. A record this user may not see is refused here."""
    labels = []
    for item in _references(param, {param.name: value}):
        record = look_up(param.reference, item, eyes)
        if record is None:
            raise Refused("not_visible", f"{param.name}: there is no such record for this user.")
        labels.append(record.label if item in record.label else f"{record.label} ({item})")
    if labels:
        return ", ".join(labels)[:300]
    return str(value)[:300] if value is not None else ""


def _disclosure(arguments: tuple[FinalArgument, ...]) -> None:
    for argument in arguments:
        if isinstance(argument.value, str) and _TOKEN.search(argument.value):
            raise Refused("unknown_token", f"{argument.name}: this token stands for no value of this run.")


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
        shown: Preview = _in_contract_hands(contract.preview, contract, context, params)
        return shown


def _in_contract_hands(
    function: Callable[[ToolContext, Any], T] | None,
    contract: ToolContract,
    context: ToolContext,
    params: ToolParams,
) -> Any:
    """Call one of the contract's own functions; what it refuses, the gate refuses."""
    if function is None:
        return None
    try:
        return function(context, params)
    except ToolArgumentError as error:
        raise Refused(error.code, error.message, error.params) from error
    except ToolError as error:
        raise Refused(error.code, error.message) from error
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:
        logger.exception(
            "Tool %s failed in %s", contract.key, getattr(function, "__name__", "a declared function")
        )
        raise Refused("tool_bug", "The tool failed while checking this call. Nothing was started.") from error
