"""Template tags and filters of the product's pages."""

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.models import User
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
