"""Activities with all their rows. Those of frozen revisions never change: a process reads them once."""

from uuid import UUID

from activities.models import Activity, RevisionState

#: More than this are not kept; then they are read again.
_MOST = 1_000
_frozen: dict[UUID, Activity] = {}


def pinned_activity(activity_id: UUID) -> Activity:
    """Return an activity with all its rows; one of a draft (a trial's) is read anew each time.

    What is returned is shared: nobody may change it.
    """
    found = _frozen.get(activity_id)
    if found is not None:
        return found
    read = read_activity(activity_id)
    if read.revision.state != RevisionState.DRAFT:
        if len(_frozen) >= _MOST:
            _frozen.clear()
        _frozen[activity_id] = read
    return read


def read_activity(activity_id: UUID) -> Activity:
    """Return an activity with all its rows."""
    return (
        Activity.objects.select_related("revision__agent__workspace", "identity")
        .prefetch_related(
            "phrases",
            "inputs__choices",
            "outputs",
            "tool_bindings__params",
            "steps__tools__params",
            "steps__openings",
            "routing__mapping",
        )
        .get(pk=activity_id)
    )
