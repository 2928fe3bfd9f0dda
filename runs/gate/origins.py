"""Where each final argument came from, and what a person reads in its place."""

import re
from collections.abc import Mapping
from typing import Any

from activities.tools import (
    ToolContract,
    ToolParams,
)
from activities.tools.contract import ParamContract
from agentapp.kernel.canonical import plain
from runs.gate.values import Draft, validated
from runs.gate.verdicts import FinalArgument, Refused
from runs.grounding import Ground, ground_reference, ground_words, stands_in
from runs.models import RunStep
from runs.models.run import Origin
from runs.references import Eyes, look_up, named
from runs.view import RunView

_TOKEN = re.compile(r"\[\[[a-z_]+-\d+\]\]")


def grounded(
    view: RunView, step: RunStep, contract: ToolContract, draft: Draft, params: ToolParams, eyes: Eyes
) -> tuple[FinalArgument, ...]:
    """Return the final arguments with their origins. Raises Refused for an identifier from nowhere."""
    values = plain(params.model_dump(mode="python"))
    before = plain(validated(contract, draft.values).model_dump(mode="python"))
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


def _source(param: ParamContract, draft: Draft, *, changed: bool) -> tuple[str, Ground]:
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


def references_of(param: ParamContract, values: Mapping[str, Any]) -> list[str]:
    """Return the records that a parameter's value names."""
    value = values.get(param.name) if param.reference else None
    return [item for item in (value if isinstance(value, list) else [value]) if item]


def _label(param: ParamContract, value: Any, eyes: Eyes) -> str:
    """Return how a person reads the value. A record this user may not see is refused here."""
    labels = []
    for item in references_of(param, {param.name: value}):
        record = look_up(param.reference, item, eyes)
        if record is None:
            raise Refused("not_visible", f"{param.name}: there is no such record for this user.")
        labels.append(named(record))
    if labels:
        return ", ".join(labels)[:300]
    return str(value)[:300] if value is not None else ""


def check_tokens(arguments: tuple[FinalArgument, ...]) -> None:
    """Refuse an argument that still holds a token: it stands for no value of this run."""
    for argument in arguments:
        if isinstance(argument.value, str) and _TOKEN.search(argument.value):
            raise Refused("unknown_token", f"{argument.name}: this token stands for no value of this run.")
