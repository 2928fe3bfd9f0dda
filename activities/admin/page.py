"""What every page of the desk has: its place, its tabs, what this person may do, and honest failures."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from activities.admin.extensions import extensions
from activities.models import Activity, Agent, Revision, RevisionState
from activities.models.fields import in_language
from agentapp.kernel.errors import MandateError, NotAllowed, NotFound, NotSignedIn

View = Callable[..., HttpResponse]

SECTIONS = (
    ("card", _("Card")),
    ("inputs", _("Inputs")),
    ("tools", _("Tools")),
    ("steps", _("Steps")),
    ("answer", pgettext_lazy("noun", "Answer")),
    ("handover", _("Hand-over")),
    ("limits", _("Limits")),
)


@dataclass(frozen=True)
class Link:
    """A place to go to."""

    label: Any
    url: str = ""
    current: bool = False


def person(request: HttpRequest) -> User:
    """Return who is signed in."""
    if not isinstance(request.user, User):
        raise NotSignedIn("Sign in first.")
    return request.user


def desk(view: View) -> View:
    """Turn failures of the actions into what a browser understands: missing is 404, forbidden 403."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except NotFound as error:
            raise Http404(str(error)) from error
        except NotAllowed as error:
            raise PermissionDenied(str(error)) from error

    return guarded


def attempt(request: HttpRequest, done: Any, deed: Callable[[], object]) -> bool:
    """Do `deed` and say so; what the business refuses is told instead. Returns whether it was done."""
    try:
        deed()
    except NotFound:
        raise
    except MandateError as error:
        messages.error(request, str(error))
        return False
    messages.success(request, str(done))
    return True


def show(
    request: HttpRequest, template: str, context: dict[str, Any], *, title: Any, status: int = 200
) -> HttpResponse:
    """Render a page of the desk in the administration's frame."""
    frame = admin.site.each_context(request)
    return TemplateResponse(
        request, f"admin/desk/{template}", {**frame, "title": str(title), **context}, status=status
    )


def to(name: str, *args: Any) -> HttpResponse:
    """Redirect to a page of the desk."""
    return redirect(reverse(f"admin:{name}", args=args))


def name_of(texts: dict[str, str], key: str) -> str:
    """Return a name in the reader's language, else the key."""
    return in_language(texts, (get_language() or "en")[:2]) or key


def revision_name(revision: Revision) -> str:
    """Return an agent's name with the revision's number."""
    return f"{name_of(revision.agent.name, revision.agent.key)} #{revision.number}"


def agent_trail(agent: Agent) -> list[Link]:
    """Return the way from the list of agents to one of them."""
    here = reverse("admin:activities_agent_change", args=[agent.pk])
    return [
        Link(_("Agents"), reverse("admin:activities_agent_changelist")),
        Link(name_of(agent.name, agent.key), here),
    ]


def revision_trail(revision: Revision) -> list[Link]:
    number = _("Revision %(number)d") % {"number": revision.number}
    return [*agent_trail(revision.agent), Link(number, reverse("admin:desk_revision", args=[revision.pk]))]


def activity_trail(activity: Activity) -> list[Link]:
    here = reverse("admin:desk_section", args=[activity.pk, "card"])
    return [*revision_trail(activity.revision), Link(name_of(activity.name, activity.key), here)]


def revision_tabs(revision: Revision, current: str = "") -> list[Link]:
    """Return the pages about a revision, those of other apps included."""
    own = [
        ("desk_revision", _("Activities")),
        ("desk_difference", _("Difference")),
        ("desk_history", _("History")),
    ]
    more = [(link.url_name, link.label) for link in extensions.revision_links]
    return [
        Link(label, reverse(f"admin:{name}", args=[revision.pk]), name == current)
        for name, label in own[:1] + more + own[1:]
    ]


def section_tabs(activity: Activity, current: str) -> list[Link]:
    """Return the parts of an activity."""
    return [
        Link(label, reverse("admin:desk_section", args=[activity.pk, name]), name == current)
        for name, label in SECTIONS
    ]


def is_draft(revision: Revision) -> bool:
    return revision.state == RevisionState.DRAFT
