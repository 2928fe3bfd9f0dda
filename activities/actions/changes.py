"""Changing a draft: one way for every change, whoever makes it.

A change names the version of the draft it was made on. What changed is found by comparing the draft before
and after, so that nothing is left to be remembered: the history has each place with before and after, and
rights are asked of what really changed.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.db import transaction
from django.utils import formats, timezone
from django.utils.translation import gettext as _

from accounts.models import User
from activities.actions.authority import designed_keys, designs_agent
from activities.actions.recording import record
from activities.difference import Change, difference_of
from activities.exporting import document
from activities.models import Revision, RevisionState
from activities.redundancy import vectors_due_of
from agentapp.kernel.errors import Conflict, NotAllowed


class EditedMeanwhile(Conflict):
    """The draft was changed after the page was opened. `data`: by, at, version, expected."""

    code = "edited_meanwhile"


@contextmanager
def revision_change(
    revision: Revision, *, actor: User | None, expected_version: int, kind: str = "revision.changed"
) -> Iterator[Revision]:
    """Change a draft inside the block, on the locked revision it gives; all or nothing.

    At the end the difference is recorded as one event and the version counted up; without a difference
    nothing is recorded. Raises Conflict when it is no draft, EditedMeanwhile when it was changed since
    `expected_version`, NotAllowed when something changed that `actor` may not change.
    """
    with transaction.atomic():
        locked = lock_draft(revision, actor)
        if locked.version != expected_version:
            raise _edited_meanwhile(locked, expected_version)
        before = document(locked)
        yield locked
        changes = difference_of(before, document(locked))
        if changes:
            _require_theirs(actor, locked, changes)
            _count(locked, actor)
            vectors_due_of(locked)
            about = {"version": locked.version, "changes": [change.as_data() for change in changes]}
            record(locked, kind, actor, about)
    # The caller's own instance goes on from what is stored now.
    revision.version, revision.changed_at = locked.version, locked.changed_at
    revision.changed_by = locked.changed_by


def lock_draft(revision: Revision, actor: User | None) -> Revision:
    """Return the draft, locked, for somebody who may change some of it. Raises NotAllowed, Conflict."""
    agent = revision.agent
    if not designs_agent(actor, agent) and not designed_keys(actor, agent):
        raise NotAllowed(_("You may not change this agent."))
    # Rows of others are not locked; only the revision is what two designers would write at once.
    locked = Revision.objects.select_for_update(of=("self",)).select_related("changed_by").get(pk=revision.pk)
    locked.agent = agent
    if locked.state != RevisionState.DRAFT:
        raise Conflict(_("Only a draft can be changed. Make a new draft from this revision."))
    return locked


def _edited_meanwhile(locked: Revision, expected: int) -> EditedMeanwhile:
    by = locked.changed_by.get_full_name() if locked.changed_by else _("somebody")
    at = locked.changed_at or locked.created_at
    when = formats.date_format(timezone.localtime(at), "DATETIME_FORMAT")
    sentence = _(
        "%(by)s changed this draft on %(when)s, after you opened it. Your change was not saved: "
        "look at theirs, then save yours again."
    )
    data = {"by": by, "at": at.isoformat(), "version": locked.version, "expected": expected}
    return EditedMeanwhile(sentence % {"by": by, "when": when}, **data)


def _require_theirs(actor: User | None, revision: Revision, changes: Iterable[Change]) -> None:
    """Who designs single activities changes these only, and neither adds, removes nor orders any."""
    if designs_agent(actor, revision.agent):
        return
    theirs = designed_keys(actor, revision.agent)
    for change in changes:
        inside = len(change.path) > 2 and change.path[0] == "activities" and change.path[1] in theirs
        if not inside:
            raise NotAllowed(_("You may not change this: %(place)s.") % {"place": change.place})


def _count(locked: Revision, actor: User | None) -> None:
    locked.version += 1
    locked.changed_at = timezone.now()
    locked.changed_by = actor
    locked.save(update_fields=["version", "changed_at", "changed_by"])
