"""An activity's card, its instructions and its limits."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from activities.admin import fields
from activities.admin.forms.base import DeskForm, name_field
from activities.models import Activity
from activities.models.activity import PhraseKind


class NewActivityForm(DeskForm):
    """What an activity needs to exist."""

    name = fields.texts(label=_("Name"), required=True, limit=200)
    key = name_field(
        label=_("Key"),
        help_text=_("The name by which steps hand over to it. It stays the same in every revision."),
    )


class CardForm(DeskForm):
    """How an activity is found, and what the agent must know."""

    name = fields.texts(label=_("Name"), required=True, limit=200, help_text=_("What your users call it."))
    summary = fields.texts(
        label=_("Summary"),
        required=True,
        rows=2,
        limit=500,
        help_text=_(
            "One sentence that begins with a verb: what it does. With name and aliases it is the card the "
            "agent chooses by."
        ),
    )
    aliases = fields.lines(
        label=_("Aliases"),
        help_text=_("Words and short phrases your users use for it, one per line. At least one is needed."),
    )
    when_not_to_use = fields.text(
        label=_("When not to use"),
        rows=2,
        help_text=_("What it is confused with, and what to use then. It keeps similar activities apart."),
    )
    examples = fields.lines(
        label=_("Example requests"),
        rows=5,
        help_text=_("Whole requests as your users write them, one per line. They help to find the activity."),
    )
    instructions = fields.text(
        label=_("Instructions"),
        rows=5,
        help_text=_(
            "What the agent must know to do it well. It is guidance: what the agent may do is decided by "
            "tools, parameters and steps."
        ),
    )
    entry = forms.BooleanField(
        label=_("People can ask for it"),
        required=False,
        help_text=_("Switch it off for an activity that is only handed over to by another."),
    )
    chaining = forms.BooleanField(
        label=_("The agent says what comes next"),
        required=False,
        help_text=_("With each step's first action the agent declares what it does now and what comes next."),
    )


def card_values(activity: Activity) -> dict[str, Any]:
    """Return what the card's form shows first."""
    values: dict[str, Any] = {name: getattr(activity, name, None) for name in CardForm.base_fields}
    for name, kind in (("aliases", PhraseKind.ALIAS), ("examples", PhraseKind.EXAMPLE)):
        found: dict[str, list[str]] = {}
        for phrase in activity.phrases.all():
            if phrase.kind == kind:
                found.setdefault(phrase.language, []).append(phrase.text)
        values[name] = found
    return values


class LimitsForm(DeskForm):
    """The five guardrails. Empty means the product's default."""

    max_model_calls = forms.IntegerField(label=_("Model calls"), required=False, min_value=1, max_value=1_000)
    max_tool_calls = forms.IntegerField(label=_("Tool calls"), required=False, min_value=1, max_value=1_000)
    max_duration_seconds = forms.IntegerField(
        label=_("Seconds of active time"), required=False, min_value=1, max_value=86_400
    )
    max_output_tokens = forms.IntegerField(
        label=_("Output tokens"), required=False, min_value=1, max_value=1_000_000
    )
    max_context_bytes = forms.IntegerField(
        label=_("Context bytes"), required=False, min_value=1_024, max_value=10_000_000
    )
