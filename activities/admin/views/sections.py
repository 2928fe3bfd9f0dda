"""Pages about an activity: its parts, its tools and steps one by one, and removing it."""

from collections.abc import Callable
from itertools import chain
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from accounts.models import WorkspaceGroup
from activities import designing, drafting
from activities.actions import EditedMeanwhile
from activities.admin import contracts
from activities.admin.forms.openings import opening_values
from activities.admin.forms.steps import StepForm, step_values, tool_choices
from activities.admin.forms.tools import RISKS, ToolForms
from activities.admin.page import (
    activity_trail,
    attempt,
    desk,
    is_draft,
    name_of,
    person,
    section_tabs,
    show,
    to,
)
from activities.admin.places import Located, located, pages_of
from activities.admin.sections import SECTIONS
from activities.admin.views.revisions import moved, version_of
from activities.catalogue import led_to, places_of, said
from activities.checks import activity_problems, advice
from activities.models import Activity, Step
from activities.tools import registry
from agentapp.kernel.errors import MandateError, NotAllowed, NotFound


class Opened:
    """An activity as one person has it open."""

    def __init__(self, request: HttpRequest, activity_id: UUID) -> None:
        self.request, self.user = request, person(request)
        self.activity: Activity = designing.activity_for(self.user, activity_id)
        self.revision = self.activity.revision
        rights = designing.desk_for(self.user, self.revision.agent)
        self.frozen = not (is_draft(self.revision) and rights.may_change(self.activity))
        self.posted = request.POST if request.method == "POST" else None
        self.version = self.revision.version
        self.meanwhile = ""
        self.refused = ""

    @property
    def name(self) -> str:
        return name_of(self.activity.name, self.activity.key)

    def save(self, deed: Callable[[int], object]) -> bool:
        """Save what was typed. What is refused is kept on the page, with the reason."""
        try:
            deed(version_of(self.request))
        except EditedMeanwhile as error:
            self.meanwhile = str(error)
        except (NotAllowed, NotFound):
            raise
        except MandateError as error:
            self.refused = str(error)
        else:
            messages.success(self.request, _now("Saved."))
            return True
        return False

    def _problems(self) -> list[Located]:
        return located(activity_problems(self.activity), self.revision, pages_of([self.activity]))

    def show(self, template: str, section: str, context: dict[str, Any], *, title: Any) -> HttpResponse:
        failed = self.posted is not None
        checked = is_draft(self.revision) and not failed
        frame = {
            "activity": self.activity,
            "revision": self.revision,
            "frozen": self.frozen,
            "draft": is_draft(self.revision),
            "version": self.version,
            "meanwhile": self.meanwhile,
            "refused": self.refused,
            "failed": failed,
            "problems": self._problems() if checked else [],
            "trail": activity_trail(self.activity),
            "tabs": section_tabs(self.activity, section),
            "section": section,
        }
        status = 409 if self.meanwhile else 422 if failed else 200
        return show(self.request, f"activity/{template}", {**frame, **context}, title=title, status=status)


@desk
def section_page(request: HttpRequest, activity_id: UUID, section: str) -> HttpResponse:
    """A part of an activity that is one form or one set of rows."""
    kind = SECTIONS.get(section)
    if kind is None:
        raise designing.missing()
    opened = Opened(request, activity_id)
    part = kind(opened.activity, opened.user, frozen=opened.frozen, data=opened.posted)
    if opened.posted is not None and _writable(opened) and part.is_valid() and opened.save(part.save):
        return to("desk_section", activity_id, section)
    return opened.show(kind.template, section, dict(part.context()), title=opened.name)


def _writable(opened: Opened) -> bool:
    """A frozen page takes nothing; whoever posts to it anyway is told why."""
    if opened.frozen:
        raise NotAllowed(_now("This cannot be changed here: only drafts can, by those who design them."))
    return True


@desk
def tools_page(request: HttpRequest, activity_id: UUID) -> HttpResponse:
    """Which tools the activity may use, with who decides what, at a glance."""
    opened = Opened(request, activity_id)
    bound = [binding.tool_key for binding in opened.activity.tool_bindings.all()]
    if opened.posted is not None and _writable(opened):
        wanted = _wanted(opened, bound)
        done = lambda version: drafting.tools_change(  # noqa: E731 - named for the line below
            opened.activity, wanted, actor=opened.user, version=version
        )
        if opened.save(done):
            return to("desk_tools", activity_id)
    context = {
        "bindings": _bindings(opened.activity),
        "offered": _offered(opened.activity.revision.agent.workspace_id, bound),
        "risks": RISKS,
    }
    return opened.show("tools.html", "tools", context, title=opened.name)


def _wanted(opened: Opened, bound: list[str]) -> list[str]:
    """Return the tools as they are to be: one more, one less, or in another order."""
    posted = opened.request.POST
    if "remove" in posted:
        return [key for key in bound if key != posted["remove"]]
    if "move" in posted:
        place = bound.index(posted["move"]) if posted["move"] in bound else 0
        other = max(0, min(len(bound) - 1, place + (-1 if "up" in posted else 1)))
        bound[place], bound[other] = bound[other], bound[place]
        return bound
    return [*bound, *(key for key in posted.getlist("add") if key not in bound)]


def _bindings(activity: Activity) -> list[dict[str, Any]]:
    """Return each allowed tool with its contract and its parameters' sources, None where nobody decides."""
    found = []
    for binding in activity.tool_bindings.all():
        contract = registry.get(binding.tool_key)
        chosen = {param.name: param for param in binding.params.all()}
        params = [(param, chosen.get(param.name)) for param in contract.params] if contract else []
        found.append(
            {
                "binding": binding,
                "contract": contract,
                "params": params,
                "open": [param for param, choice in params if choice is None and param.required],
                "changed": contract is not None and contract.hash != binding.contract_hash,
                "risk": RISKS.get(binding.raised_risk or (contract.risk if contract else ""), ""),
            }
        )
    return found


def _offered(workspace_id: UUID, bound: list[str]) -> list[Any]:
    return [contract for contract in registry.of(workspace_id) if contract.key not in bound]


@desk
def tool_page(request: HttpRequest, activity_id: UUID, tool: str) -> HttpResponse:
    """One tool: risk, confirmation, and who decides each parameter."""
    opened = Opened(request, activity_id)
    binding = next((each for each in opened.activity.tool_bindings.all() if each.tool_key == tool), None)
    contract = registry.get(tool)
    if binding is None or contract is None:
        raise designing.missing()
    forms = ToolForms(contract, binding, list(opened.activity.inputs.all()), opened.posted, opened.frozen)
    if opened.posted is not None and _writable(opened) and forms.is_valid():
        done = lambda version: drafting.tool_change(  # noqa: E731 - named for the line below
            opened.activity, forms.part, actor=opened.user, version=version
        )
        if opened.save(done):
            return to("desk_tools", activity_id)
    context = {
        "contract": contract,
        "binding": binding,
        "forms": forms,
        "risk": RISKS[contract.risk],
        "changed": contract.hash != binding.contract_hash,
    }
    return opened.show("tool.html", "tools", context, title=contract.title)


@desk
def steps_page(request: HttpRequest, activity_id: UUID) -> HttpResponse:
    """The procedure. Steps are moved and removed here."""
    opened = Opened(request, activity_id)
    if opened.posted is not None and _writable(opened):
        keys = [step.pk for step in opened.activity.steps.all()]
        if opened.save(lambda version: _move_or_remove(opened, keys, version)):
            return to("desk_steps", activity_id)
    steps = list(opened.activity.steps.all())
    openings = {step.pk: list(step.openings.all()) for step in steps}
    words = said(chain.from_iterable(openings.values()), opened.revision.agent.workspace)
    rows = [(step, [words[each.pk] for each in openings[step.pk]]) for step in steps]
    return opened.show("steps.html", "steps", {"steps": rows}, title=opened.name)


def _move_or_remove(opened: Opened, keys: list[UUID], version: int) -> None:
    activity, user = opened.activity, opened.user
    gone = next((key for key in keys if str(key) == opened.request.POST.get("remove")), None)
    if gone is not None:
        drafting.step_remove(activity, gone, actor=user, version=version)
    else:
        drafting.steps_ordered(activity, moved(keys, opened.request), actor=user, version=version)


@desk
def step_page(request: HttpRequest, activity_id: UUID, step_id: UUID | None = None) -> HttpResponse:
    """One step, or a new one."""
    opened = Opened(request, activity_id)
    step = next((each for each in opened.activity.steps.all() if each.pk == step_id), None)
    if step_id is not None and step is None:
        raise designing.missing()
    form = _step_form(opened, step)
    if opened.posted is not None and _writable(opened) and form.is_valid():
        done = lambda version: drafting.step_save(  # noqa: E731 - named for the line below
            opened.activity, form.cleaned_data["part"], step_id=step_id, actor=opened.user, version=version
        )
        if opened.save(done):
            return to("desk_steps", activity_id)
    led = led_to(step, opened.revision.agent.workspace) if step else None
    places = contracts.places_at(step, opened.activity) | contracts.opened_places(led)
    warned = bool(led and led.led and step and advice.passes_anyway(step))
    context = {
        "form": form,
        "step": step,
        "places": places,
        "opened": led,
        "advice": advice.passed_by_anything() if warned else "",
    }
    return opened.show(
        "step.html", "steps", context, title=name_of(step.name, step.key) if step else _("New step")
    )


def _step_form(opened: Opened, step: Step | None) -> StepForm:
    bindings = list(opened.activity.tool_bindings.all())
    titles = {contract.key: contract.title for contract in contracts.contracts_of(bindings)}
    own = WorkspaceGroup.objects.filter(workspace=opened.revision.agent.workspace).select_related("group")
    groups = [row.group for row in own]
    return StepForm(
        opened.activity,
        tool_choices(bindings, titles),
        groups,
        opened.posted,
        opens=opening_values(step) if step else [],
        places=places_of(opened.revision.agent.workspace),
        initial=step_values(step) if step else {},
        frozen=opened.frozen,
    )


@require_POST
@desk
def activity_remove(request: HttpRequest, activity_id: UUID) -> HttpResponse:
    activity = designing.activity_for(person(request), activity_id)
    attempt(
        request,
        _("The activity is removed."),
        lambda: drafting.activity_remove(activity, actor=person(request), version=version_of(request)),
    )
    return to("desk_revision", activity.revision_id)
