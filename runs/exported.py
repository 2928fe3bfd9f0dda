"""A run as a file: what is known of it, and its history with what it takes to verify it elsewhere."""

from datetime import UTC
from typing import Any

from accounts import audit
from accounts.models import AuditEvent, User
from runs import selectors
from runs.models import Run
from runs.report import run_report

#: Raised when the shape of the file changes.
FORMAT = 1
_HOW = (
    "body = sha256(RFC 8785 JSON of {stream, workspace, type, actor, actor_kind, at, data}); "
    "hash = sha256(RFC 8785 JSON of {body, previous, seq}); the first event has no previous hash"
)


def run_export(user: User, run: Run) -> dict[str, Any]:
    """Return all that `user` may see of `run`, as JSON: the report, every event with its hash, the verdict.

    Whether the user may see the run is asked before (`selectors.run_for`).
    """
    report = run_report(run, user, hidden=selectors.hidden_tools(user, run))
    checked = audit.verify_stream(run.pk)
    return {
        "format": FORMAT,
        "report": report.model_dump(mode="json"),
        "events": [_event(event) for event in selectors.events_of(run)],
        "verification": {"ok": checked.ok, "events": checked.events, "problem": checked.problem, "how": _HOW},
    }


def _event(event: AuditEvent) -> dict[str, Any]:
    return {
        "seq": event.seq,
        "stream": str(event.stream),
        "workspace": None if event.workspace_id is None else str(event.workspace_id),
        "type": event.type,
        "actor": None if event.actor_id is None else str(event.actor_id),
        "actor_kind": event.actor_kind,
        "at": event.at.astimezone(UTC).isoformat(),
        "data": event.data,
        "previous": event.previous_hash,
        "hash": event.hash,
    }
