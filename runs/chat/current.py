"""A run as its page shows it at this moment."""

from uuid import UUID

from accounts.models import User
from runs.chat import rows
from runs.chat.present.run import RunView, run_view
from runs.models import Run


def current_view(viewer: User, run_id: UUID, **answering: dict[str, object]) -> RunView:
    """Return what `viewer`, who may see it, is shown of a run. `answering`: what was tried, its problems."""
    with rows.one_moment():
        versions = rows.versions_of([run_id])
        run: Run = rows.whole_runs().get(pk=run_id)
        return run_view(run, versions.get(run_id, 0), viewer, **answering)  # type: ignore[arg-type]
