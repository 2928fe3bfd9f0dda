"""Tool groups of a workspace: who designs everything there makes and changes them.

What they hold acts at once: a step that is open to a group leads to what is in it now.
"""

from collections.abc import Collection

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import audit
from accounts.models import User, Workspace
from activities.actions.authority import require_workspace
from activities.models import RevisionState, StepOpening, ToolGroup, ToolGroupEntry
from activities.models.fields import Texts
from activities.models.openings import OpeningKind
from activities.tools import registry
from agentapp.kernel.errors import Conflict, InvalidInput


@transaction.atomic
def tool_group_create(
    workspace: Workspace, *, key: str, name: Texts, tools: Collection[str], actor: User | None
) -> ToolGroup:
    """Make a group. Audited. Raises NotAllowed, InvalidInput for a taken key or a tool that is not there."""
    require_workspace(actor, workspace)
    if ToolGroup.objects.filter(workspace=workspace, key=key).exists():
        raise InvalidInput(_("This workspace has a group with that key."), fields={"key": key})
    group = ToolGroup.objects.create(workspace=workspace, key=key, name=name)
    added, _gone = _put(group, tools)
    _record(group, "tool_group.created", actor, added=added)
    return group


@transaction.atomic
def tool_group_change(group: ToolGroup, *, name: Texts, tools: Collection[str], actor: User | None) -> None:
    """Rename a group and make these its tools. Audited. Raises NotAllowed, InvalidInput."""
    require_workspace(actor, group.workspace)
    locked = ToolGroup.objects.select_for_update().get(pk=group.pk)
    locked.name = name
    locked.save(update_fields=["name"])
    added, gone = _put(locked, tools)
    _record(locked, "tool_group.changed", actor, added=added, removed=gone)


@transaction.atomic
def tool_group_remove(group: ToolGroup, *, actor: User | None) -> None:
    """Remove a group. Audited. Raises NotAllowed, Conflict while a step that is not retired is open to it."""
    require_workspace(actor, group.workspace)
    opened = StepOpening.objects.filter(
        kind=OpeningKind.GROUP,
        value=group.key,
        step__activity__revision__agent__workspace=group.workspace,
    ).exclude(step__activity__revision__state=RevisionState.RETIRED)
    if opened.exists():
        raise Conflict(_("A step is open to this group. Take its tools out instead."))
    _record(group, "tool_group.removed", actor)
    group.delete()


def _put(group: ToolGroup, wanted: Collection[str]) -> tuple[list[str], list[str]]:
    """Make these the group's tools; return what came and what went. A tool that is gone may stay in it."""
    held = set(group.entries.values_list("tool_key", flat=True))
    added, gone = sorted(set(wanted) - held), sorted(held - set(wanted))
    known = registry.many(added)
    unknown = [key for key in added if key not in known or not known[key].is_for(group.workspace_id)]
    if unknown:
        raise InvalidInput(_("There is no tool “%(tool)s” here.") % {"tool": unknown[0]})
    group.entries.filter(tool_key__in=gone).delete()
    ToolGroupEntry.objects.bulk_create(ToolGroupEntry(group=group, tool_key=key) for key in added)
    return added, gone


def _record(group: ToolGroup, kind: str, actor: User | None, **data: list[str]) -> None:
    audit.record(
        stream=group.pk,
        type=kind,
        workspace=group.workspace_id,
        actor=actor,
        data={"group": group.key, **data},
    )
