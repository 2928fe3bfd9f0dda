"""The live preview of an answer: the template as it is typed, filled from a past run or from sample facts."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from activities import designing, templates
from activities.admin import contracts
from activities.admin.extensions import extensions
from activities.admin.fields import LANGUAGES
from activities.admin.page import desk, person
from activities.models import Activity
from activities.scope import sample_scope
from agentapp.kernel.sanitise import markdown_html

MAX_TEMPLATE = 20_000


@require_POST
@desk
def preview(request: HttpRequest, activity_id: UUID) -> HttpResponse:
    """Render what was typed in one language; a mistake is told in its place."""
    activity = designing.activity_for(person(request), activity_id)
    language = request.POST.get("preview_language", LANGUAGES[0])
    language = language if language in LANGUAGES else LANGUAGES[0]
    source = request.POST.get(f"template_{language}", "")[:MAX_TEMPLATE]
    context: dict[str, Any] = {"language": language}
    try:
        scope = _scope(request, activity)
        context["html"] = markdown_html(templates.render(source, scope, language))
    except templates.BadTemplate as error:
        context["problem"] = str(error)
    return render(request, "admin/desk/activity/_preview.html", context)


def _scope(request: HttpRequest, activity: Activity) -> Mapping[str, Any]:
    """Return the values to show: those of the chosen run, else invented ones."""
    chosen = request.POST.get("preview_run", "")
    if chosen and extensions.past_scope is not None:
        try:
            run_id = UUID(chosen)
        except ValueError as error:
            raise designing.missing() from error
        return extensions.past_scope(person(request), activity, run_id)
    return sample_scope(activity, contracts.contracts_of(activity.tool_bindings.all()))
