"""What a check finds, and what it looks at."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from accounts.models import Workspace
from activities.discovery.parts import tool_cards
from activities.expressions.types import Type, scope_of, type_of_model
from activities.models import Activity, ActivityInput, ParamBinding, Step, StepOpening, ToolBinding
from activities.models.procedure import ToolChoice
from activities.openings import StepTools, part_of
from activities.reads import facts_read, texts_of
from activities.scope import sample_scope
from activities.tools import ToolContract, registry


@dataclass(frozen=True)
class Problem:
    """Where it is, what is wrong and what to do. `place` is `activity / part / part`, by keys and names."""

    place: str
    message: str


class Look:
    """One activity with all it holds, read once, and what follows from its tools' contracts.

    `unsaved` are conditions or templates that are looked at before they are the activity's; `openings` those
    of a step that are not saved either.
    """

    def __init__(self, activity: Activity, *unsaved: str, openings: Sequence[StepOpening] = ()) -> None:
        self.activity, self.unsaved, self.unsaved_openings = activity, unsaved, openings
        self.key = activity.key
        self.inputs: dict[str, ActivityInput] = {row.name: row for row in activity.inputs.all()}
        self.bindings: list[ToolBinding] = list(activity.tool_bindings.all())
        self.steps: list[Step] = list(activity.steps.all())
        self._opened: dict[UUID, list[ToolContract]] = {}

    def place(self, *parts: str) -> str:
        return " / ".join((self.key, *parts))

    @cached_property
    def contracts(self) -> dict[str, ToolContract]:
        """Return the contracts of the tools that exist, by tool."""
        workspace = self.activity.revision.agent.workspace_id
        found = ((row.tool_key, registry.get_for(workspace, row.tool_key)) for row in self.bindings)
        return {key: contract for key, contract in found if contract is not None}

    @cached_property
    def facts(self) -> dict[str, Type]:
        """Return the types of the facts that the activity's tools give, by fact key.

        Of tools that a step is only open to, there may be thousands: of these, what is read somewhere.
        """
        tools = (*self._opened_and_read(), *self.contracts.values())
        return {each.fact_key: type_of_model(each.result_model) for each in tools}

    def _opened_and_read(self) -> list[ToolContract]:
        opened = [each for step in self.steps for each in self.opened(step)]
        opened += [each for opening in self.unsaved_openings for each in self.opened_by(opening)]
        return [each for each in opened if each.fact_key in self.read]

    @cached_property
    def given(self) -> frozenset[str]:
        """Return the keys of the facts that the tools of the acting steps give, allowed or opened."""
        acting = [step for step in self.steps if step.tool_choice != ToolChoice.NONE]
        used = (each for step in acting for each in (*self.tools_until(step), *self.opened(step)))
        return frozenset(contract.fact_key for contract in used)

    @cached_property
    def read(self) -> frozenset[str]:
        """Return the keys of the facts that any condition, path or template of the activity reads."""
        return facts_read((*self.unsaved, *texts_of(self.activity)))

    def opened_by(self, opening: StepOpening) -> list[ToolContract]:
        """Return the contracts of the tools that an opening leads to here, usable or not."""
        if opening.pk not in self._opened:
            cards = tool_cards(self._workspace, part_of([opening])).order_by("key")
            self._opened[opening.pk] = list(registry.many(cards.values_list("key", flat=True)).values())
        return self._opened[opening.pk]

    def opened(self, step: Step) -> list[ToolContract]:
        """Return the contracts of the tools that the step is open to and can use."""
        openings = list(step.openings.all())
        if not openings:
            return []
        contracts = {each.key: each for opening in openings for each in self.opened_by(opening)}
        tools = StepTools(step, self._workspace)
        return [contract for contract, _binding in tools.opened(contracts.values())]

    def opened_until(self, step: Step) -> list[ToolContract]:
        """Return the contracts of what `step` and those before it are open to."""
        until = self.steps[: self.steps.index(step) + 1]
        return [contract for each in until for contract in self.opened(each)]

    @property
    def _workspace(self) -> Workspace:
        return self.activity.revision.agent.workspace

    @cached_property
    def scope(self) -> dict[str, Type]:
        """Return what conditions read."""
        return scope_of(self.facts, self.inputs.values())

    @cached_property
    def sample(self) -> dict[str, Any]:
        """Return invented values for all that a text can name."""
        return sample_scope(self.activity, [*self._opened_and_read(), *self.contracts.values()])

    def tools_until(self, step: Step) -> list[ToolContract]:
        """Return the contracts of the tools of `step` and of those before it."""
        until = self.steps[: self.steps.index(step) + 1]
        keys = dict.fromkeys(row.tool_key for each in until for row in each.tools.all())
        return [self.contracts[key] for key in keys if key in self.contracts]

    def params(self) -> Iterator[tuple[ToolContract, ToolBinding, ParamBinding]]:
        """Yield every parameter that somebody decides, of the tools that exist."""
        for binding in self.bindings:
            contract = self.contracts.get(binding.tool_key)
            for param in binding.params.all() if contract else ():
                yield contract, binding, param  # type: ignore[misc]  # contract is one here


Check = Callable[[Look], Iterable[Problem]]
RevisionCheck = Callable[[list[Look]], Iterable[Problem]]
