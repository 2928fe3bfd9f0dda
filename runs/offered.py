"""What a run may be routed to."""

from activities.models import Activity
from activities.rights import offered_activities
from runs.models import Run


def offered_to(run: Run) -> list[Activity]:
    """Return the activities its user may ask for; in a trial, of the revision that is tried."""
    return offered_activities(run.user, run.workspace, revision=run.revision if run.trial else None)
