"""Whether a revision may be published, and whether a published one can still be carried out."""

from activities.checks import Problem, problems
from activities.models import Revision, ToolBinding
from activities.tools import registry


def outdated_tools(revision: Revision) -> list[str]:
    """Return the tools of `revision` whose contract is gone or changed since: its runs would stop at them."""
    pins = ToolBinding.objects.filter(activity__revision=revision).values_list("tool_key", "contract_hash")
    return sorted(
        {key for key, pinned in pins if (found := registry.get(key)) is None or found.hash != pinned}
    )


__all__ = ["Problem", "outdated_tools", "problems"]
