"""One line of history for one change of an agent or a revision."""

from typing import Any

from accounts import audit
from accounts.models import User
from activities.models import Agent, Revision

#: The events by which somebody has worked on a draft.
WORKED = (
    "revision.created",
    "revision.drafted",
    "revision.imported",
    "revision.changed",
)


def record(about: Agent | Revision, kind: str, actor: User | None, data: dict[str, Any]) -> None:
    """Record in the stream of the agent or the revision concerned; without an actor the operator did it."""
    agent = about if isinstance(about, Agent) else about.agent
    audit.record(
        stream=about.pk,
        type=kind,
        workspace=agent.workspace_id,
        actor=actor,
        data={"agent": agent.key, **data},
    )
