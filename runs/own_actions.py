"""What a decider gives for an action they do themselves: typed values, as the step's tool takes them."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from activities.models import ToolBinding
from activities.tools import ToolContract
from agentapp.kernel.errors import InvalidInput
from agentapp.kernel.text import clean_text, clean_value, shorten
from runs.llm.base import FieldSpec, FieldType
from runs.references import Eyes, resolve
from runs.specs import step_tool

_YES = {"true": True, "false": False}


def fields_of(contract: ToolContract, binding: ToolBinding) -> tuple[FieldSpec, ...]:
    """Return the parameters that are left to who acts: those the agent would choose."""
    return step_tool(contract, binding).fields


def read_params(
    contract: ToolContract, binding: ToolBinding, given: Mapping[str, Any], eyes: Eyes
) -> dict[str, Any]:
    """Return the arguments for the gate. What is empty is left out; records may be named by their name.

    Raises InvalidInput with `data["fields"]`: what is wrong with which.
    """
    specs = {spec.name: spec for spec in fields_of(contract, binding)}
    wrong = {name: _("This is not yours to give here.") for name in given if name not in specs}
    values: dict[str, Any] = {}
    for name, spec in specs.items():
        raw = given.get(name)
        raw = clean_text(raw).strip() if isinstance(raw, str) else clean_value(raw)
        if raw in (None, "", []):
            if spec.required:
                wrong[name] = _("Please fill this in.")
            continue
        try:
            values[name] = _value(spec, raw, eyes)
        except ValueError as error:
            wrong[name] = str(error)
    if wrong:
        raise InvalidInput(_("Some values cannot be used."), fields=wrong)
    return values


def _value(spec: FieldSpec, raw: Any, eyes: Eyes) -> Any:
    if spec.is_list:
        items = [part.strip() for part in raw.splitlines()] if isinstance(raw, str) else raw
        items = items if isinstance(items, list) else [items]
        return [_one(spec, item, eyes) for item in items if item not in (None, "")]
    return _one(spec, raw, eyes)


def _one(spec: FieldSpec, raw: Any, eyes: Eyes) -> Any:
    if spec.type == FieldType.REFERENCE:
        return _record(spec, str(raw), eyes)
    if not isinstance(raw, str):
        return raw
    if spec.type == FieldType.INTEGER:
        return _whole_number(raw)
    if spec.type == FieldType.BOOLEAN:
        return _YES.get(raw.lower(), raw)
    if spec.type == FieldType.DECIMAL:
        return raw.replace("\u202f", "").replace("\u00a0", "").replace(",", ".")
    return raw


def _whole_number(raw: str) -> int:
    if not raw.removeprefix("-").isdecimal() or len(raw) > 30:
        raise ValueError(_("Give a whole number."))
    return int(raw)


def _record(spec: FieldSpec, text: str, eyes: Eyes) -> str:
    resolution = resolve(spec.reference, text, eyes)
    if resolution.record is not None:
        return resolution.record.value
    if resolution.candidates:
        named = "; ".join(f"{item.label} ({item.value})" for item in resolution.candidates[:5])
        raise ValueError(_("Several records are called so: %(named)s. Give the number.") % {"named": named})
    raise ValueError(
        _("I find no record called “%(words)s” that is open to you.") % {"words": shorten(text, 60)}
    )
