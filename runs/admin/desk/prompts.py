"""Test prompts, kept with an agent: rows to fill in, no JSON."""

import json
from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User, Workspace
from accounts.selectors import members_of
from activities import designing
from activities.actions.prompts import prompt_delete, prompt_part, prompt_save, prompts_of
from activities.admin import fields
from activities.admin.forms.base import DeskForm, RowForm, Rows, name_field, rows_of
from activities.admin.page import (
    Link,
    attempt,
    desk,
    name_of,
    person,
    revision_tabs,
    revision_trail,
    show,
    to,
)
from activities.models import Revision, TestPrompt
from activities.models.prompts import ExpectedOutcome, ExpectedRoute
from activities.prompt_parts import CallPart, PromptPart
from activities.tools import registry
from agentapp.kernel.errors import InvalidInput


class ValuesField(fields.LinesField):
    """Values by name, one per line: `amount = 12.50`, `period.start = 2025-01-01`."""

    def clean(self, value: Any) -> Any:
        found: dict[str, Any] = {}
        for line in super().clean(value):
            path, equals, text = (part.strip() for part in line.partition("="))
            if not equals or not path:
                raise forms.ValidationError(_now("Write “name = value”, one per line."))
            _put(found, path.split("."), _value(text))
        return found


def _put(found: dict[str, Any], path: list[str], value: Any) -> None:
    for name in path[:-1]:
        inner = found.setdefault(name, {})
        if not isinstance(inner, dict):
            raise forms.ValidationError(_now("“%(name)s” is given twice.") % {"name": name})
        found = inner
    found[path[-1]] = value


def _value(text: str) -> Any:
    """Return yes and no, null and lists as what they are; all else is text. Numbers compare as numbers."""
    words = {"yes": True, "no": False, "oui": True, "non": False, "true": True, "false": False, "null": None}
    if text.casefold() in words:
        return words[text.casefold()]
    if text[:1] == "[":
        try:
            return json.loads(text, parse_float=Decimal)
        except ValueError as error:
            raise forms.ValidationError(_now("This list cannot be read.")) from error
    return text


def value_lines(values: dict[str, Any], prefix: str = "") -> list[str]:
    """Return values by name as lines."""
    found = []
    for name, value in values.items():
        if isinstance(value, dict):
            found += value_lines(value, f"{prefix}{name}.")
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            found.append(f"{prefix}{name} = {text}")
    return found


class CallForm(RowForm):
    """A tool call that must be made."""

    tool = forms.ChoiceField(label=_("Tool"))
    arguments = ValuesField(label=_("With these arguments"), help_text=_("Such as: customer = CUST-0001"))
    error = forms.CharField(
        label=_("Refused with"), required=False, max_length=40, help_text=_("A code; empty when it must run.")
    )

    def __init__(self, *args: Any, workspace_id: UUID, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        tools: Any = self.fields["tool"]
        known = registry.of(workspace_id)
        tools.choices = [(contract.key, f"{contract.title} — {contract.key}") for contract in known]


class CallRows(Rows):
    once = ""


Calls = rows_of(CallForm, CallRows)


class PromptForm(DeskForm):
    """A request and what is expected of it."""

    text = fields.text(label=_("Request"), required=True, rows=2, limit=8_000)
    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)
    key = name_field(label=_("Key"), help_text=_("A short name for the list of results."))
    route = forms.ChoiceField(label=_("Must lead to"), choices=ExpectedRoute.choices)
    activity = forms.ChoiceField(label=_("Activity"), required=False)
    outcome = forms.ChoiceField(label=_("Must end with"), choices=ExpectedOutcome.choices)
    asks = fields.LinesField(
        label=_("Must ask for"),
        rows=2,
        help_text=_("Names of inputs, one per line, when it must end with a question."),
    )
    inputs = ValuesField(label=_("Must have understood"), help_text=_("Such as: period.start = 2025-01-01"))
    as_user = forms.ModelChoiceField(
        label=_("As"), queryset=User.objects.none(), required=False, empty_label=_("whoever may do most")
    )
    note = fields.text(label=_("Note"), rows=2)

    def __init__(self, revision: Revision, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices: Any = self.fields["activity"]
        choices.choices = [
            ("", "—"),
            *((each.key, name_of(each.name, each.key)) for each in revision.activities.all()),
        ]
        people: Any = self.fields["as_user"]
        people.queryset = _members(revision.agent.workspace)
        people.label_from_instance = lambda user: f"{user.full_name} ({user.email})"

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if values.get("route") != ExpectedRoute.ACTIVITY:
            values["activity"] = ""
        elif not values.get("activity"):
            self.add_error("activity", _now("Choose the activity it must lead to."))
        return values


def _members(workspace: Workspace) -> Any:
    return members_of(workspace)


@require_GET
@desk
def prompts_page(request: HttpRequest, revision_id: UUID) -> HttpResponse:
    revision = designing.revision_for(person(request), revision_id)
    context = {
        "revision": revision,
        "prompts": prompts_of(revision.agent),
        "rights": designing.desk_for(person(request), revision.agent),
        "trail": [*revision_trail(revision), Link(_("Test prompts"))],
        "tabs": revision_tabs(revision, "desk_prompts"),
    }
    return show(request, "prompts.html", context, title=_("Test prompts"))


@desk
def prompt_page(request: HttpRequest, revision_id: UUID, prompt_id: UUID | None = None) -> HttpResponse:
    """One test prompt, or a new one."""
    revision = designing.revision_for(person(request), revision_id)
    row = _one(revision, prompt_id) if prompt_id else None
    rights = designing.desk_for(person(request), revision.agent)
    part = prompt_part(row) if row else None
    data = request.POST if request.method == "POST" else None
    form = PromptForm(revision, data, initial=_initial(part), frozen=not rights.design)
    if row:
        form.fields["key"].disabled = True
    options = {"frozen": not rights.design, "workspace_id": revision.agent.workspace_id}
    calls = Calls(data, prefix="calls", initial=_calls(part), form_kwargs=options)
    if (
        data is not None
        and all([form.is_valid(), calls.is_valid()])
        and _save(request, revision, form, calls)
    ):
        return to("desk_prompts", revision.pk)
    context = {
        "revision": revision,
        "form": form,
        "rows": calls,
        "prompt": row,
        "frozen": not rights.design,
        "trail": [*revision_trail(revision), Link(row.key if row else _("New test prompt"))],
        "tabs": revision_tabs(revision, "desk_prompts"),
    }
    return show(
        request, "prompt.html", context, title=_("Test prompt"), status=422 if data is not None else 200
    )


def _one(revision: Revision, prompt_id: UUID) -> TestPrompt:
    rows = TestPrompt.objects.filter(agent=revision.agent, pk=prompt_id)
    row = (
        rows.select_related("activity", "expected_activity", "as_user")
        .prefetch_related("expected_calls")
        .first()
    )
    if row is None:
        raise designing.missing()
    return row


def _initial(part: PromptPart | None) -> dict[str, Any]:
    if part is None:
        return {}
    person_ = User.objects.filter(email=part.as_user).first() if part.as_user else None
    return part.model_dump(exclude={"calls", "inputs", "as_user"}) | {
        "inputs": value_lines(part.inputs),
        "as_user": person_.pk if person_ else None,
    }


def _calls(part: PromptPart | None) -> list[dict[str, Any]]:
    calls = part.calls if part else []
    return [
        {"tool": each.tool, "arguments": value_lines(each.arguments), "error": each.error} for each in calls
    ]


def _save(request: HttpRequest, revision: Revision, form: PromptForm, calls: Any) -> bool:
    values = {name: form.cleaned_data[name] for name in PromptForm.base_fields}
    values["as_user"] = values["as_user"].email if values["as_user"] else ""
    values["calls"] = [
        CallPart(**{name: row.cleaned_data[name] for name in CallForm.base_fields}) for row in calls.kept
    ]
    part = form.part(PromptPart, values)
    if part is None:
        return False
    try:
        prompt_save(revision.agent, part, actor=person(request))
    except InvalidInput as error:
        form.add_error(None, str(error))
        return False
    return True


@require_POST
@desk
def delete(request: HttpRequest, revision_id: UUID, prompt_id: UUID) -> HttpResponse:
    revision = designing.revision_for(person(request), revision_id)
    row = _one(revision, prompt_id)
    done = _("The test prompt is deleted.")
    attempt(request, done, lambda: prompt_delete(revision.agent, row.key, actor=person(request)))
    return to("desk_prompts", revision.pk)
