"""The Content-Security-Policy header, and the answer to a body that was not read."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from agentapp import failures
from agentapp.bodies import TOO_LARGE

HEADER = "Content-Security-Policy"
COMMON = {
    "default-src": "'none'",
    "connect-src": "'self'",
    "font-src": "'self'",
    "img-src": "'self' data:",
    "manifest-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
#: Our pages: no inline script or style, nothing from elsewhere.
STRICT = COMMON | {"script-src": "'self'", "style-src": "'self'"}
#: The admin's theme evaluates expressions in attributes and writes inline styles.
ADMIN = COMMON | {
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",
    "style-src": "'self' 'unsafe-inline'",
}


def policy_text(policy: dict[str, str]) -> str:
    return "; ".join(f"{directive} {sources}" for directive, sources in policy.items())


class ContentSecurityPolicyMiddleware:
    """Sets the policy on every answer that has none of its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.strict = policy_text(STRICT)
        self.admin = policy_text(ADMIN)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if HEADER not in response.headers:
            in_admin = request.path.startswith(reverse("admin:index"))
            response.headers[HEADER] = self.admin if in_admin else self.strict
        return response


class BodyLimitMiddleware:
    """Answers a request whose body was too large to be read, in the person's language."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if TOO_LARGE in getattr(request, "scope", {}):
            return failures.body_too_large(request)
        return self.get_response(request)
