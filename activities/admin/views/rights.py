"""Who may use, design, publish and approve: an agent as a whole, and each of its activities."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.contrib.auth.models import Group
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.selectors import groups_of, members_of
from activities import designing, granting
from activities.admin.page import Link, agent_trail, attempt, desk, person, show, to
from activities.models import Agent
from agentapp.kernel.errors import InvalidInput

AGENT_RIGHTS = (
    ("use_agent", _("use")),
    ("design_agent", _("design")),
    ("publish_agent", _("publish")),
    ("approve_agent", _("approve")),
)
ACTIVITY_RIGHTS = (
    ("use_activity", _("use")),
    ("design_activity", _("design")),
    ("approve_activity", _("approve")),
)


@dataclass(frozen=True)
class Subject:
    """Something rights are about: an agent, an activity, a server; `rights` are those it knows."""

    id: str
    label: str
    on: granting.Subject
    rights: tuple[tuple[str, Any], ...]
    grantable: tuple[str, ...] = ()


class GrantForm(forms.Form):
    """To whom, what, on what. Foreign ids are not among the choices, so they are refused."""

    to = forms.ChoiceField(label=_("Person or group"))
    right = forms.ChoiceField(label=_("May"))

    def __init__(self, subjects: list[Subject], people: Any, groups: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        to: Any = self.fields["to"]
        to.choices = [
            (_("Groups"), [(f"group:{group.pk}", group.workspace_group.label) for group in groups]),
            (_("People"), [(f"user:{user.pk}", f"{user.full_name} ({user.email})") for user in people]),
        ]
        right: Any = self.fields["right"]
        right.choices = [
            (
                each.label,
                [
                    (f"{code}:{each.id}", f"{word} — {each.label}")
                    for code, word in each.rights
                    if code in each.grantable
                ],
            )
            for each in subjects
            if each.grantable
        ]


@desk
def rights_page(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    """Show who holds what, and give or take one right at a time."""
    agent = designing.agent_for(person(request), agent_id)
    subjects = subjects_of(agent, person(request))
    people = members_of(agent.workspace)
    groups = groups_of(agent.workspace)
    form = GrantForm(subjects, people, groups, request.POST or None)
    if request.method == "POST":
        attempt(
            request,
            _("The rights are changed."),
            lambda: change_right(request, form, subjects, people, groups),
        )
        return to("desk_rights", agent.pk)
    context = {
        "agent": agent,
        "form": form,
        "table": table_of(subjects),
        "may_grant": any(subject.grantable for subject in subjects),
        "trail": [*agent_trail(agent), Link(_("Rights"))],
    }
    return show(request, "rights.html", context, title=_("Rights"))


def subjects_of(agent: Agent, user: User) -> list[Subject]:
    """Return the agent and its activities, each with the rights that `user` may give on it."""
    rights = designing.desk_for(user, agent)
    every = designing.workspaces_designed(user).filter(pk=agent.workspace_id).exists()
    theirs = {"use_agent", "design_agent", "use_activity", "design_activity"}

    def given(codes: tuple[tuple[str, Any], ...], own: bool) -> tuple[str, ...]:
        return tuple(code for code, _word in codes if every or (own and code in theirs))

    own = Subject(
        str(agent.pk), str(_("the whole agent")), agent, AGENT_RIGHTS, given(AGENT_RIGHTS, rights.design)
    )
    parts = []
    for each in agent.identities.order_by("key"):
        each.agent = agent
        mine = rights.design or each.pk in rights.activities
        parts.append(Subject(str(each.pk), each.key, each, ACTIVITY_RIGHTS, given(ACTIVITY_RIGHTS, mine)))
    return [own, *parts]


def change_right(
    request: HttpRequest, form: GrantForm, subjects: list[Subject], people: Any, groups: Iterable[Group]
) -> None:
    """Give or take the right that the form names. Raises NotAllowed, InvalidInput."""
    if not form.is_valid():
        raise InvalidInput(str(_("Choose a person or group, and a right.")))
    codename, _colon, subject_id = form.cleaned_data["right"].partition(":")
    subject = next(each for each in subjects if each.id == subject_id)
    kind, _colon, pk = form.cleaned_data["to"].partition(":")
    among: Iterable[User | Group] = people if kind == "user" else groups
    to_whom = next(each for each in among if str(each.pk) == pk)
    if "revoke" in request.POST:
        granting.right_revoke(codename, to_whom, subject.on, actor=person(request))
    else:
        granting.right_grant(codename, to_whom, subject.on, actor=person(request))


def table_of(subjects: list[Subject]) -> list[dict[str, Any]]:
    """Return each subject with the holders of each right; two queries whatever their number."""
    held = granting.holders([subject.on for subject in subjects])
    return [
        {
            "subject": subject,
            "rights": [
                {
                    "code": f"{code}:{subject.id}",
                    "word": word,
                    "holders": held.get((subject.id, code), []),
                    "mine": code in subject.grantable,
                }
                for code, word in subject.rights
            ],
        }
        for subject in subjects
    ]
