"""MCP servers in the administration: the list, and the addresses of their pages."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from activities import designing
from activities.admin.columns import DeskList
from activities.admin.page import person
from activities.admin.views import server_tools, servers
from activities.admin.views.agents import as_id
from activities.mcp.selectors import condition_of, servers_for
from activities.models import McpServer

ROUTES: tuple[tuple[str, Any, str], ...] = (
    ("<uuid:server_id>/settings/", servers.settings_page, "desk_server_settings"),
    ("<uuid:server_id>/read/", servers.read, "desk_server_read"),
    ("<uuid:server_id>/remove/", servers.delete, "desk_server_delete"),
    ("<uuid:server_id>/rights/", servers.rights_page, "desk_server_rights"),
    ("<uuid:server_id>/review/", server_tools.review_many, "desk_server_review"),
    ("tools/<uuid:tool_id>/", server_tools.tool_page, "desk_server_tool"),
    ("tools/<uuid:tool_id>/quarantine/", server_tools.quarantine, "desk_server_quarantine"),
)


@admin.register(McpServer)
class McpServerAdmin(DeskList):
    """The servers of a designer's workspaces. What lies behind a row are pages of the desk."""

    list_display = ("shown_name", "shown_key", "shown_workspace", "condition", "reviewed", "waiting")
    search_fields = ("key", "name")
    ordering = ("workspace", "key")
    routes = ROUTES
    change_list_template = "admin/desk/servers/list.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[McpServer]:
        return servers_for(person(request))

    @admin.display(description=_("name"), ordering="name")
    def shown_name(self, server: McpServer) -> str:
        return server.name

    @admin.display(description=_("state"))
    def condition(self, server: McpServer) -> str:
        return condition_of(server).sentence

    @admin.display(description=_("reviewed tools"))
    def reviewed(self, server: Any) -> int:
        return int(server.reviewed_tools)

    @admin.display(description=_("to be looked at"))
    def waiting(self, server: Any) -> int:
        return int(server.pending_tools) + int(server.quarantined_tools)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        user = request.user
        return isinstance(user, User) and designing.designs_somewhere(user)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        return servers.server_add(request)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        return servers.server_page(request, as_id(object_id))
