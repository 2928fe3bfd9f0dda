"""Trying a revision out: a prompt, as a chosen person, and everything that came of it."""

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from accounts.models import User, Workspace
from accounts.selectors import members_of
from activities import designing
from activities.admin import fields
from activities.admin.page import Link, desk, person, revision_name, revision_tabs, revision_trail, show, to
from activities.models import Revision
from agentapp.kernel.errors import InvalidInput, MandateError
from agentapp.kernel.sanitise import markdown_html
from runs.jobs import run_defer
from runs.models import Run
from runs.states import RunState
from runs.trials.actions import trial_answer, trial_for, trial_start
from runs.trials.report import TrialReport, trial_report

RECENT = 10


class TrialForm(forms.Form):
    """What to try, as whom."""

    prompt = fields.text(label=_("Request"), required=True, rows=3, limit=8_000)
    language = forms.ChoiceField(
        label=_("Language"), required=False, choices=[("", _("that of the request")), *settings.LANGUAGES]
    )
    as_user = forms.ModelChoiceField(
        label=_("As"),
        queryset=User.objects.none(),
        empty_label=None,
        help_text=_("Their rights count: what they may not use is not offered in the trial either."),
    )

    def __init__(self, workspace: Workspace, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people: Any = self.fields["as_user"]
        people.queryset = members_of(workspace)
        people.label_from_instance = lambda user: f"{user.full_name} ({user.email})"


@desk
def trial_page(request: HttpRequest, revision_id: UUID) -> HttpResponse:
    """Start a trial, or look at the recent ones of one's own."""
    revision = designing.revision_for(person(request), revision_id)
    data = request.POST if request.method == "POST" else None
    initial = {
        "as_user": request.GET.get("as_user") or person(request).pk,
        "prompt": request.GET.get("prompt", ""),
    }
    form = TrialForm(revision.agent.workspace, data, initial=initial)
    if data is not None and form.is_valid():
        try:
            run = trial_start(actor=person(request), revision=revision, queue=True, **form.cleaned_data)
        except InvalidInput as error:
            form.add_error(None, str(error))
        else:
            return to("desk_trial_result", run.pk)
    return _show(request, revision, form)


def _show(request: HttpRequest, revision: Revision, form: TrialForm, report: Any = None) -> HttpResponse:
    recent = Run.objects.filter(revision=revision, trial=True, trial_by=person(request))
    context = {
        "revision": revision,
        "name": revision_name(revision),
        "form": form,
        "report": report,
        "recent": recent.select_related("user", "activity")
        .prefetch_related("messages")
        .order_by("-id")[:RECENT],
        "trail": [*revision_trail(revision), Link(_("Try"))],
        "tabs": revision_tabs(revision, "desk_trial"),
        **(_parts(report) if report else {}),
    }
    return show(request, "trial.html", context, title=_("Try"))


def _parts(report: TrialReport) -> dict[str, Any]:
    """Return what the page shows of a report, with the texts as a person would see them."""
    seen = [
        {"part": part, "html": markdown_html(part.text) if part.kind == "answer" else ""}
        for part in report.seen
    ]
    open_question = report.state == RunState.NEEDS_INPUT
    return {"report": report, "seen": seen, "open_question": open_question}


@desk
def result_page(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """A trial of one's own. While it works, the page asks again for its part."""
    run = trial_for(person(request), Run(pk=run_id))
    assert run.revision is not None  # noqa: S101 - trial_for returns none without
    report = trial_report(run, reader=person(request))
    if request.headers.get("HX-Request"):
        return render(request, "admin/desk/_trial.html", _parts(report))
    first = run.messages.order_by("id").first()
    initial = {"as_user": run.user_id, "prompt": first.text if first else ""}
    return _show(request, run.revision, TrialForm(run.workspace, initial=initial), report)


@require_POST
@desk
def answer(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Answer the open question in words, as the tried person would."""
    run = trial_for(person(request), Run(pk=run_id))
    try:
        run = trial_answer(actor=person(request), run=run, text=request.POST.get("text", ""))
        run_defer(run)
    except MandateError as error:
        messages.error(request, str(error) or _now("This could not be answered."))
    return to("desk_trial_result", run_id)
