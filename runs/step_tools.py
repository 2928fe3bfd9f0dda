"""Which tools a step of a run may use now, with which binding: one answer, for requests and for the gate.

A tool that the step names is usable as it was bound. One that the step is only open to is usable once it was
shown in this step, with the contract it was shown with: what a model has not been offered, it cannot mean.
Whether the person may is asked apart, at every use (`permissions`).
"""

from collections.abc import Collection

from activities.conditions import facts_named
from activities.models import DiscoveryLog, ToolBinding
from activities.models.discovery import ToolsShown
from activities.openings import StepTools
from activities.tools import ToolContract, registry
from activities.tools.contract import fact_key_of
from runs.llm.base import OWN_FUNCTIONS
from runs.models import RunStep
from runs.view import RunView

#: So often a model may search again in one step, with words of its own.
SEARCHES_PER_STEP = 2
Tools = list[tuple[ToolContract, ToolBinding]]


def step_tools(view: RunView, step: RunStep) -> StepTools:
    """Return the tools of a step in the run's workspace, read anew."""
    return StepTools(step.step, view.run.workspace)


def searches_of(view: RunView, step: RunStep) -> list[DiscoveryLog]:
    """Return the searches for tools of this step, in order."""
    return [search for search in view.searches if search.step_id == step.pk]


def shown_in(view: RunView, step: RunStep) -> dict[str, str]:
    """Return the opened tools that were shown in this step, each with the contract it was last shown with."""
    return {
        candidate.key: candidate.contract_hash
        for search in searches_of(view, step)
        for candidate in search.candidates.all()
        if candidate.shown
    }


def usable(view: RunView, step: RunStep, contract: ToolContract) -> ToolBinding | None:
    """Return with which binding the step may use the tool now, None when it may not, whoever asks."""
    tools = step_tools(view, step)
    if contract.key in tools.named:
        return tools.binding(contract)
    pin = shown_in(view, step).get(contract.key)
    return None if pin is None else tools.binding(contract, pin=pin)


def usable_tools(view: RunView, step: RunStep) -> Tools:
    """Return all that the step may use now, whoever may: what it names first, then what was shown."""
    tools, shown = step_tools(view, step), shown_in(view, step)
    contracts = registry.many([*tools.named, *shown])
    bound = [(each, tools.binding(each, pin=shown.get(each.key, ""))) for each in contracts.values()]
    return [(contract, binding) for contract, binding in bound if binding is not None]


def offered(
    view: RunView, step: RunStep, permissions: Collection[str]
) -> dict[str, tuple[ToolContract, ToolBinding]]:
    """Return what a request of the step offers to somebody with these permissions, by wire name."""
    return {
        contract.wire_name: (contract, binding)
        for contract, binding in usable_tools(view, step)
        if contract.permission in permissions
        and _as_shown(contract, binding)
        and contract.wire_name not in OWN_FUNCTIONS
    }


class Withdrawn(Exception):
    """A tool that the step cannot do without was taken out of use. `str()` says which, and why."""


def require_pinned(view: RunView, step: RunStep) -> None:
    """Raise Withdrawn when a tool that the step names was taken out of use and nothing can replace it."""
    named = step_tools(view, step).named
    gone = [key for key in named if registry.get_for(view.run.workspace_id, key) is None]
    reasons = {key: why for key in gone if (why := registry.why_not(key))}
    if not reasons:
        return
    needed = facts_named(step.step.passes_when)
    alone = len(gone) == len(named) and not step.step.openings.all()
    for key, why in reasons.items():
        if alone or fact_key_of(key) in needed:
            raise Withdrawn(f"{key} is not what this activity was published with: {why}.")


def _as_shown(contract: ToolContract, binding: ToolBinding) -> bool:
    """False for an opened tool that is not any more what was shown: it has to be found again."""
    return contract.hash == binding.contract_hash or not binding.opened


def is_to_be_searched(view: RunView, step: RunStep) -> bool:
    """True when an open step was not searched for yet, or not since a person last said something in it."""
    if not step.step.openings.all():
        return False
    searches = searches_of(view, step)
    answers = [asked.answered_at for asked in view.questions if asked.step_id == step.pk]
    heard = max(filter(None, [*answers, step.resumed_at]), default=None)
    return not searches or (heard is not None and searches[-1].at < heard)


def may_search_again(view: RunView, step: RunStep) -> bool:
    """True when not all that is permitted was shown, and the model has a search of its own left."""
    searches = searches_of(view, step)
    narrowed = any(search.decision != ToolsShown.ALL for search in searches)
    own = [search for search in searches if search.model_call_id is not None]
    return narrowed and len(own) < SEARCHES_PER_STEP
