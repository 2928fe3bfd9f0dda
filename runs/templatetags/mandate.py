"""Template tags and filters of the product's pages."""

from typing import Any

from django import template
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.current import workspace_for
from accounts.models import User
from agentapp.kernel.errors import NotAllowed
from runs.deciders import decides_here, due_times
from runs.templatetags.icons import ICONS

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon for the eye only: the text beside it, or the control's label, says what it means."""
    return format_html(
        '<svg class="icon icon--{}" viewBox="0 0 24 24" aria-hidden="true" focusable="false">'
        '<path d="{}"/></svg>',
        name,
        ICONS[name],
    )


@register.filter
def initials(user: User) -> str:
    """At most two letters that stand for a person: first and last name's."""
    names = user.get_full_name().split()
    letters = [names[0][0], names[-1][0]] if len(names) > 1 else [names[0][:2]]
    return "".join(letters).upper()


@register.filter
def get(mapping: dict[str, Any], key: str) -> Any:
    """`mapping[key]`, or an empty string."""
    return mapping.get(key, "")


@register.inclusion_tag("inbox/_badge.html", takes_context=True)
def inbox_link(context: template.Context) -> dict[str, Any]:
    """The link to the inbox with the number of what waits, for those to whom escalations may come."""
    shown = {"section": context.get("section", ""), "open": False}
    request: HttpRequest | None = context.get("request")
    if request is None or not isinstance(request.user, User):
        return shown
    try:
        workspace = workspace_for(request)
    except NotAllowed:
        return shown
    due = due_times(request.user, workspace)
    late = any(at is not None and at <= timezone.now() for at in due)
    is_open = bool(due) or decides_here(request.user, workspace)
    return shown | {"open": is_open, "count": len(due), "late": late}
