"""Which tools an activity may use, and who decides their parameters."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from accounts.models import User
from activities.blueprint import ToolPart
from activities.designing import missing
from activities.drafting.base import changing, put_in_order, save_order
from activities.importing import write_params, write_tool
from activities.models import Activity, ToolBinding
from activities.tools import Control, Risk, ToolContract, registry
from agentapp.kernel.errors import InvalidInput


def tools_change(activity: Activity, wanted: Sequence[str], *, actor: User, version: int) -> None:
    """Make these the tools of an activity, in this order. New ones come with nothing decided.

    Raises InvalidInput for a tool that no installed app has.
    """
    with changing(activity, actor, version) as found:
        bound = {binding.tool_key: binding for binding in found.tool_bindings.all()}
        for key in set(bound) - set(wanted):
            bound[key].delete()
        for key in wanted:
            if key not in bound:
                write_tool(found, ToolPart(tool=key), len(bound))
        save_order(put_in_order(found.tool_bindings.all(), wanted, "tool_key"))


def tool_change(activity: Activity, part: ToolPart, *, actor: User, version: int) -> None:
    """Decide about one tool, against its contract of today, to which it is pinned again.

    Raises InvalidInput for a choice that the contract does not allow.
    """
    with changing(activity, actor, version) as found:
        binding = ToolBinding.objects.filter(activity=found, tool_key=part.tool).first()
        contract = registry.get_for(found.revision.agent.workspace_id, part.tool)
        if binding is None or contract is None:
            raise missing()
        _check(contract, part)
        binding.raised_risk, binding.always_confirm = part.raise_risk, part.confirm
        binding.disclose_raw, binding.contract_hash = part.disclose_raw, contract.hash
        binding.save()
        binding.params.all().delete()
        write_params(binding, part)


def _check(contract: ToolContract, part: ToolPart) -> None:
    if part.raise_risk and Risk(part.raise_risk).rank < contract.risk.rank:
        raise InvalidInput(_("A risk can be raised, never lowered."))
    allowed = {param.name: param.controlled_by for param in contract.params}
    for name, param in part.params.items():
        if name not in allowed:
            raise InvalidInput(_("The tool has no such parameter."), param=name)
        if Control(param.source) not in allowed[name]:
            raise InvalidInput(_("The tool's contract does not allow this source."), param=name)
