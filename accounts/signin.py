"""Signing in and out of the browser session."""

from typing import Any

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import resolve_url
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from accounts import actions, audit, throttle
from accounts.addresses import client_address
from accounts.models import ActorKind, User
from agentapp.kernel.errors import InvalidInput


def sign_in(request: HttpRequest, *, email: str, password: str) -> User:
    """Open a session. Raises InvalidInput when the two do not match, TooMuch after too many failures.

    One answer for an unknown address, a wrong password and an inactive person.
    """
    address = client_address(request)
    throttle.admit(email, address)
    user = authenticate(request, username=email, password=password)
    if not isinstance(user, User):
        raise InvalidInput(_("The e-mail address or the password is not right."))
    throttle.succeeded(email, address)
    with transaction.atomic():
        login(request, user)
        _record("user.signed_in", user)
    return user


def password_change(request: HttpRequest, user: User, **values: Any) -> User:
    """Change one's own password, guesses at the current one counted as those at the door are.

    Takes what `actions.password_change` does. Raises InvalidInput, TooMuch.
    """
    address = client_address(request)
    throttle.admit(user.email, address)
    try:
        changed = actions.password_change(user, **values)
    except InvalidInput as error:
        if "current" not in error.data.get("fields", {}):
            throttle.succeeded(user.email, address)
        raise
    throttle.succeeded(user.email, address)
    return changed


def sign_out(request: HttpRequest) -> None:
    """Close the session, if there is one."""
    user = request.user
    with transaction.atomic():
        if isinstance(user, User):
            _record("user.signed_out", user)
        logout(request)


def _record(event_type: str, user: User) -> None:
    audit.record(
        stream=user.pk, type=event_type, workspace=None, actor=user, actor_kind=ActorKind.PERSON, data={}
    )


def to_sign_in(request: HttpRequest) -> HttpResponseBase:
    """Send to the sign-in page; a script's request leaves the whole page, and comes back to it."""
    htmx = request.htmx  # type: ignore[attr-defined]
    if not htmx:
        return redirect_to_login(request.get_full_path())
    back = htmx.current_url_abs_path or "/"
    return HttpResponseClientRedirect(f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': back})}")
