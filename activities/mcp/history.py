"""One line of history for one change of a server or of one of its tools."""

from collections.abc import Mapping
from typing import Any

from accounts import audit
from accounts.models import ActorKind, User
from activities.models import McpServer


def record(
    server: McpServer,
    kind: str,
    actor: User | None,
    data: Mapping[str, Any],
    *,
    actor_kind: ActorKind | None = None,
) -> None:
    """Record in the server's stream, in the transaction of the change."""
    audit.record(
        stream=server.pk,
        type=kind,
        workspace=server.workspace_id,
        actor=actor,
        actor_kind=actor_kind,
        data={"server": server.key, **data},
    )
