"""A step that cannot go on by itself, and the people it may go to."""

from accounts.models import Membership, Role, User
from runs.llm.base import ESCALATE
from runs.llm.scripted import Line, call
from runs.models import Escalation, Run
from runs.states import EscalationState
from tests.support.blueprints import activity, step, use
from tests.support.world import LABEL, World

REASON = "I do not know which lamp is meant."


def approver(world: World, name: str, *groups: str) -> User:
    """A member who approves here; `groups` are the workspace's other groups they are in."""
    user = User.objects.create(email=f"{name}@example.org", full_name=name.title())
    Membership.objects.create(user=user, workspace=world.workspace)
    labels = [*(groups or (LABEL,)), Role.APPROVER.value]
    found = world.workspace.workspace_groups.filter(label__in=labels)
    user.groups.add(*(item.group for item in found))
    return user


def gives_up() -> Line:
    return call(ESCALATE, {"reason": REASON})


def publish(world: World, tool: str = "reserve", **more: object) -> None:
    """An activity of one step with one tool."""
    world.publish(activity(use(tool), steps=[step(tool, **more)]))


def escalated(
    world: World, tool: str = "reserve", text: str = "Please reserve a lamp.", **more: object
) -> Run:
    """A run whose only step was given up by the model."""
    publish(world, tool, **more)
    return world.play(world.start(text), gives_up())


def opened(run: Run) -> Escalation:
    return Escalation.objects.get(run=run, state=EscalationState.OPEN)
