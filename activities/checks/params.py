"""Who decides each parameter of a tool, and whether what is given can fit."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import BaseModel, TypeAdapter, ValidationError

from activities.checks.problem import Look, Problem
from activities.models import ActivityInput, ParamBinding
from activities.models.activity import FieldKind
from activities.models.authority import ParamSource
from activities.tools import Control, ToolContract
from activities.tools.contract import ParamContract

#: What a parameter's type can take from an input of these kinds.
_TAKES: dict[str, tuple[str, ...]] = {
    "integer": (FieldKind.INTEGER,),
    "decimal": (FieldKind.INTEGER, FieldKind.DECIMAL),
    "boolean": (FieldKind.BOOLEAN,),
    "date": (FieldKind.DATE,),
    "choice": (FieldKind.CHOICE, FieldKind.TEXT),
}


def known(look: Look) -> Iterator[Problem]:
    """What is decided is a parameter of the tool."""
    for contract, _binding, param in look.params():
        if param.name not in {each.name for each in contract.params}:
            yield Problem(_place(look, contract, param.name), _("The tool has no such parameter. Remove it."))


def decided(look: Look) -> Iterator[Problem]:
    """Somebody decides what the tool requires."""
    for binding in look.bindings:
        contract = look.contracts.get(binding.tool_key)
        bound = {param.name for param in binding.params.all()}
        for param in contract.params if contract else ():
            if param.required and param.name not in bound:
                place = look.place(binding.tool_key, param.name)
                yield Problem(place, _("It is required and nobody decides it. Choose a source."))


def allowed(look: Look) -> Iterator[Problem]:
    """The source is one that the contract allows."""
    for contract, param, choice in _pairs(look):
        if Control(choice.source) not in param.controlled_by:
            place = _place(look, contract, param.name)
            yield Problem(place, _("The tool's contract does not allow this source. Choose another."))


def from_inputs(look: Look) -> Iterator[Problem]:
    """An input that decides a parameter exists, fits, and is there when it is needed."""
    for contract, param, choice in _pairs(look):
        if choice.source == ParamSource.INPUT and Control.INPUT in param.controlled_by:
            message = _input_problem(look, param, choice)
            if message:
                yield Problem(_place(look, contract, param.name), message)


def fixed_values(look: Look) -> Iterator[Problem]:
    """A fixed value is one that the tool takes."""
    for contract, param, choice in _pairs(look):
        if choice.source != ParamSource.FIXED or Control.FIXED not in param.controlled_by:
            continue
        why = value_problem(contract, param, choice.fixed_value)
        if why:
            sentence = _("The tool does not take this fixed value: %(why)s.") % {"why": why}
            yield Problem(_place(look, contract, param.name), sentence)


def value_problem(contract: ToolContract, param: ParamContract, value: Any) -> str:
    """Return why `value` does not fit the parameter, an empty string when it does."""
    try:
        _adapter(contract.params_model, param.name).validate_python(value)
    except ValidationError as error:
        return str(error.errors()[0]["msg"])
    return ""


@lru_cache(maxsize=2048)
def _adapter(model: type[BaseModel], name: str) -> TypeAdapter[Any]:
    info = model.model_fields[name]
    annotation: Any = info.annotation
    for mark in info.metadata:
        annotation = Annotated[annotation, mark]
    return TypeAdapter(annotation)


def _pairs(look: Look) -> Iterator[tuple[ToolContract, ParamContract, ParamBinding]]:
    for contract, _binding, choice in look.params():
        param = next((each for each in contract.params if each.name == choice.name), None)
        if param is not None:
            yield contract, param, choice


def _input_problem(look: Look, param: ParamContract, choice: ParamBinding) -> str:
    name, _dot, part = choice.input_path.partition(".")
    field = look.inputs.get(name)
    if field is None:
        return _("It takes its value from an input that does not exist. Choose another.")
    if part and (field.kind != FieldKind.PERIOD or part not in ("start", "end")):
        return _("Only a period has a start and an end. Choose the input itself.")
    if not _fits(field, part, param):
        return _("The input “%(input)s” is of another type. Choose one that fits.") % {"input": field.name}
    if param.required and not field.required:
        return _("It is required, and “%(input)s” may be left out. Make the input required.") % {
            "input": field.name
        }
    return ""


def _fits(field: ActivityInput, part: str, param: ParamContract) -> bool:
    kind = FieldKind.DATE if part else field.kind
    if field.is_list != param.is_list or kind == FieldKind.PERIOD:
        return False
    if param.reference and kind == FieldKind.REFERENCE and field.reference != param.reference:
        return False
    return kind in _TAKES[param.value_type] if param.value_type in _TAKES else True


def _place(look: Look, contract: ToolContract, name: str) -> str:
    return look.place(contract.key, name)
