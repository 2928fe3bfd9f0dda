"""Which workspace a program means: the one it names, else the person's only one."""

from django.utils.translation import gettext as _

from accounts import access
from accounts.models import User, Workspace
from agentapp.kernel.errors import InvalidInput, NotFound
from agentapp.kernel.text import clean_text


class WorkspaceNeeded(InvalidInput):
    """Nothing was named and there is not exactly one. `data["workspaces"]` has the short names."""

    code = "workspace_needed"


def workspace_named(user: User, slug: str) -> Workspace:
    """Return the workspace called `slug`, or with an empty `slug` the only one of `user`.

    Raises NotFound for one the person does not belong to, WorkspaceNeeded when it is not clear.
    """
    mine = {workspace.slug: workspace for workspace in access.workspaces_of(user)}
    wanted = clean_text(slug).strip() or (next(iter(mine)) if len(mine) == 1 else "")
    if wanted in mine:
        return mine[wanted]
    if wanted:
        raise NotFound(_("You belong to no workspace of this name."))
    sentence = _("Say which workspace is meant.") if mine else _("You belong to no workspace.")
    raise WorkspaceNeeded(sentence, workspaces=sorted(mine))
