"""“There was something for this”: what the person may name, and naming it. One part of a page."""

from uuid import UUID

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django_htmx.http import reswap

from agentapp.kernel.errors import Conflict, InvalidInput
from agentapp.kernel.text import clean_text
from runs import actions
from runs.actions.missed import names_tools, run_to_name
from runs.chat.errors import Request, edge
from runs.chat.present.run import can_name, named_by
from runs.models import Run
from runs.nameable import choices

_LONGEST_QUERY = 200


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@edge
def missed(request: Request, run_id: UUID) -> HttpResponseBase:
    """List what can be named, as searched; or name one of it."""
    if request.method != "POST":
        return _listed(request, run_id)
    try:
        actions.missed_name(user=request.user, run_id=run_id, value=request.POST.get("missed", ""))
    except (Conflict, InvalidInput) as error:
        listed = _listed(request, run_id, problem=str(error), status=error.status)
        return reswap(listed, "innerHTML")
    return _named(request, run_to_name(request.user, run_id))


def _listed(request: Request, run_id: UUID, *, problem: str = "", status: int = 200) -> HttpResponse:
    run = run_to_name(request.user, run_id)
    query = clean_text(request.GET.get("q", ""))[:_LONGEST_QUERY].strip()
    found = choices(request.user, run.workspace, tools=names_tools(request.user, run), query=query)
    context = {"run_id": run_id, "choices": found, "query": query, "problem": problem}
    part = (
        "chat/missed/_choices.html"
        if request.htmx.target == f"missed-{run_id}-choices"
        else "chat/missed/list.html"
    )
    return render(request, part, context, status=status)


def _named(request: Request, run: Run) -> HttpResponse:
    """What was noted, and the offer to name something else."""
    context = {
        "run_id": run.pk,
        "named": list(named_by(run, request.user)),
        "escalated": not can_name(run, request.user),
        "fresh": True,
    }
    return render(request, "chat/missed/offer.html", context)
