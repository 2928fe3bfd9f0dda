"""A revision as one text file that people review and keep in git, and back: never more than a draft.

The same revision gives the same bytes, and importing an exported file and exporting the draft gives the file
again.
"""

from accounts.models import User, Workspace
from activities.actions import agent_import
from activities.exporting import blueprint_of
from activities.models import Revision
from activities.portable.reading import UnreadableFile, read
from activities.portable.writing import write


def revision_export(revision: Revision) -> str:
    """Return `revision` as the text of a file. Raises InvalidInput when a row fits no blueprint."""
    return write(blueprint_of(revision))


def revision_import(
    text: str | bytes, *, workspace: Workspace, actor: User | None, note: str = ""
) -> Revision:
    """Make a draft of what a file says. Raises UnreadableFile, with every problem's line and place.

    Raises NotAllowed and InvalidInput as `agent_import` does.
    """
    return agent_import(read(text), workspace=workspace, actor=actor, note=note)


__all__ = ["UnreadableFile", "read", "revision_export", "revision_import", "write"]
