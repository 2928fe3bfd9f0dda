"""Pages about an agent: making one, what is true of all its revisions, its revisions, importing a file."""

from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from accounts.models import Workspace
from activities import actions, designing, portable
from activities.admin import fields
from activities.admin.forms.base import DeskForm, name_field
from activities.admin.page import Link, agent_trail, attempt, desk, name_of, person, show, to
from activities.models import Agent, Revision
from agentapp.kernel.errors import Conflict, InvalidInput

MAX_FILE = 1_000_000


class AgentForm(DeskForm):
    """What is true of all revisions of an agent."""

    name = fields.texts(label=_("Name"), required=True, limit=200)
    description = fields.texts(label=_("Description"), rows=2, limit=1_000)
    second_person = forms.BooleanField(
        label=_("A second person publishes"),
        required=False,
        help_text=_("A draft is then published by somebody who has not worked on it."),
    )


class NewAgentForm(DeskForm):
    workspace = forms.ModelChoiceField(
        label=_("Workspace"), queryset=Workspace.objects.none(), empty_label=None
    )
    name = fields.texts(label=_("Name"), required=True, limit=200)
    key = name_field(
        label=_("Key"), help_text=_("Names it in files and in the history; it cannot be changed later.")
    )
    description = fields.texts(label=_("Description"), rows=2, limit=1_000)

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered: Any = self.fields["workspace"]
        offered.queryset = designing.workspaces_designed(person(request))


class ImportForm(DeskForm):
    workspace = forms.ModelChoiceField(
        label=_("Workspace"), queryset=Workspace.objects.none(), empty_label=None
    )
    file = forms.FileField(
        label=_("File"),
        help_text=_(
            "A file that was exported here, or from a team's repository. It only ever makes a draft."
        ),
        widget=forms.ClearableFileInput({"accept": ".yaml,.yml"}),
    )

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered: Any = self.fields["workspace"]
        agents = designing.agents_for(person(request)).values("workspace")
        offered.queryset = designing.workspaces_designed(person(request)) | Workspace.objects.filter(
            pk__in=agents
        )

    def clean_file(self) -> bytes:
        sent = self.cleaned_data["file"]
        if sent.size > MAX_FILE:
            raise forms.ValidationError(_now("This file is too large."))
        return bytes(sent.read())


@desk
def agent_add(request: HttpRequest) -> HttpResponse:
    form = NewAgentForm(request, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            agent = actions.agent_create(actor=person(request), **form.cleaned_data)
        except (Conflict, InvalidInput) as error:
            form.add_error("key", str(error))
        else:
            return to("activities_agent_change", agent.pk)
    trail = [*agents_trail(), Link(_("New agent"))]
    return show(request, "new.html", {"form": form, "trail": trail}, title=_("New agent"))


def agents_trail() -> list[Link]:
    return agent_trail(Agent())[:1]


@desk
def agent_page(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    """An agent and its revisions. A change of the agent itself is posted here too."""
    agent = designing.agent_for(person(request), agent_id)
    rights = designing.desk_for(person(request), agent)
    initial = {name: getattr(agent, name) for name in AgentForm.base_fields}
    data = request.POST if request.method == "POST" else None
    form = AgentForm(data, initial=initial, frozen=not rights.design)
    if data is not None and form.is_valid():
        attempt(
            request,
            _("The agent is saved."),
            lambda: actions.agent_update(agent, actor=person(request), **form.cleaned_data),
        )
        return to("activities_agent_change", agent.pk)
    revisions = agent.revisions.select_related("created_by", "published_by", "changed_by")
    context = {
        "agent": agent,
        "form": form,
        "rights": rights,
        "trail": agent_trail(agent),
        "revisions": with_counts(revisions)[:200],
    }
    return show(request, "agent.html", context, title=name_of(agent.name, agent.key))


def with_counts(revisions: Any) -> Any:
    return revisions.annotate(size=Count("activities"))


@require_POST
@desk
def draft_new(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    agent = designing.agent_for(person(request), agent_id)
    draft = actions.draft_create(agent, actor=person(request))
    return to("desk_revision", draft.pk)


@desk
def import_page(request: HttpRequest) -> HttpResponse:
    form = ImportForm(request, request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        revision = _import(request, form)
        if revision is not None:
            return to("desk_revision", revision.pk)
    trail = [*agents_trail(), Link(_("Import"))]
    return show(request, "import.html", {"form": form, "trail": trail}, title=_("Import an agent"))


def _import(request: HttpRequest, form: ImportForm) -> Revision | None:
    """Make a draft of the file; what is wrong in it is told at the field."""
    try:
        return portable.revision_import(
            form.cleaned_data["file"],
            workspace=form.cleaned_data["workspace"],
            actor=person(request),
            note=_now("Imported"),
        )
    except InvalidInput as error:
        for sentence in error.data.get("problems") or [str(error)]:
            form.add_error("file", str(sentence))
        return None


def as_id(text: str) -> UUID:
    """Return the id in an address of the administration. Raises what a missing page does."""
    try:
        return UUID(text)
    except ValueError as error:
        raise Http404(text) from error
