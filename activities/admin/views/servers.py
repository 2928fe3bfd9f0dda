"""Pages about MCP servers: adding one, its state and tools, its settings, who may use it."""

from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from accounts.selectors import groups_of, members_of
from activities import designing
from activities.admin.forms.servers import NewServerForm, ServerForm, server_initial
from activities.admin.page import Link, attempt, desk, person, show, to
from activities.admin.views.rights import GrantForm, Subject, change_right, table_of
from activities.mcp.actions import server_create, server_delete, server_update
from activities.mcp.reading import Reading, tools_read
from activities.mcp.secrets import is_set
from activities.mcp.selectors import condition_of, server_for
from activities.models import McpServer, McpToolState
from agentapp.kernel.errors import MandateError

PAGE = 100
#: In which order the states are looked at.
STATES = (McpToolState.QUARANTINED, McpToolState.PENDING, McpToolState.REVIEWED, McpToolState.GONE)


@desk
def server_add(request: HttpRequest) -> HttpResponse:
    workspaces = designing.workspaces_designed(person(request))
    form = NewServerForm(workspaces, request.POST or None)
    if request.method == "POST" and form.is_valid():
        own = {name: form.cleaned_data[name] for name in ("workspace", "key")}
        try:
            server = server_create(actor=person(request), **own, **form.values)
        except MandateError as error:
            form.add_error(None, str(error))
        else:
            return to("activities_mcpserver_change", server.pk)
    trail = [*servers_trail(), Link(_("New server"))]
    return show(request, "servers/settings.html", {"form": form, "trail": trail}, title=_("New MCP server"))


@desk
def server_page(request: HttpRequest, server_id: UUID) -> HttpResponse:
    """A server: how it is doing, and its tools, those first that wait for somebody."""
    server = server_for(person(request), server_id)
    counts = [(state, getattr(server, f"{state}_tools")) for state in STATES]
    known = [state for state, count in counts if count]
    state = request.GET.get("state", "")
    chosen = state if state in known else (known[0] if known else "")
    tools = server.tools.filter(state=chosen).order_by("position", "key")
    page = Paginator(tools, PAGE).get_page(request.GET.get("page"))
    context = {
        "server": server,
        "condition": condition_of(server),
        "page": page,
        "kilobytes": server.max_result_bytes // 1_000,
        "chosen": chosen,
        "states": [
            Link(f"{each.label} ({count})", f"?state={each}", each == chosen)
            for each, count in counts
            if count
        ],
        "secrets": [(row, is_set(row.variable)) for row in server.secrets.all()],
        "reviewable": chosen == McpToolState.PENDING,
        "trail": server_trail(server),
    }
    return show(request, "servers/server.html", context, title=server.name)


@desk
def settings_page(request: HttpRequest, server_id: UUID) -> HttpResponse:
    server = server_for(person(request), server_id)
    form = ServerForm(server.workspace, request.POST or None, initial=server_initial(server))
    if request.method == "POST" and form.is_valid():
        try:
            server_update(server, actor=person(request), **form.values)
        except MandateError as error:
            form.add_error(None, str(error))
        else:
            return to("activities_mcpserver_change", server.pk)
    context = {"form": form, "server": server, "trail": [*server_trail(server), Link(_("Settings"))]}
    return show(request, "servers/settings.html", context, title=_("Settings"))


@require_POST
@desk
def read(request: HttpRequest, server_id: UUID) -> HttpResponse:
    """Read the server's tools; what was found is said."""
    server = server_for(person(request), server_id)
    found: list[Reading] = []
    done = _Told(found)
    attempt(request, done, lambda: found.append(tools_read(server, actor=person(request))))
    return to("activities_mcpserver_change", server.pk)


@require_POST
@desk
def delete(request: HttpRequest, server_id: UUID) -> HttpResponse:
    """Delete a server that nothing relies on; else its page says what does."""
    server = server_for(person(request), server_id)
    done = _now("The server “%(name)s” is deleted.") % {"name": server.name}
    if attempt(request, done, lambda: server_delete(server, actor=person(request))):
        return to("activities_mcpserver_changelist")
    return to("activities_mcpserver_change", server_id)


class _Told:
    """What a reading found, once it was done."""

    def __init__(self, found: list[Reading]) -> None:
        self.found = found

    def __str__(self) -> str:
        (reading,) = self.found
        parts = (
            _now("%(count)d new") % {"count": len(reading.new)},
            _now("%(count)d changed") % {"count": len(reading.changed)},
            _now("%(count)d gone") % {"count": len(reading.gone)},
            _now("%(count)d back again") % {"count": len(reading.back)},
            _now("%(count)d not usable entries") % {"count": reading.refused},
        )
        counts = (reading.new, reading.changed, reading.gone, reading.back, reading.refused)
        said = [part for part, count in zip(parts, counts, strict=True) if count]
        if not said:
            return _now("The tools were read: nothing changed.")
        return _now("The tools were read: %(what)s.") % {"what": ", ".join(said)}


@desk
def rights_page(request: HttpRequest, server_id: UUID) -> HttpResponse:
    """Show who may use the server's tools, and give or take that right."""
    server = server_for(person(request), server_id)
    right = ("use_mcpserver", _("use"))
    subject = Subject(str(server.pk), server.name, server, (right,), ("use_mcpserver",))
    people, groups = members_of(server.workspace), groups_of(server.workspace)
    form = GrantForm([subject], people, groups, request.POST or None)
    if request.method == "POST":
        change = lambda: change_right(request, form, [subject], people, groups)  # noqa: E731 - named for the line below
        attempt(request, _("The rights are changed."), change)
        return to("desk_server_rights", server.pk)
    context = {
        "server": server,
        "form": form,
        "table": table_of([subject]),
        "may_grant": True,
        "trail": [*server_trail(server), Link(_("Rights"))],
    }
    return show(request, "rights.html", context, title=_("Rights"))


def servers_trail() -> list[Link]:
    return [Link(_("MCP servers"), reverse("admin:activities_mcpserver_changelist"))]


def server_trail(server: McpServer) -> list[Link]:
    here = reverse("admin:activities_mcpserver_change", args=[server.pk])
    return [*servers_trail(), Link(server.name, here)]
