"""Pages about a revision: its activities, what keeps it from being published, what is done with it."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST

from accounts.selectors import events_of
from activities import actions, designing, drafting, portable
from activities.actions.publishing import publishing_problems
from activities.admin.forms.base import DeskForm
from activities.admin.forms.card import NewActivityForm
from activities.admin.page import (
    attempt,
    desk,
    is_draft,
    person,
    revision_name,
    revision_tabs,
    revision_trail,
    show,
    to,
)
from activities.admin.places import Located, located, pages_of
from activities.checks.advice import advice
from activities.difference import difference
from activities.models import Activity, Revision
from agentapp.kernel.errors import Conflict, InvalidInput

#: A draft with more activities is shown first and checked then.
CHECKED_AT_ONCE = 30
MOST_EVENTS = 100


class SettingsForm(DeskForm):
    required_pass_rate = forms.DecimalField(
        label=_("Required pass rate"),
        required=False,
        min_value=Decimal(0),
        max_value=Decimal(100),
        max_digits=5,
        decimal_places=2,
        help_text=_("In percent of the test prompts. Below it, the revision cannot be published."),
    )


@require_GET
@desk
def revision_page(request: HttpRequest, revision_id: UUID) -> HttpResponse:
    revision = designing.revision_for(person(request), revision_id)
    return _page(request, revision)


def _page(request: HttpRequest, revision: Revision, status: int = 200, **forms_shown: Any) -> HttpResponse:
    rights = designing.desk_for(person(request), revision.agent)
    draft = is_draft(revision)
    activities = _rows(revision)
    later = len(activities) > CHECKED_AT_ONCE
    found, worth = _looked_through(revision) if draft and not later else ([], [])
    _count(activities, found)
    context = {
        "revision": revision,
        "agent": revision.agent,
        "activities": activities,
        "problems": found,
        "advice": worth,
        "later": later,
        "draft": draft,
        "rights": rights,
        "trail": revision_trail(revision),
        "tabs": revision_tabs(revision, "desk_revision"),
        "learned": [each for each in drafting.learned_words(revision) if not each.taken],
        "new_form": forms_shown.get("new_form") or NewActivityForm(),
        "settings_form": SettingsForm(
            initial={"required_pass_rate": revision.required_pass_rate}, frozen=not (draft and rights.design)
        ),
    }
    return show(request, "revision.html", context, title=revision_name(revision), status=status)


def _rows(revision: Revision) -> QuerySet[Activity]:
    return revision.activities.annotate(
        step_count=Count("steps", distinct=True),
        tool_count=Count("tool_bindings", distinct=True),
        opening_count=Count("steps__openings", distinct=True),
    )


def _looked_through(revision: Revision) -> tuple[list[Located], list[Located]]:
    """Return what keeps the revision from being published, and what is worth a second look."""
    parts = ("inputs", "outputs", "tool_bindings", "steps", "routing")
    pages = pages_of(revision.activities.prefetch_related(*parts))
    return (
        located(publishing_problems(revision), revision, pages),
        located(advice(revision), revision, pages),
    )


def _count(activities: QuerySet[Activity], found: list[Located]) -> None:
    """Note at each activity how many problems it has."""
    counts = Counter(each.activity_key for each in found)
    for row in activities:
        row.problem_count = counts[row.key]  # type: ignore[attr-defined]


@require_GET
@desk
def problems_part(request: HttpRequest, revision_id: UUID) -> HttpResponse:
    """What keeps a draft from being published, asked for by the page of a large one."""
    revision = designing.revision_for(person(request), revision_id)
    found, worth = _looked_through(revision) if is_draft(revision) else ([], [])
    return render(request, "admin/desk/_problems.html", {"problems": found, "advice": worth})


@require_POST
@desk
def activity_add(request: HttpRequest, revision_id: UUID) -> HttpResponse:
    revision = designing.revision_for(person(request), revision_id)
    form = NewActivityForm(request.POST)
    if form.is_valid():
        try:
            activity = drafting.activity_add(
                revision, **form.cleaned_data, actor=person(request), version=version_of(request)
            )
        except (Conflict, InvalidInput) as error:
            form.add_error(None, str(error))
        else:
            return to("desk_section", activity.pk, "card")
    return _page(request, designing.revision_for(person(request), revision_id), 409, new_form=form)


def version_of(request: HttpRequest) -> int:
    """Return the version of the draft that the page was made from; nonsense is no version."""
    text = request.POST.get("version", "")
    return int(text) if text.isdecimal() and len(text) < 10 else -1


def _deed(done: Any, act: Callable[[HttpRequest, Revision], object]) -> Callable[..., HttpResponse]:
    """Return a view that does one thing with a revision and shows it again."""

    @require_POST
    @desk
    def view(request: HttpRequest, revision_id: UUID) -> HttpResponse:
        revision = designing.revision_for(person(request), revision_id)
        attempt(request, done, lambda: act(request, revision))
        return to("desk_revision", revision.pk)

    return view


publish = _deed(
    _("The revision is published: from now on it is what people use."),
    lambda request, revision: actions.revision_publish(revision, actor=person(request)),
)
retire = _deed(
    _("The revision is retired: nothing new starts on it."),
    lambda request, revision: actions.revision_retire(revision, actor=person(request)),
)


def _settings(request: HttpRequest, revision: Revision) -> object:
    form = SettingsForm(request.POST)
    if not form.is_valid():
        raise InvalidInput(" ".join(map(str, form.errors["required_pass_rate"])))
    return actions.revision_settings(
        revision, actor=person(request), expected_version=version_of(request), **form.cleaned_data
    )


change_settings = _deed(_("Saved."), _settings)


def _order(request: HttpRequest, revision: Revision) -> object:
    """Move one activity up or down."""
    keys = list(revision.activities.values_list("pk", flat=True))
    drafting.activities_ordered(
        revision, moved(keys, request), actor=person(request), version=version_of(request)
    )
    return None


order = _deed(_("The order is changed."), _order)


def moved(keys: list[UUID], request: HttpRequest) -> list[UUID]:
    """Return `keys` with the one named `move` a place `up` or down."""
    place = next((i for i, key in enumerate(keys) if str(key) == request.POST.get("move")), None)
    if place is None:
        raise InvalidInput(str(_("There is nothing to move.")))
    other = place + (-1 if "up" in request.POST else 1)
    if 0 <= other < len(keys):
        keys[place], keys[other] = keys[other], keys[place]
    return keys


@require_POST
@desk
def draft_from(request: HttpRequest, revision_id: UUID) -> HttpResponse:
    revision = designing.revision_for(person(request), revision_id)
    made: list[Revision] = []
    if attempt(
        request,
        _("This is a new draft with everything that revision says."),
        lambda: made.append(actions.revision_draft_from(revision, actor=person(request))),
    ):
        return to("desk_revision", made[0].pk)
    return to("desk_revision", revision.pk)


@require_POST
@desk
def discard(request: HttpRequest, revision_id: UUID) -> HttpResponse:
    revision = designing.revision_for(person(request), revision_id)
    done = _("The draft is deleted.")
    if attempt(request, done, lambda: actions.draft_discard(revision, actor=person(request))):
        return to("activities_agent_change", revision.agent_id)
    return to("desk_revision", revision.pk)


@require_GET
@desk
def export(request: HttpRequest, revision_id: UUID) -> HttpResponse:
    revision = designing.revision_for(person(request), revision_id)
    answer = HttpResponse(portable.revision_export(revision), content_type="application/yaml; charset=utf-8")
    name = f"{revision.agent.key}-{revision.number}.yaml"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


@require_GET
@desk
def history_page(request: HttpRequest, revision_id: UUID) -> HttpResponse:
    """Everything that was done to a revision: who, when, and each change with before and after."""
    revision = designing.revision_for(person(request), revision_id)
    context = {
        "revision": revision,
        "name": revision_name(revision),
        "events": events_of(revision.pk).reverse()[:MOST_EVENTS],
        "trail": revision_trail(revision),
        "tabs": revision_tabs(revision, "desk_history"),
    }
    return show(request, "history.html", context, title=_("History"))


@require_GET
@desk
def difference_page(request: HttpRequest, revision_id: UUID) -> HttpResponse:
    """What changed since another revision of the same agent: the one before, unless asked otherwise."""
    revision = designing.revision_for(person(request), revision_id)
    others = list(revision.agent.revisions.exclude(pk=revision.pk))
    asked = request.GET.get("with")
    before = [each for each in others if each.number < revision.number]
    other = (
        next((each for each in others if str(each.pk) == asked), None) if asked else next(iter(before), None)
    )
    if asked and other is None:
        raise designing.missing()
    if other is not None:
        other.agent = revision.agent
    context = {
        "revision": revision,
        "name": revision_name(revision),
        "other": other,
        "others": others,
        "changes": difference(other, revision) if other else [],
        "trail": revision_trail(revision),
        "tabs": revision_tabs(revision, "desk_difference"),
        "here": reverse("admin:desk_difference", args=[revision.pk]),
    }
    return show(request, "difference.html", context, title=_("Difference"))
