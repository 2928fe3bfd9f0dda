"""Who decides each parameter, and what its value is: merged, validated, inside the designer's limits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from activities import patterns
from activities.models import ParamBinding, ToolBinding
from activities.models.authority import ParamSource
from activities.paths import NoSuchValue, read
from activities.tools import (
    ToolContext,
    ToolContract,
    ToolParams,
)
from agentapp.kernel.canonical import plain
from runs.arguments import BadArguments, is_unwieldy, parse_arguments
from runs.gate.hands import in_contract_hands
from runs.gate.verdicts import Refused
from runs.grounding import Ground
from runs.intentions import without_declaration
from runs.models import ToolCall
from runs.models.run import Origin
from runs.view import RunView


@dataclass
class Draft:
    """The values being put together, each with its provenance and ground."""

    values: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, str] = field(default_factory=dict)
    grounds: dict[str, Ground] = field(default_factory=dict)

    def put(self, name: str, value: Any, provenance: str, ground: Ground) -> None:
        self.values[name], self.provenance[name], self.grounds[name] = value, provenance, ground


def merged(view: RunView, contract: ToolContract, binding: ToolBinding, call: ToolCall) -> Draft:
    """Return the bound values, with the agent's where they are its own. Raises Refused."""
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
    draft = Draft()
    chosen = Ground(Origin.AGENT if call.by_id is None else Origin.DECIDER)
    for name, param in bound.items():
        _merge(view, draft, name, param, given, chosen)
    return draft


def _merge(
    view: RunView,
    draft: Draft,
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


def final_params(
    view: RunView, contract: ToolContract, binding: ToolBinding, draft: Draft, context: ToolContext
) -> ToolParams:
    """Return the parameters as they will be executed: validated, narrowed, prepared. Raises Refused."""
    params = validated(contract, draft.values)
    for narrowed in binding.params.all():
        if narrowed.source == ParamSource.AGENT and narrowed.name in draft.values:
            _narrowed(narrowed, getattr(params, narrowed.name))
    if contract.prepare is None:
        return params
    prepared: ToolParams = in_contract_hands(contract.prepare, contract, context, params)
    return prepared


def validated(contract: ToolContract, values: Mapping[str, Any]) -> ToolParams:
    """Return `values` as the contract's parameters. Raises Refused with the wrong ones."""
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
        if narrowed.pattern and not patterns.fits(narrowed.pattern, str(item)):
            raise Refused("outside_limits", f"{narrowed.name}: not of the form allowed here.")
