"""What is said when a request fails outside a view: in a middleware, or in a way nobody expected.

The API's addresses answer in the API's shape there too; all others with the site's pages.
"""

import sys

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseBase
from django.template.loader import render_to_string
from django.views import csrf, defaults
from django_htmx.http import HttpResponseClientRefresh

from accounts.signin import to_sign_in
from agentapp import api_errors

_API = "/api/"


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith(_API)


def body_too_large(request: HttpRequest) -> HttpResponse:
    if _is_api(request):
        return api_errors.answer(api_errors.translate(RequestDataTooBig()))
    return HttpResponse(render_to_string("413.html"), status=413)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        return body_too_large(request)
    if _is_api(request):
        return api_errors.answer(api_errors.bad_request())
    # Django's own view reads the form to prepare a CSRF token; the form may be what cannot be read.
    return HttpResponseBadRequest(render_to_string("400.html"))


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return api_errors.answer(api_errors.not_found())
    return defaults.permission_denied(request, exception)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """The page is older than its session or lost its cookie. Where a script asked, a new page is what helps:
    what was being written is kept in the browser.
    """
    if not getattr(request, "htmx", None):
        return csrf.csrf_failure(request, reason)
    return HttpResponseClientRefresh() if request.user.is_authenticated else to_sign_in(request)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_api(request):
        return api_errors.answer(api_errors.not_found())
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    error = sys.exc_info()[1]
    if _is_api(request) and isinstance(error, Exception):
        return api_errors.answer(api_errors.translate(error))
    return defaults.server_error(request)
