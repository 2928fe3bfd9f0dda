"""The chat's pages: home, one conversation, the list beside them."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.current import workspace_for
from accounts.models import User
from agentapp.kernel.text import clean_text
from runs import selectors
from runs.chat import fragments, rows
from runs.chat.errors import Request, edge
from runs.chat.history import sees_everybody
from runs.chat.offers import offers
from runs.chat.present.run import RunView, run_view
from runs.chat.sidebar import listing
from runs.chat.updates import Seen, updates_for
from runs.models import Conversation

_LONGEST_QUERY = 200


@require_safe
@never_cache
@edge
def home(request: Request) -> HttpResponseBase:
    """A greeting, what the person may ask for, and where to ask."""
    workspace = workspace_for(request)
    return render(
        request,
        "chat/home.html",
        _common(request)
        | {
            "offers": offers(request.user, workspace),
            "reads_all": sees_everybody(request.user, workspace),
            "hour": timezone.localtime().hour,
        },
    )


@require_safe
@never_cache
@edge
def conversation(request: Request, conversation_id: UUID) -> HttpResponseBase:
    """One conversation, its newest runs."""
    shown = selectors.conversation_for(request.user, conversation_id)
    views, has_earlier = run_views(request.user, shown)
    state = fragments.composer_fragment(views[-1] if views else None)
    return render(
        request,
        "chat/conversation.html",
        _common(request, shown)
        | {
            "conversation": shown,
            "articles": [fragments.article(view) for view in views],
            "earlier": views[0].id if has_earlier else None,
            "composer_state": state.html(swap=False),
        },
    )


@require_safe
@never_cache
@edge
def earlier(request: Request, conversation_id: UUID, run_id: UUID) -> HttpResponseBase:
    """The runs before one, to be put above it."""
    shown = selectors.conversation_for(request.user, conversation_id)
    views, has_earlier = run_views(request.user, shown, before=run_id)
    return render(
        request,
        "chat/earlier.html",
        {
            "conversation": shown,
            "articles": [fragments.article(view) for view in views],
            "earlier": views[0].id if has_earlier else None,
        },
    )


@require_safe
@never_cache
@edge
def updates(request: Request, conversation_id: UUID) -> HttpResponseBase:
    """What the page does not show yet, for a page whose socket is down: `?run=<id>:<number>` for each run."""
    shown = selectors.conversation_for(request.user, conversation_id)
    seen = dict(filter(None, (_seen(text) for text in request.GET.getlist("run")[: 5 * rows.PAGE])))
    return HttpResponse(updates_for(shown, request.user, seen).html)


@require_safe
@never_cache
@edge
def conversations(request: Request) -> HttpResponseBase:
    """The list, as searched."""
    return render(request, "chat/conversations.html", _common(request))


def run_views(viewer: User, shown: Conversation, *, before: UUID | None = None) -> tuple[list[RunView], bool]:
    """Return the views of a window of runs, oldest first, and whether there are earlier ones."""
    with rows.one_moment():
        window = rows.window(shown, before=before)
        versions = rows.versions_of([run.pk for run in window.runs])
        views = [run_view(run, versions.get(run.pk, 0), viewer) for run in window.runs]
    return views, window.has_earlier


def _common(request: Request, shown: Conversation | None = None) -> dict[str, Any]:
    query = clean_text(request.GET.get("q", ""))[:_LONGEST_QUERY].strip()
    page = request.GET.get("page", "1")
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 5 else 1
    current = shown.pk if shown else request.GET.get("current", "")
    workspace = shown.workspace if shown else workspace_for(request)
    return {
        "section": "chat",
        "listing": listing(request.user, workspace, query, max(number, 1)),
        "current": str(current),
        "page_number": number,
        "workspace": workspace,
    }


def _seen(text: str) -> tuple[UUID, Seen] | None:
    run_id, _separator, number = text.partition(":")
    try:
        return UUID(run_id), Seen(int(number))
    except ValueError:
        return None
