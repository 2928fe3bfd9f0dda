"""The tools an activity may use: there, as they were, and shown before they commit."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from activities.checks.problem import Look, Problem
from activities.tools import Risk


def exist(look: Look) -> Iterator[Problem]:
    """Every tool is declared by an installed app."""
    for binding in look.bindings:
        if binding.tool_key not in look.contracts:
            place = look.place(binding.tool_key)
            yield Problem(place, _("This tool does not exist. Remove it or install the app that has it."))


def unchanged(look: Look) -> Iterator[Problem]:
    """Every tool is what it was when the draft was made."""
    for binding in look.bindings:
        contract = look.contracts.get(binding.tool_key)
        if contract is not None and contract.hash != binding.contract_hash:
            place = look.place(binding.tool_key)
            yield Problem(
                place, _("The tool's contract changed since the draft was made. Review and add it again.")
            )


def risk(look: Look) -> Iterator[Problem]:
    """A risk is raised, never lowered."""
    for binding in look.bindings:
        contract = look.contracts.get(binding.tool_key)
        if contract and binding.raised_risk and Risk(binding.raised_risk).rank < contract.risk.rank:
            yield Problem(look.place(binding.tool_key), _("A risk can be raised, never lowered."))


def preview(look: Look) -> Iterator[Problem]:
    """What is confirmed as of high risk can be shown."""
    for binding in look.bindings:
        contract = look.contracts.get(binding.tool_key)
        high = contract is not None and Risk.HIGH in (contract.risk, binding.raised_risk)
        if contract is not None and high and contract.preview is None:
            yield Problem(
                look.place(binding.tool_key),
                _("At high risk its effect is confirmed, and this tool cannot show it. Do not raise it."),
            )
