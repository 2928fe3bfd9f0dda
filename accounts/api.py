"""Who calls the API, and where: personal tokens, the browser's session, the workspace."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from ninja import Router
from ninja.security import APIKeyCookie, HttpBearer
from ninja.security.base import AuthBase
from ninja.utils import check_csrf
from pydantic import BaseModel, Field

from accounts import access, throttle, tokens
from accounts.addresses import client_address
from accounts.choice import workspace_named
from accounts.models import Scope, User, Workspace
from agentapp.kernel.errors import NotAllowed, NotSignedIn
from agentapp.kernel.text import clean_text

WORKSPACE_HEADER = "X-Workspace"
#: For `openapi_extra` of the routes that need a workspace.
IN_WORKSPACE = {
    "parameters": [
        {
            "in": "header",
            "name": WORKSPACE_HEADER,
            "schema": {"type": "string"},
            "required": False,
            "description": "Short name of the workspace; needed by people who belong to several.",
        }
    ]
}


class ApiRequest(HttpRequest):
    """A request of which the caller is known."""

    auth: User


class CsrfFailed(NotAllowed):
    """A session without the page's token: another site may have sent this."""

    code = "csrf_failed"


class TokenAuth(HttpBearer):
    """`Authorization: Bearer …`. A request that carries the header is never taken for a session."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        super().__init__()

    def __call__(self, request: HttpRequest) -> User | None:
        if "Authorization" not in request.headers:
            return None
        kind, _space, raw = request.headers["Authorization"].partition(" ")
        if kind.lower() != self.openapi_scheme:
            raise NotSignedIn(_("Send a personal token: Authorization: Bearer mandate_…"))
        return self.authenticate(request, clean_text(raw).strip())

    def authenticate(self, request: HttpRequest, token: str) -> User:
        try:
            user = tokens.authenticate(token, self.scope)
        except NotSignedIn:
            throttle.token_failed(client_address(request))
            raise
        translation.activate(user.language)
        timezone.activate(ZoneInfo(user.time_zone))
        return user


class SessionAuth(APIKeyCookie):
    """The browser's session; what writes also needs the page's CSRF token."""

    param_name = settings.SESSION_COOKIE_NAME

    def __call__(self, request: HttpRequest) -> User | None:
        if not isinstance(request.user, User) or not request.user.is_active:
            return None
        if check_csrf(request) is not None:
            raise CsrfFailed(_("The page's security token is missing or old. Reload the page and try again."))
        return request.user

    def authenticate(self, request: HttpRequest, key: str | None) -> User | None:
        raise NotImplementedError("The session middleware has done this.")


def signed_in(scope: Scope) -> Sequence[AuthBase]:
    """Return what a route demands of its caller: a session, or a token that has `scope`."""
    return [TokenAuth(scope), SessionAuth()]


def workspace_of(request: ApiRequest) -> Workspace:
    """Return the workspace the request names, else the caller's only one.

    Raises NotFound for one the caller does not belong to, WorkspaceNeeded when it is not clear.
    """
    return workspace_named(request.auth, request.headers.get(WORKSPACE_HEADER, ""))


class WorkspaceOut(BaseModel):
    slug: str
    name: str


class Me(BaseModel):
    """The person a call acts as."""

    id: str
    email: str
    name: str
    language: str
    time_zone: str = Field(description="IANA name; dates in words are read in it.")
    workspaces: list[WorkspaceOut]


router = Router(tags=["me"])


@router.get("/me", response=Me, auth=signed_in(Scope.READ), summary="Who I am here")
def me(request: ApiRequest) -> Me:
    user = request.auth
    return Me(
        id=str(user.pk),
        email=user.email,
        name=user.full_name,
        language=user.language,
        time_zone=user.time_zone,
        workspaces=[WorkspaceOut(slug=item.slug, name=item.name) for item in access.workspaces_of(user)],
    )
