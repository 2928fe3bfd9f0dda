"""Who decides on an escalation: the step's group, else the workspace's, else who may approve the activity.

The rights are asked anew at every use. Being a superuser gives none.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Group
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts import access
from accounts.models import Role, User, Workspace
from accounts.selectors import members_of
from activities.models import Activity, ActivityIdentity, Agent, Step
from agentapp.kernel.compiled import Compiled
from runs.models import Escalation, Run, RunStep
from runs.states import EscalationState

#: Who took an escalation and then did nothing for so long no longer keeps others from it.
HELD_FOR = timedelta(minutes=30)
_APPROVE = "accounts.approve_runs"
#: A number on a link counts no further.
_COUNTED = 100


def addressee(run: Run, step: RunStep) -> Group | None:
    """Return the group to decide: of the step's and the workspace's the first with somebody who may."""
    barred = [run.user_id] if step.step.needs_other_person else []
    for group in (step.step.escalate_to, run.workspace.escalation_group):
        if group is not None and _active(group, run.workspace).exclude(pk__in=barred).exists():
            return group
    return None


def deciders_of(escalation: Escalation) -> QuerySet[User]:
    """Return the active people who may decide on it now, whoever has taken it."""
    run = escalation.run
    if escalation.group is not None:
        chosen = _active(escalation.group, run.workspace)
    else:
        chosen = approvers_of(run.activity, run.workspace)
    named = [escalation.assignee_id] if escalation.assignee_id else []
    found = members_of(run.workspace).filter(Q(pk__in=chosen) | Q(pk__in=named))
    return found.exclude(pk=run.user_id) if escalation.step.step.needs_other_person else found


def may_decide(user: User, escalation: Escalation) -> bool:
    """True when `user` is among those who may decide on it, whoever has taken it."""
    return deciders_of(escalation).filter(pk=user.pk).exists()


def may_act_in(user: User, run: Run) -> bool:
    """True when `user` may decide on an open escalation of `run`."""
    found = complete(Escalation.objects.filter(run=run, state=EscalationState.OPEN))
    return any(may_decide(user, escalation) for escalation in found)


def holder(escalation: Escalation) -> User | None:
    """Return who has taken it and still keeps others from deciding, None when nobody does."""
    if escalation.taken_by is None or escalation.taken_at is None:
        return None
    return escalation.taken_by if escalation.taken_at > timezone.now() - HELD_FOR else None


def approvers_of(activity: Activity | None, workspace: Workspace) -> QuerySet[User]:
    """Return the active people who may approve in the workspace, or this activity or its agent."""
    found = Q(pk__in=access.who_may(_APPROVE, workspace).values("pk"))
    if activity is not None:
        found |= Q(pk__in=access.who_holds("approve_activity", activity.identity).values("pk"))
        found |= Q(pk__in=access.who_holds("approve_agent", activity.revision.agent).values("pk"))
    return members_of(workspace).filter(found)


def can_be_passed_to(escalation: Escalation) -> tuple[list[Group], list[User]]:
    """Return the groups and people it may be passed on to: those who have a say in such things."""
    workspace = escalation.run.workspace
    groups = list(
        Group.objects.filter(workspace_group__workspace=workspace)
        .filter(workspace_group__role__in=("", Role.APPROVER))
        .select_related("workspace_group")
        .order_by("workspace_group__label")
    )
    named = [escalation.step.step.escalate_to, workspace.escalation_group, escalation.group]
    having_a_say = Q(pk__in=approvers_of(escalation.run.activity, workspace)) | Q(
        groups__in=[group for group in named if group is not None]
    )
    people = members_of(workspace).filter(having_a_say)
    if escalation.step.step.needs_other_person:
        people = people.exclude(pk=escalation.run.user_id)
    return groups, list(people.distinct().order_by("full_name", "email")[:200])


def waiting_for(user: User, workspace: Workspace) -> QuerySet[Escalation]:
    """Return the open escalations of a workspace that `user` may decide on, in SQL."""
    if not access.is_member(user, workspace):
        return Escalation.objects.none()
    return _waiting(user, workspace, approves=access.may(user, _APPROVE, workspace))


def due_times(user: User, workspace: Workspace) -> list[datetime | None]:
    """Return by when each of what waits for `user` is due, None without a time. Every page asks it."""
    if not access.is_member(user, workspace):
        return []
    return _DUE[access.may(user, _APPROVE, workspace)].rows(user.pk, workspace.pk)


def _waiting(user: User, workspace: Workspace, *, approves: bool) -> QuerySet[Escalation]:
    approvable = Q() if approves else _approvable(user, workspace)
    addressed = Q(group__in=_groups(user, workspace)) | Q(assignee=user) | (Q(group=None) & approvable)
    own_but_barred = Q(run__user=user) & (
        Q(step__step__other_person=True)
        | Q(step__step__other_person=None, step__step__escalate_to__isnull=False)
    )
    found = Escalation.objects.filter(run__workspace=workspace, state=EscalationState.OPEN)
    return found.filter(addressed).exclude(own_but_barred)


def seen_by(user: User, workspace: Workspace) -> QuerySet[Escalation]:
    """Return what `user` may look at: what waits for them, and what they had a hand in."""
    if not access.is_member(user, workspace):
        return Escalation.objects.none()
    waiting = waiting_for(user, workspace).values("pk")
    hand = Q(closed_by=user) | Q(decisions__by=user)
    return Escalation.objects.filter(Q(pk__in=waiting) | (hand & Q(run__workspace=workspace))).distinct()


def is_decider_of(user: User, run: Run) -> bool:
    """True when one of the run's escalations waits for `user`, or they had a hand in it."""
    return seen_by(user, run.workspace).filter(run=run).exists()


def decides_here(user: User, workspace: Workspace) -> bool:
    """True when escalations may come to `user` here: they are in a group that decides, or may approve."""
    if access.may(user, _APPROVE, workspace):
        return True
    return any(asked.found(user.pk, workspace.pk) for asked in _DECIDING)


def _groups(user: User, workspace: Workspace) -> QuerySet[Any]:
    return user.groups.filter(workspace_group__workspace=workspace).values("pk")


def _approved_activities(user: User, workspace: Workspace) -> QuerySet[ActivityIdentity]:
    identities = ActivityIdentity.objects.filter(agent__workspace=workspace)
    return access.objects_with(user, ["activities.approve_activity"], identities)


def _approved_agents(user: User, workspace: Workspace) -> QuerySet[Agent]:
    return access.objects_with(user, ["activities.approve_agent"], Agent.objects.filter(workspace=workspace))


def _approvable(user: User, workspace: Workspace) -> Q:
    identities, agents = _approved_activities(user, workspace), _approved_agents(user, workspace)
    return Q(run__activity__identity__in=identities) | Q(run__revision__agent__in=agents)


def _led_by(user: User, workspace: Workspace) -> QuerySet[Workspace]:
    return Workspace.objects.filter(pk=workspace.pk, escalation_group__in=_groups(user, workspace))


def _steps_named(user: User, workspace: Workspace) -> QuerySet[Step]:
    here = Step.objects.filter(activity__revision__agent__workspace=workspace)
    return here.filter(escalate_to__in=_groups(user, workspace))


def _existing(build: Callable[[User, Workspace], QuerySet[Any]]) -> Compiled[Any, Any]:
    return Compiled.existing(lambda user, workspace: build(User(pk=user), Workspace(pk=workspace)), 2)


def _due(approves: bool) -> Compiled[Escalation, datetime | None]:
    def build(user: UUID, workspace: UUID) -> QuerySet[Escalation, datetime | None]:
        found = _waiting(User(pk=user), Workspace(pk=workspace), approves=approves)
        return found.values_list("due_at", flat=True)[:_COUNTED]

    return Compiled(build, 2)


_DUE = {approves: _due(approves) for approves in (True, False)}
#: Each of these makes somebody a person to whom escalations may come.
_DECIDING = tuple(map(_existing, (_led_by, _steps_named, _approved_activities, _approved_agents)))


def _active(group: Group, workspace: Workspace) -> QuerySet[User]:
    """Return the active members of the workspace who are in `group`."""
    return members_of(workspace).filter(groups=group)


def complete(found: QuerySet[Escalation]) -> QuerySet[Escalation]:
    """Read with them all that deciding on them needs."""
    return found.select_related(
        "run__workspace__escalation_group",
        "run__user",
        "run__activity__identity",
        "run__revision__agent",
        "step__step__escalate_to",
        "group__workspace_group",
        "assignee",
        "taken_by",
        "closed_by",
    )
