"""The signed-in person's language and time zone."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from accounts.models import User


class UserLocaleMiddleware:
    """Renders in the person's language and time zone.

    Without a signed-in person the language stays what LocaleMiddleware found (cookie, Accept-Language).
    Stands after AuthenticationMiddleware. What was active before is active again afterwards, so that
    nothing leaks to the next request of the thread.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        zone = ZoneInfo(user.time_zone) if isinstance(user, User) else None
        language = user.language if isinstance(user, User) else translation.get_language()
        with timezone.override(zone), translation.override(language):
            request.LANGUAGE_CODE = language or settings.LANGUAGE_CODE
            response = self.get_response(request)
            response.headers.setdefault("Content-Language", request.LANGUAGE_CODE)
            return response
