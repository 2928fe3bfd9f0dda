"""Who may use which activity, and which tools, now. Asked again at every use; nothing is remembered."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts import access
from accounts.models import User, Workspace
from accounts.standing import Standing, standing
from activities import conditions
from activities.frozen import pinned_activity
from activities.models import Activity, ActivityIdentity, Agent, Revision, RevisionState
from activities.models.procedure import ToolChoice
from activities.openings import opens_any
from activities.tools import registry
from activities.tools.contract import fact_key_of
from agentapp.kernel.compiled import Compiled


def permitted_activities(
    user: User, workspace: Workspace, revision: Revision | None = None
) -> QuerySet[Activity]:
    """Return the published activities `user` has the object permission to use here, filtered in SQL.

    With a `revision`, those of this one instead, whatever its state.
    """
    agents = access.objects_with(user, ["activities.use_agent"], Agent.objects.filter(workspace=workspace))
    identities = access.objects_with(
        user, ["activities.use_activity"], ActivityIdentity.objects.filter(agent__workspace=workspace)
    )
    return Activity.objects.filter(
        Q(revision__agent__in=agents) | Q(identity__in=identities),
        Q(revision=revision) if revision else Q(revision__state=RevisionState.PUBLISHED),
        revision__agent__workspace=workspace,
    )


def _entries(user: User, workspace: Workspace, revision: Revision | None = None) -> QuerySet[Activity, UUID]:
    permitted = permitted_activities(user, workspace, revision).filter(entry=True)
    return permitted.order_by("revision__agent__key", "position").values_list("pk", flat=True)


_PUBLISHED_ENTRIES = Compiled(lambda user, workspace: _entries(User(pk=user), Workspace(pk=workspace)), 2)
_ENTRIES = Compiled(
    lambda user, workspace, revision: _entries(User(pk=user), Workspace(pk=workspace), Revision(pk=revision)),
    3,
)


def offered_activities(user: User, workspace: Workspace, revision: Revision | None = None) -> list[Activity]:
    """Return what `user` may ask for here: permitted, an entry, with every tool its steps cannot do without.

    With a `revision`, what this one would offer.
    """
    if revision is None:
        ids = _PUBLISHED_ENTRIES.rows(user.pk, workspace.pk)
    else:
        ids = _ENTRIES.rows(user.pk, workspace.pk, revision.pk)
    permissions = standing(user, workspace).permissions
    return [activity for pk in ids if can_be_done(activity := pinned_activity(pk), permissions)]


def standing_for(user: User, activity: Activity, workspace: Workspace) -> Standing:
    """Return what `user` is and may here, read now, with their rights to this activity."""
    return standing(user, workspace, (activity.identity, activity.revision.agent))


def may_use(rights: Standing, activity: Activity, workspace: Workspace) -> bool:
    """True when `rights` give this activity's identity or agent, whatever its revision's state."""
    if activity.revision.agent.workspace_id != workspace.pk or not rights.member:
        return False
    return rights.holds("use_activity", activity.identity) or rights.holds(
        "use_agent", activity.revision.agent
    )


def can_be_done(activity: Activity, permissions: Collection[str]) -> bool:
    """True when the tools without which its steps cannot pass are all there and permitted."""
    known = registry.many(binding.tool_key for binding in activity.tool_bindings.all())
    permitted = {key: contract for key, contract in known.items() if contract.permission in permissions}
    for step in activity.steps.all():
        if step.tool_choice == ToolChoice.NONE:
            continue
        named = [binding.tool_key for binding in step.tools.all()]
        needed = set(conditions.facts_named(step.passes_when))
        if any(fact_key_of(key) in needed and key not in permitted for key in named):
            return False
        acts = step.tool_choice != ToolChoice.REQUIRED or any(key in permitted for key in named)
        if not acts and not opens_any(step, activity.revision.agent.workspace, permissions):
            return False
    return True
