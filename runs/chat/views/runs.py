"""The history: the list of runs, and one run from its first word to its last event."""

from uuid import UUID

from django.http import HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts import audit
from accounts.current import workspace_for
from accounts.models import User
from runs import selectors
from runs.chat import history, rows
from runs.chat.errors import Request, edge
from runs.chat.present.events import event_views
from runs.chat.present.lead import lead_of
from runs.chat.present.run import run_view
from runs.chat.present.story import story_of
from runs.deciders import waiting_for
from runs.exported import run_export
from runs.models import Run
from runs.searches import searches_seen
from runs.states import Outcome


@require_safe
@never_cache
@edge
def runs(request: Request) -> HttpResponseBase:
    """The runs this person may see: their own, or everybody's."""
    workspace = workspace_for(request)
    filters = history.read_filters(request.GET)
    everybody = history.sees_everybody(request.user, workspace)
    query = request.GET.copy()
    query.pop("before", None)
    return render(
        request,
        "runs/list.html",
        {
            "section": "runs",
            "page": history.page_of_runs(request.user, workspace, filters),
            "filters": filters,
            "query": query.urlencode(),
            "everybody": everybody,
            "people": history.people(workspace) if everybody else [],
            "activities": history.activities(workspace),
            "outcomes": Outcome.choices,
            "active": history.ACTIVE,
        },
    )


@require_safe
@never_cache
@edge
def run(request: Request, run_id: UUID) -> HttpResponseBase:
    """Everything that happened in one run, in order."""
    found = selectors.run_for(request.user, run_id)
    version = rows.versions_of([run_id]).get(run_id, 0)
    shown = rows.whole_runs().select_related("conversation", "parent").get(pk=run_id)
    events = selectors.events_of(shown, 0)
    view = run_view(shown, version, request.user)
    hidden = selectors.hidden_tools(request.user, shown)
    return render(
        request,
        "runs/detail.html",
        {
            "section": "runs",
            "shown": shown,
            "run": view,
            "story": story_of(shown, request.user),
            "lead": lead_of(shown),
            "routing": [item for item in searches_seen(shown, request.user) if not item.step],
            "decisions": [item for item in view.confirmations if item.call.key not in hidden],
            "decides": _open_escalation(request.user, found),
            "events": event_views(events),
            "verification": audit.verify_stream(run_id),
            "is_own": shown.user_id == request.user.pk,
            "model_calls": shown.model_call_rows.all(),
            "children": shown.children.all(),
        },
    )


@require_safe
@never_cache
@edge
def export(request: Request, run_id: UUID) -> HttpResponseBase:
    """One run as a JSON file, for whoever keeps or verifies it elsewhere."""
    found = selectors.run_for(request.user, run_id)
    name = f"run-{found.pk}.json"
    options = {"indent": 2, "ensure_ascii": False}
    response = JsonResponse(run_export(request.user, found), json_dumps_params=options)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _open_escalation(user: User, run: Run) -> UUID | None:
    """Return the run's escalation that waits for `user`."""
    return waiting_for(user, run.workspace).filter(run=run).values_list("pk", flat=True).first()
