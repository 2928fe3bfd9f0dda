"""What the changes of a draft share."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext as _

from accounts.models import User
from activities.actions import revision_change
from activities.models import Activity
from agentapp.kernel.errors import Conflict


@contextmanager
def changing(activity: Activity, actor: User, version: int) -> Iterator[Activity]:
    """Change one activity of a draft in the block. Raises as `revision_change`, Conflict when it is gone."""
    with revision_change(activity.revision, actor=actor, expected_version=version) as locked:
        found = locked.activities.filter(pk=activity.pk).first()
        if found is None:
            raise Conflict(_("This activity was removed from the draft."))
        found.revision = locked
        yield found


def put_in_order(rows: Iterable[Any], wanted: Sequence[Any], of: str) -> list[Any]:
    """Return the rows whose position changes when those named in `wanted` come first, in that order."""
    places = {value: place for place, value in enumerate(wanted)}
    found = sorted(rows, key=lambda row: places.get(getattr(row, of), len(places)))
    moved = []
    for position, row in enumerate(found):
        if row.position != position:
            row.position = position
            moved.append(row)
    return moved


def save_order(rows: Sequence[Model]) -> None:
    """Store the positions that `put_in_order` changed."""
    if rows:
        type(rows[0])._default_manager.bulk_update(rows, ["position"])
