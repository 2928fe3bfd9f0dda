"""The account pages: each parses, calls one action, and renders."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts import access, actions, current, selectors, signin
from accounts.forms import PasswordForm, ProfileForm, SignInForm, TokenForm, add_error
from accounts.models import User
from agentapp.kernel.errors import InvalidInput, MandateError, NotAllowed, NotFound, NotSignedIn, TooMuch

PROFILE = "accounts:profile"


def next_url(request: HttpRequest) -> str:
    """Return where to go afterwards: `next` when it is a page of this site, else the start page."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if safe else resolve_url(settings.LOGIN_REDIRECT_URL)


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return redirect(next_url(request))
    form, status = SignInForm(request.POST or None), 200
    if request.method == "POST":
        try:
            signin.sign_in(request, **_cleaned(form))
            return redirect(next_url(request))
        except (InvalidInput, TooMuch) as error:
            status = _refuse(form, error)
    return render(request, "accounts/sign_in.html", {"form": form, "next": next_url(request)}, status=status)


@never_cache
@require_http_methods(["GET", "POST"])
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """The administration has no door of its own: one sign-in counts guesses and is recorded."""
    wanted = request.GET.get("next") or reverse("admin:index")
    if request.user.is_authenticated and not request.user.is_staff:
        raise PermissionDenied
    return redirect(f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': wanted})}")


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    signin.sign_out(request)
    return redirect("accounts:sign_in")


@login_required
@never_cache
@require_GET
def profile(request: HttpRequest) -> HttpResponse:
    return _profile_page(request)


@login_required
@never_cache
@require_POST
def profile_update(request: HttpRequest) -> HttpResponse:
    form = ProfileForm(request.POST, prefix="profile")
    try:
        actions.profile_update(_person(request), **_cleaned(form))
    except InvalidInput as error:
        return _profile_page(request, status=_refuse(form, error), profile_form=form)
    messages.success(request, _("Your profile is saved."))
    return redirect(PROFILE)


@sensitive_post_parameters()
@login_required
@never_cache
@require_POST
def password_change(request: HttpRequest) -> HttpResponse:
    form = PasswordForm(request.POST, prefix="password")
    try:
        user = signin.password_change(request, _person(request), **_cleaned(form))
    except (InvalidInput, TooMuch) as error:
        status = _refuse(form, error, {"password": "new"})
        return _profile_page(request, status=status, password_form=form)
    update_session_auth_hash(request, user)
    messages.success(request, _("Your password is changed. Other sessions are signed out."))
    return redirect(PROFILE)


@login_required
@never_cache
@require_POST
def token_create(request: HttpRequest) -> HttpResponse:
    """Answers with the page itself, not a redirect: the secret is shown once and kept nowhere."""
    form = TokenForm(request.POST, prefix="token")
    try:
        values = _cleaned(form)
        token, secret = actions.token_create(
            _person(request), values["name"], values["scopes"], expires_at=form.expires_at()
        )
    except InvalidInput as error:
        return _profile_page(request, status=_refuse(form, error), token_form=form)
    return _profile_page(request, status=201, new_token=token, secret=secret)


@login_required
@require_POST
def token_revoke(request: HttpRequest, token_id: UUID) -> HttpResponse:
    _or_404(lambda: actions.token_revoke(_person(request), token_id))
    messages.success(request, _("The token is revoked. What used it is refused from now on."))
    return redirect(PROFILE)


@login_required
@require_POST
def workspace_switch(request: HttpRequest) -> HttpResponse:
    wanted = _uuid(request.POST.get("workspace", ""))
    _or_404(lambda: current.choose(request, wanted))
    return redirect(next_url(request))


def _profile_page(request: HttpRequest, *, status: int = 200, **context: Any) -> HttpResponse:
    user = _person(request)
    try:
        workspace = current.workspace_for(request)
    except NotAllowed:
        workspace = None  # the page says so; one's own profile needs no workspace
    defaults = {
        "profile_form": ProfileForm.of(user),
        "password_form": PasswordForm(prefix="password"),
        "token_form": TokenForm(prefix="token"),
        "tokens": selectors.tokens_of(user),
        "workspaces": access.workspaces_of(user),
        "workspace": workspace,
        "roles": selectors.roles_in(user, workspace) if workspace else [],
    }
    return render(request, "accounts/profile.html", defaults | context, status=status)


def _person(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise NotSignedIn(_("Sign in first."))
    return request.user


def _cleaned(form: forms.Form) -> dict[str, Any]:
    """Return the parsed values. Raises InvalidInput (the form has its errors already)."""
    if not form.is_valid():
        raise InvalidInput(_("Please correct the marked fields."), shown=True)
    return form.cleaned_data


def _refuse(form: forms.Form, error: MandateError, names: dict[str, str] | None = None) -> int:
    if not error.data.get("shown"):
        add_error(form, error, names)
    return error.status


def _or_404(act: Callable[[], object]) -> None:
    try:
        act()
    except NotFound as error:
        raise Http404(str(error)) from error


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise Http404 from error
