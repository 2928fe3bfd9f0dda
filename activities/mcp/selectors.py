"""What a designer sees of MCP servers and their tools. Missing and invisible look the same."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from activities.designing import missing, workspaces_designed
from activities.models import McpServer, McpTool, McpToolState


@dataclass(frozen=True)
class Condition:
    """How a server is doing: a code for the eye, and a sentence."""

    code: str
    sentence: str


def servers_for(user: User) -> QuerySet[McpServer]:
    """Return the servers of the workspaces that `user` designs, with how many tools are in which state."""
    return (
        McpServer.objects.filter(workspace__in=workspaces_designed(user).order_by().values("pk"))
        .select_related("workspace")
        .annotate(
            **{
                f"{state}_tools": Count("tools", filter=Q(tools__state=state), distinct=True)
                for state in McpToolState.values
            }
        )
    )


def server_for(user: User, server_id: UUID) -> McpServer:
    """Return one of their servers. Raises NotFound."""
    found = servers_for(user).filter(pk=server_id).first()
    if found is None:
        raise missing()
    return found


def tool_for(user: User, tool_id: UUID) -> McpTool:
    """Return a tool of one of their servers. Raises NotFound."""
    mine = workspaces_designed(user).order_by().values("pk")
    tools = McpTool.objects.select_related("server__workspace", "reviewed_by").prefetch_related("params")
    found = tools.filter(pk=tool_id, server__workspace__in=mine).first()
    if found is None:
        raise missing()
    return found


def condition_of(server: McpServer) -> Condition:
    """Return how the server is doing, from what was last seen of it."""
    if not server.enabled:
        return Condition("off", _("switched off"))
    if server.retry_at is not None and server.retry_at > timezone.now():
        return Condition("failing", _("does not answer"))
    if server.last_error:
        return Condition("failing", _("failed lately"))
    if server.seen_at is None:
        return Condition("new", _("never asked"))
    return Condition("well", _("answers"))
