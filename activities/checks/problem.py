"""What a check finds, and what it looks at."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from activities.expressions.types import Type, scope_of, type_of_model
from activities.models import Activity, ActivityInput, ParamBinding, Step, ToolBinding
from activities.scope import sample_scope
from activities.tools import ToolContract, registry


@dataclass(frozen=True)
class Problem:
    """Where it is, what is wrong and what to do. `place` is `activity / part / part`, by keys and names."""

    place: str
    message: str


class Look:
    """One activity with all it holds, read once, and what follows from its tools' contracts."""

    def __init__(self, activity: Activity) -> None:
        self.activity = activity
        self.key = activity.key
        self.inputs: dict[str, ActivityInput] = {row.name: row for row in activity.inputs.all()}
        self.bindings: list[ToolBinding] = list(activity.tool_bindings.all())
        self.steps: list[Step] = list(activity.steps.all())

    def place(self, *parts: str) -> str:
        return " / ".join((self.key, *parts))

    @cached_property
    def contracts(self) -> dict[str, ToolContract]:
        """Return the contracts of the tools that exist, by tool."""
        found = ((row.tool_key, registry.get(row.tool_key)) for row in self.bindings)
        return {key: contract for key, contract in found if contract is not None}

    @cached_property
    def facts(self) -> dict[str, Type]:
        """Return the types of the facts that the activity's tools give, by fact key."""
        return {each.fact_key: type_of_model(each.result_model) for each in self.contracts.values()}

    @cached_property
    def scope(self) -> dict[str, Type]:
        """Return what conditions read."""
        return scope_of(self.facts, self.inputs.values())

    @cached_property
    def sample(self) -> dict[str, Any]:
        """Return invented values for all that a text can name."""
        return sample_scope(self.activity, list(self.contracts.values()))

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
