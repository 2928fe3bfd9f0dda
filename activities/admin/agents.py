"""Agents in the administration: the list, and the addresses of the desk's pages."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from activities import designing
from activities.admin.columns import DeskList
from activities.admin.extensions import extensions
from activities.admin.page import name_of, person
from activities.admin.views import agents, learned, preview, revisions, rights, sections
from activities.models import Agent

ROUTES: tuple[tuple[str, Any, str], ...] = (
    ("import/", agents.import_page, "desk_import"),
    ("<uuid:agent_id>/draft/", agents.draft_new, "desk_draft_new"),
    ("<uuid:agent_id>/rights/", rights.rights_page, "desk_rights"),
    ("revisions/<uuid:revision_id>/", revisions.revision_page, "desk_revision"),
    ("revisions/<uuid:revision_id>/problems/", revisions.problems_part, "desk_problems"),
    ("revisions/<uuid:revision_id>/publish/", revisions.publish, "desk_publish"),
    ("revisions/<uuid:revision_id>/retire/", revisions.retire, "desk_retire"),
    ("revisions/<uuid:revision_id>/draft/", revisions.draft_from, "desk_draft_from"),
    ("revisions/<uuid:revision_id>/discard/", revisions.discard, "desk_discard"),
    ("revisions/<uuid:revision_id>/settings/", revisions.change_settings, "desk_settings"),
    ("revisions/<uuid:revision_id>/order/", revisions.order, "desk_order"),
    ("revisions/<uuid:revision_id>/export/", revisions.export, "desk_export"),
    ("revisions/<uuid:revision_id>/history/", revisions.history_page, "desk_history"),
    ("revisions/<uuid:revision_id>/difference/", revisions.difference_page, "desk_difference"),
    ("revisions/<uuid:revision_id>/activities/", revisions.activity_add, "desk_activity_add"),
    ("revisions/<uuid:revision_id>/learned/", learned.take_over_all, "desk_learned_all"),
    ("activities/<uuid:activity_id>/learned/", learned.take_over, "desk_learned"),
    ("activities/<uuid:activity_id>/learned/<uuid:phrase_id>/", learned.take_back, "desk_learned_back"),
    ("activities/<uuid:activity_id>/remove/", sections.activity_remove, "desk_activity_remove"),
    ("activities/<uuid:activity_id>/preview/", preview.preview, "desk_preview"),
    ("activities/<uuid:activity_id>/tools/", sections.tools_page, "desk_tools"),
    ("activities/<uuid:activity_id>/tools/<str:tool>/", sections.tool_page, "desk_tool"),
    ("activities/<uuid:activity_id>/steps/", sections.steps_page, "desk_steps"),
    ("activities/<uuid:activity_id>/steps/new/", sections.step_page, "desk_step_new"),
    ("activities/<uuid:activity_id>/steps/<uuid:step_id>/", sections.step_page, "desk_step"),
    ("activities/<uuid:activity_id>/<slug:section>/", sections.section_page, "desk_section"),
)


@admin.register(Agent)
class AgentAdmin(DeskList):
    """A designer's agents. What lies behind a row are pages of the desk."""

    list_display = ("shown_name", "shown_key", "shown_workspace", "offered", "drafts")
    search_fields = ("key", "name")
    ordering = ("workspace", "key")
    routes = ROUTES
    change_list_template = "admin/desk/agents.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Agent]:
        return designing.with_figures(designing.agents_for(person(request)))

    @admin.display(description=_("agent"), ordering="key")
    def shown_name(self, agent: Agent) -> str:
        return name_of(agent.name, agent.key)

    @admin.display(description=_("activities offered"))
    def offered(self, agent: Any) -> int:
        return int(agent.offered)

    @admin.display(description=_("drafts"))
    def drafts(self, agent: Any) -> int:
        return int(agent.drafts)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        user = request.user
        if not isinstance(user, User):
            return False
        return designing.designs_somewhere(user) or designing.has_agents(user)

    def has_add_permission(self, request: HttpRequest) -> bool:
        user = request.user
        return isinstance(user, User) and designing.designs_somewhere(user)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        more = {"desk_links": extensions.desk_links, **(extra_context or {})}
        return super().changelist_view(request, more)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        return agents.agent_add(request)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        return agents.agent_page(request, agents.as_id(object_id))

    def get_urls(self) -> list[URLPattern]:
        more = [pattern for make in extensions.urls for pattern in make()]
        return [*more, *super().get_urls()]
