"""Taking a server away: only one that no revision relies on, whatever state that revision is in.

What ran stays proven: a retired revision names the tools it used, and a server of that key would be another.
"""

from collections.abc import Collection

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import access
from accounts.models import User
from activities.actions.authority import require_workspace
from activities.discovery.index import refresh
from activities.mcp.history import record
from activities.models import McpServer, StepOpening, ToolBinding, ToolGroupEntry
from activities.models.openings import OpeningKind
from agentapp.kernel.errors import Conflict


@transaction.atomic
def server_delete(server: McpServer, *, actor: User | None) -> None:
    """Delete a server with its tools, its secrets' names and the rights on it. Audited.

    Raises NotAllowed, and Conflict, saying where, while a revision binds one of its tools or is open to it.
    """
    require_workspace(actor, server.workspace)
    rows = McpServer.objects.select_for_update(of=("self",)).select_related("workspace")
    locked = rows.get(pk=server.pk)
    keys = list(locked.tools.values_list("key", flat=True))
    if why := used_where(locked, keys):
        raise Conflict(why)
    for given in access.grants_on([locked]):
        access.revoke(f"activities.{given.codename}", given.to, locked, actor=actor)
    record(locked, "mcp_server.deleted", actor, {"name": locked.name, "tools": sorted(keys)})
    ToolGroupEntry.objects.filter(group__workspace=locked.workspace, tool_key__in=keys).delete()
    workspace = locked.workspace
    locked.delete()
    if keys:
        refresh(workspace=workspace, keys=keys)


def used_where(server: McpServer, keys: Collection[str]) -> str:
    """Return why the server cannot be deleted: the first revision that relies on it; empty when none does."""
    inside = {"activity__revision__agent__workspace": server.workspace}
    bound = ToolBinding.objects.filter(**inside, tool_key__in=keys).select_related(
        "activity__revision__agent"
    )
    binding = bound.order_by("activity__revision__number").first()
    if binding is not None:
        words = {"revision": str(binding.activity.revision), "tool": binding.tool_key}
        return _("“%(revision)s” uses its tool %(tool)s. Switch the server off instead.") % words
    opened = StepOpening.objects.filter(
        **{f"step__{name}": value for name, value in inside.items()},
        kind=OpeningKind.SERVER,
        value=server.key,
    ).select_related("step__activity__revision__agent")
    opening = opened.order_by("step__activity__revision__number").first()
    if opening is not None:
        words = {"revision": str(opening.step.activity.revision)}
        return _("A step of “%(revision)s” is open to it. Switch the server off instead.") % words
    return ""
