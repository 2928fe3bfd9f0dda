"""What a designer sees: their agents, revisions and activities. Missing and invisible look the same."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from accounts import access
from accounts.models import User, Workspace
from accounts.standing import standing
from activities.exporting import whole
from activities.models import Activity, ActivityIdentity, Agent, Revision, RevisionState
from agentapp.kernel.compiled import Compiled
from agentapp.kernel.errors import NotFound


@dataclass(frozen=True)
class Desk:
    """What one person may do with one agent. `activities` are the identities they may change one by one."""

    design: bool
    publish: bool
    activities: frozenset[UUID]

    def may_change(self, activity: Activity) -> bool:
        """True when this activity of a draft is theirs to change."""
        return self.design or activity.identity_id in self.activities


def workspaces_designed(user: User) -> QuerySet[Workspace]:
    """Return the workspaces in which `user` may make agents."""
    return access.objects_with(user, ["accounts.design_agents"], Workspace.objects.order_by("name"))


def designs_somewhere(user: User) -> bool:
    """True when `user` may make agents in some workspace."""
    return _DESIGNING.found(user.pk)


def has_agents(user: User) -> bool:
    """True when `user` has some agent on their desk."""
    return _HAVING.found(user.pk)


def agents_for(user: User) -> QuerySet[Agent]:
    """Return the agents `user` designs or publishes, or has an activity of to change."""
    theirs = Q(workspace__in=workspaces_designed(user).order_by().values("pk"))
    for perm in ("activities.design_agent", "activities.publish_agent"):
        theirs |= Q(pk__in=access.objects_with(user, [perm], Agent.objects.all()).values("pk"))
    parts = access.objects_with(user, ["activities.design_activity"], ActivityIdentity.objects.all())
    return Agent.objects.filter(theirs | Q(pk__in=parts.values("agent"))).select_related("workspace")


def with_figures(agents: QuerySet[Agent]) -> QuerySet[Agent]:
    """Add how many drafts each has, and how many activities its published revision."""
    published = Q(revisions__state=RevisionState.PUBLISHED)
    return agents.annotate(
        drafts=Count("revisions", filter=Q(revisions__state=RevisionState.DRAFT), distinct=True),
        offered=Count("revisions__activities", filter=published, distinct=True),
    )


def agent_for(user: User, agent_id: UUID) -> Agent:
    """Return one of their agents. Raises NotFound."""
    return _one(_AGENT, user, agent_id)


def revision_for(user: User, revision_id: UUID) -> Revision:
    """Return a revision of one of their agents. Raises NotFound."""
    return _one(_REVISION, user, revision_id)


def activity_for(user: User, activity_id: UUID) -> Activity:
    """Return an activity of one of their agents, whole. Raises NotFound."""
    return _one(_ACTIVITY, user, activity_id)


def desk_for(user: User, agent: Agent) -> Desk:
    """Return what `user` may do with `agent`, read now, in two queries."""
    identities = list(agent.identities.all())
    rights = standing(user, agent.workspace, (agent.workspace, agent, *identities))
    everywhere = rights.member and rights.holds("design_agents", agent.workspace)
    design = everywhere or (rights.member and rights.holds("design_agent", agent))
    publish = everywhere or (rights.member and rights.holds("publish_agent", agent))
    own = [each.pk for each in identities if rights.member and rights.holds("design_activity", each)]
    return Desk(design, publish, frozenset(own))


def _one(rows: Compiled[Any, Any], user: User, pk: UUID) -> Any:
    found = rows.first(user.pk, pk)
    if found is None:
        raise missing()
    return found


def _revisions(user: UUID, pk: UUID) -> QuerySet[Revision]:
    theirs = Revision.objects.filter(agent__in=agents_for(User(pk=user)), pk=pk)
    return theirs.select_related("agent__workspace", "created_by", "changed_by", "published_by")


def _activities(user: UUID, pk: UUID) -> QuerySet[Activity]:
    theirs = Activity.objects.filter(revision__agent__in=agents_for(User(pk=user)), pk=pk)
    return whole(theirs).select_related("identity", "revision__agent__workspace", "revision__changed_by")


# Every page of the desk asks these, the navigation of the administration several of them a dozen times.
_DESIGNING = Compiled.existing(lambda user: workspaces_designed(User(pk=user)).order_by())
_HAVING = Compiled.existing(lambda user: agents_for(User(pk=user)).order_by())
_AGENT: Compiled[Agent, Agent] = Compiled(lambda user, pk: agents_for(User(pk=user)).filter(pk=pk), 2)
_REVISION: Compiled[Revision, Revision] = Compiled(_revisions, 2)
_ACTIVITY: Compiled[Activity, Activity] = Compiled(_activities, 2)


def missing() -> NotFound:
    """The one failure for what does not exist and for what is not theirs to see."""
    return NotFound(_("This does not exist, or you may not see it."))
