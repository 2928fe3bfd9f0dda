"""Which workspace a person is working in."""

from uuid import UUID

from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts import access
from accounts.models import User, Workspace
from agentapp.kernel.errors import NotAllowed, NotFound

SESSION_KEY = "workspace"


def workspace_for(request: HttpRequest) -> Workspace:
    """Return the workspace chosen in this session, if the person still belongs to it, else their first.

    Raises NotAllowed when they belong to none.
    """
    user = request.user
    if not isinstance(user, User):
        raise NotAllowed(_("Sign in first."))
    return workspace_of(user, request.session.get(SESSION_KEY))


def workspace_of(user: User, wanted: UUID | str | None = None) -> Workspace:
    """Return the workspace `wanted` if `user` is an active member of it, else their first by name.

    For edges without a session. Raises NotAllowed when they belong to none.
    """
    mine = access.own_workspaces(user)
    if not mine:
        raise NotAllowed(_("You do not belong to a workspace yet. Ask an administrator to add you to one."))
    return next((each for each in mine if str(each.pk) == str(wanted)), mine[0])


def choose(request: HttpRequest, wanted: UUID) -> Workspace:
    """Work in this workspace from now on. Raises NotFound unless the person is a member of it."""
    user = request.user
    mine = access.workspaces_of(user).filter(pk=wanted).first() if isinstance(user, User) else None
    if mine is None:
        raise NotFound(_("There is no such workspace."))
    request.session[SESSION_KEY] = str(mine.pk)
    return mine
