"""Which tools a step may use, with which binding: those it names, and those it is opened to.

The one answer that requests, the gate, the checks and the desk are built on. An opened tool has a binding
made here, the same each time: what its contract lets an agent decide is the agent's, nothing else feeds it,
and nothing protected is disclosed. Rights are asked apart, of the person, where a tool is used.
"""

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from django.utils.translation import gettext as _

from accounts.models import Workspace
from activities.discovery.found import CataloguePart
from activities.discovery.parts import tool_cards
from activities.models import Activity, ParamBinding, Step, StepOpening, ToolBinding, ToolGroupEntry
from activities.models.authority import ParamSource
from activities.models.openings import OpeningKind
from activities.tools import Control, Effect, Risk, ToolContract, registry

#: How a contract that came from an MCP server names its source.
SERVER = "mcp:"
#: So many contracts are fetched at once where one usable tool is looked for; mostly the first is.
_AT_ONCE = 100


class StepTools:
    """The tools of one step in one workspace, as they are now."""

    def __init__(self, step: Step, workspace: Workspace) -> None:
        self.step, self.workspace = step, workspace
        self.named: dict[str, ToolBinding] = {each.tool_key: each for each in step.tools.all()}
        self.openings: list[StepOpening] = list(step.openings.all())

    def binding(self, contract: ToolContract, *, pin: str = "") -> ToolBinding | None:
        """Return with which binding the step may use the tool; None when it may not.

        A named tool keeps its own. An opened one is pinned to `pin`, else to its contract of now.
        """
        if not contract.is_for(self.workspace.pk):
            return None
        if contract.key in self.named:
            return self.named[contract.key]
        through = self.through(contract)
        if not through or unusable(contract, risk_through(contract, through)):
            return None
        return _opened_binding(self.step, contract, through, pin or contract.hash)

    def through(self, contract: ToolContract) -> list[StepOpening]:
        """Return the openings that lead to the tool, whether it can be used or not."""
        return [each for each in self.openings if self._leads_to(each, contract)]

    def _leads_to(self, opening: StepOpening, contract: ToolContract) -> bool:
        match OpeningKind(opening.kind):
            case OpeningKind.TAG:
                return opening.value in contract.tags
            case OpeningKind.SERVER:
                return contract.source == f"{SERVER}{opening.value}"
            case OpeningKind.GROUP:
                return (opening.value, contract.key) in self._grouped

    @cached_property
    def _grouped(self) -> frozenset[tuple[str, str]]:
        """(group, tool) of the workspace's groups that the step is open to."""
        groups = [each.value for each in self.openings if each.kind == OpeningKind.GROUP]
        if not groups:
            return frozenset()
        entries = ToolGroupEntry.objects.filter(group__workspace=self.workspace, group__key__in=groups)
        return frozenset(entries.values_list("group__key", "tool_key"))

    def opened(self, contracts: Iterable[ToolContract]) -> Iterator[tuple[ToolContract, ToolBinding]]:
        """Yield those of `contracts` that the step is open to and can use, without those it names."""
        for contract in contracts:
            if self.openings and contract.key not in self.named:
                binding = self.binding(contract)
                if binding is not None:
                    yield contract, binding


def part_of(openings: Iterable[StepOpening]) -> CataloguePart:
    """Return the part of the catalogue that these openings name."""
    by_kind: dict[str, set[str]] = {kind: set() for kind in OpeningKind.values}
    for opening in openings:
        by_kind[opening.kind].add(opening.value)
    return CataloguePart(
        tags=frozenset(by_kind[OpeningKind.TAG]),
        groups=frozenset(by_kind[OpeningKind.GROUP]),
        sources=frozenset(f"{SERVER}{each}" for each in by_kind[OpeningKind.SERVER]),
    )


def may_write(activity: Activity) -> bool:
    """True when a tool of the activity has an effect; one that is gone may have had one."""
    contracts = [registry.get(binding.tool_key) for binding in activity.tool_bindings.all()]
    if any(contract is None or contract.effect is not Effect.NONE for contract in contracts):
        return True
    openings = [opening for step in activity.steps.all() for opening in step.openings.all()]
    workspace = activity.revision.agent.workspace
    return bool(openings) and tool_cards(workspace, part_of(openings)).filter(writes=True).exists()


def opens_any(step: Step, workspace: Workspace, permissions: Collection[str]) -> bool:
    """True when the step's openings lead somebody with these permissions to a tool that can be used."""
    tools = StepTools(step, workspace)
    if not tools.openings:
        return False
    cards = tool_cards(workspace, part_of(tools.openings), permissions)
    keys = list(cards.order_by("key").values_list("key", flat=True))
    parts = (keys[place : place + _AT_ONCE] for place in range(0, len(keys), _AT_ONCE))
    return any(True for part in parts for _each in tools.opened(registry.many(part).values()))


def risk_through(contract: ToolContract, openings: Iterable[StepOpening]) -> Risk:
    """Return the risk of a tool used through these openings: the highest that one of them, or it, says."""
    raised = [Risk(each.raised_risk) for each in openings if each.raised_risk]
    return max([contract.risk, *raised], key=lambda risk: risk.rank)


def unusable(contract: ToolContract, risk: Risk) -> str:
    """Return why an opening does not make a tool usable, a sentence with the remedy; empty when it does."""
    lacking = [each.name for each in contract.params if each.required and not _is_agents(each.controlled_by)]
    if lacking:
        return _(
            "Its parameter “%(name)s” is required and no agent may decide it. Name the tool instead."
        ) % {"name": lacking[0]}
    if risk is Risk.HIGH and contract.preview is None:
        return _("At high risk its effect is confirmed, and this tool cannot show it.")
    return ""


def _is_agents(sources: frozenset[Control]) -> bool:
    return Control.AGENT in sources


def _opened_binding(step: Step, contract: ToolContract, through: list[StepOpening], pin: str) -> ToolBinding:
    """Return a binding that is in no table, for what was opened and not bound by hand."""
    risk = risk_through(contract, through)
    binding = ToolBinding(
        activity_id=step.activity_id,
        tool_key=contract.key,
        contract_hash=pin,
        raised_risk=risk.value if risk.rank > contract.risk.rank else "",
        always_confirm=any(each.always_confirm for each in through),
        disclose_raw=False,
    )
    binding.opened = True
    params = [
        ParamBinding(binding=binding, name=each.name, source=ParamSource.AGENT)
        for each in contract.params
        if _is_agents(each.controlled_by)
    ]
    binding._prefetched_objects_cache = {"params": params}  # type: ignore[attr-defined]
    return binding
