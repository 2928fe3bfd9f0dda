"""How the desk writes values."""

import json
from typing import Any

from django import template
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from activities.models.activity import FieldKind
from activities.models.fields import in_language

register = template.Library()


@register.filter
def json_text(value: Any) -> str:
    """Return a derived schema as text to look at."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


@register.filter
def readable(value: Any) -> str:
    """Return a value of a revision as a person reads it: no brackets, one thing a line."""
    return "\n".join(_lines(value, ""))


def _lines(value: Any, indent: str) -> list[str]:
    if isinstance(value, dict):
        return [line for key, item in value.items() for line in _entry(str(key), item, indent)]
    if isinstance(value, list):
        return [line for item in value for line in _entry("•", item, indent)]
    if isinstance(value, bool):
        return [indent + (_("yes") if value else _("no"))]
    return [f"{indent}{line}" for line in ("–" if value is None else str(value)).splitlines() or ["–"]]


def _entry(name: str, value: Any, indent: str) -> list[str]:
    lead = name if name == "•" else f"{name}:"
    inner = _lines(value, "")
    if len(inner) == 1 and not isinstance(value, dict | list):
        return [f"{indent}{lead} {inner[0]}"]
    return [f"{indent}{lead}", *(f"{indent}  {line}" for line in inner)]


@register.filter
def named(part: Any) -> str:
    """Return the name of an agent, activity or step in the reader's language, else its key."""
    return in_language(part.name, (get_language() or "en")[:2]) or str(part.key)


@register.filter
def type_name(value_type: str) -> str:
    """Return the name of a parameter's type in the reader's language."""
    return str(dict(FieldKind.choices).get(value_type, value_type))
