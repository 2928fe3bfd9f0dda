"""The steps of an activity, and where it hands over to."""

from collections.abc import Sequence
from uuid import UUID

from django.utils.translation import gettext as _

from accounts import access
from accounts.models import User
from activities.blueprint import OutcomePart, StepPart
from activities.designing import missing
from activities.drafting.base import changing, put_in_order, save_order
from activities.importing import write_openings, write_outcome
from activities.models import Activity, Step, ToolBinding
from agentapp.kernel.errors import InvalidInput


def step_save(activity: Activity, part: StepPart, *, step_id: UUID | None, actor: User, version: int) -> Step:
    """Change a step of a draft, or add one at the end. Raises InvalidInput, NotFound for one that is gone."""
    with changing(activity, actor, version) as found:
        step = _step(found, step_id)
        if found.steps.filter(key=part.key).exclude(pk=step.pk).exists():
            raise InvalidInput(_("Another step has this key."), fields={"key": part.key})
        for name, value in part.model_dump(exclude={"tools", "opens", "escalate_to"}).items():
            setattr(step, name, value)
        workspace = found.revision.agent.workspace
        step.escalate_to = access.workspace_group(workspace, part.escalate_to) if part.escalate_to else None
        step.save()
        step.tools.set(_bindings(found, part))
        step.openings.all().delete()
        write_openings(step, part.opens)
        return step


def step_remove(activity: Activity, step_id: UUID, *, actor: User, version: int) -> None:
    """Remove a step of a draft, and the trials that went through it."""
    with changing(activity, actor, version) as found:
        step = _step(found, step_id)
        step.delete()
        save_order(put_in_order(found.steps.all(), (), "pk"))


def steps_ordered(activity: Activity, wanted: Sequence[UUID], *, actor: User, version: int) -> None:
    """Put the steps in this order; those not named follow."""
    with changing(activity, actor, version) as found:
        save_order(put_in_order(found.steps.all(), wanted, "pk"))


def handover_change(activity: Activity, parts: Sequence[OutcomePart], *, actor: User, version: int) -> None:
    """Make these the routing outcomes of an activity, in this order."""
    with changing(activity, actor, version) as found:
        found.routing.all().delete()
        for position, part in enumerate(parts):
            write_outcome(found, part, position)


def _step(activity: Activity, step_id: UUID | None) -> Step:
    if step_id is None:
        return Step(activity=activity, position=activity.steps.count())
    step = activity.steps.filter(pk=step_id).first()
    if step is None:
        raise missing()
    return step


def _bindings(activity: Activity, part: StepPart) -> list[ToolBinding]:
    bound = {binding.tool_key: binding for binding in activity.tool_bindings.all()}
    unknown = [key for key in part.tools if key not in bound]
    if unknown:
        raise InvalidInput(_("“%(tool)s” is not among the activity's tools.") % {"tool": unknown[0]})
    return [bound[key] for key in part.tools]
