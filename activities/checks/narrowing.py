"""What a designer narrows of the agent's choice stays inside the contract, and is quick to check."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from activities import patterns as safe_patterns
from activities.checks.params import value_problem
from activities.checks.problem import Look, Problem
from activities.models import ParamBinding
from activities.models.authority import ParamSource
from activities.tools import ToolContract
from activities.tools.contract import ParamContract


def inside_the_contract(look: Look) -> Iterator[Problem]:
    """Allowed values and ranges are among those of the tool."""
    for contract, param, choice in _agent_choices(look):
        for message in (*_values(contract, param, choice), *_range(param, choice)):
            yield Problem(look.place(contract.key, param.name), message)


def patterns(look: Look) -> Iterator[Problem]:
    """A pattern is over a text, and cannot run for long."""
    for contract, param, choice in _agent_choices(look):
        if not choice.pattern:
            continue
        message = safe_patterns.problem(choice.pattern)
        if not message and param.value_type not in ("text", "choice"):
            message = _("Only a text has a pattern. Remove it.")
        if message:
            yield Problem(look.place(contract.key, param.name), message)


def _agent_choices(look: Look) -> Iterator[tuple[ToolContract, ParamContract, ParamBinding]]:
    for contract, _binding, choice in look.params():
        param = next((each for each in contract.params if each.name == choice.name), None)
        if param is not None and choice.source == ParamSource.AGENT:
            yield contract, param, choice


def _values(contract: ToolContract, param: ParamContract, choice: ParamBinding) -> Iterator[str]:
    for value in choice.allowed_values:
        if value_problem(contract, param, [value] if param.is_list else value):
            yield _("The tool does not take the allowed value “%(value)s”. Remove it.") % {"value": value}


def _range(param: ParamContract, choice: ParamBinding) -> Iterator[str]:
    low, high = choice.minimum, choice.maximum
    if low is None and high is None:
        return
    if param.value_type not in ("integer", "decimal"):
        yield _("Only a number has a minimum and a maximum. Remove them.")
        return
    if low is not None and high is not None and low > high:
        yield _("The minimum is more than the maximum: nothing is allowed.")
    least, most = _limit(param, "minimum"), _limit(param, "maximum")
    if low is not None and least is not None and low < least:
        yield _("The tool takes nothing below %(limit)s. Raise the minimum.") % {"limit": least}
    if high is not None and most is not None and high > most:
        yield _("The tool takes nothing above %(limit)s. Lower the maximum.") % {"limit": most}


def _limit(param: ParamContract, name: str) -> Decimal | None:
    schema: Any = param.schema.get("items", param.schema) if param.is_list else param.schema
    value = schema.get(name)
    return None if value is None else Decimal(str(value))
