"""Pages about the tools of MCP servers: looking at one, reviewing it, taking it out of use."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from activities.admin.forms.server_tools import ToolForms, chosen_tools
from activities.admin.page import Link, attempt, desk, name_of, person, show, to
from activities.admin.views.revisions import version_of
from activities.admin.views.servers import server_trail
from activities.mcp.actions import ReviewPart, tool_quarantine, tool_review, tools_review
from activities.mcp.changes import changes_of
from activities.mcp.selectors import server_for, tool_for
from activities.mcp.shapes import shape_of
from activities.models import McpTool, McpToolState
from agentapp.kernel.canonical import dumps


@desk
def tool_page(request: HttpRequest, tool_id: UUID) -> HttpResponse:
    """One tool: what the server says, what changed, and what the designer settles."""
    tool = tool_for(person(request), tool_id)
    shape = shape_of(tool.definition)
    frozen = bool(shape.unusable) or tool.state == McpToolState.GONE
    posted = request.POST if request.method == "POST" and not frozen else None
    forms = ToolForms(tool, shape.params, posted, frozen)
    if posted is not None and forms.is_valid() and _review(request, tool, forms.part):
        return to("desk_server_tool", tool.pk)
    context = {
        "tool": tool,
        "server": tool.server,
        "forms": forms,
        "frozen": frozen,
        "shape": shape,
        "changes": changes_of(tool),
        "result": list(shape.result.model_fields) if shape.result is not None else [],
        "definition": dumps(tool.definition),
        "trail": [*server_trail(tool.server), Link(tool.name)],
    }
    return show(request, "servers/tool.html", context, title=name_of(tool.title, tool.name))


def _review(request: HttpRequest, tool: McpTool, part: ReviewPart) -> bool:
    seen, version = request.POST.get("definition", ""), version_of(request)
    done = _("The tool is reviewed and may be used by those with the right on its server.")
    return attempt(
        request,
        done,
        lambda: tool_review(tool, part, definition_hash=seen, version=version, actor=person(request)),
    )


@require_POST
@desk
def quarantine(request: HttpRequest, tool_id: UUID) -> HttpResponse:
    tool = tool_for(person(request), tool_id)
    done = _("The tool is in quarantine: nobody can use it until it is reviewed again.")
    attempt(request, done, lambda: tool_quarantine(tool, actor=person(request)))
    return to("desk_server_tool", tool.pk)


@require_POST
@desk
def review_many(request: HttpRequest, server_id: UUID) -> HttpResponse:
    """Review the ticked tools as the page showed them: of high risk, no reference in the agent's hands."""
    server = server_for(person(request), server_id)
    chosen = chosen_tools(request.POST.getlist("tool"))
    found = tools_review(server, chosen, actor=person(request)) if chosen else {}
    problems = [f"{key}: {problem}" for key, problem in found.items() if problem]
    for problem in problems[:5]:
        messages.error(request, problem)
    count = len(found) - len(problems)
    if count:
        told = ngettext("%(count)d tool is reviewed.", "%(count)d tools are reviewed.", count)
        messages.success(request, told % {"count": count})
    elif not found:
        messages.error(request, _now("Tick the tools to review."))
    return to("activities_mcpserver_change", server.pk)
