"""The one API: `/api/v1`, the same actions for programs.

Routes are written in each app's `api.py`; here they are joined, and what is common to all of them is
done once: strict bodies, one error shape, HEAD for GET, no caching, the caller's language.
"""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.urls import URLPattern, URLResolver, re_path
from django.utils import timezone, translation
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from accounts.api import router as accounts_router
from accounts.api import signed_in
from accounts.models import Scope
from agentapp import api_errors
from agentapp.api_json import StrictParser
from agentapp.middleware import COMMON, HEADER, policy_text
from runs.api import router as runs_router
from runs.api_inbox import router as inbox_router

View = Callable[..., HttpResponse]

#: The documentation page writes its styles from its script; nothing comes from another host.
DOCS_POLICY = policy_text(COMMON | {"script-src": "'self'", "style-src": "'self' 'unsafe-inline'"})
DESCRIPTION = """
Everything a person does in the chat, for programs. A call acts as the person whose session or personal
token it carries: it sees what they see and may what they may.

- **Who**: `Authorization: Bearer mandate_…` (a personal token from the profile page, with the scopes *read*,
  *write*, *decide*), or the browser's session with its CSRF token in `X-CSRFToken`.
- **Where**: `X-Workspace: <short name>`, needed by people who belong to several workspaces.
- **Failures**: always `{"error": {"code", "message", "data"}}`. What does not exist and what you may not
  see is the same 404.
- **Lists**: newest first; `next` is the `before` of the following page.
"""


class Api(NinjaAPI):
    """NinjaAPI whose every address answers in the one shape, also for unknown paths and methods."""

    @property
    def urls(self) -> tuple[list[URLResolver | URLPattern], str, str]:
        patterns, app_name, namespace = super().urls
        wrapped = [_wrap(item) for item in patterns if isinstance(item, URLPattern)]
        nowhere = re_path(r"^.*$", answered(_nowhere), name="nowhere")
        return [*wrapped, nowhere], app_name, namespace

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(**options)
        _describe_failures(schema)
        return schema


def _describe_failures(schema: OpenAPISchema) -> None:
    """Every operation may answer with the one error shape."""
    template = "#/components/schemas/{model}"
    described = api_errors.ErrorAnswer.model_json_schema(ref_template=template)
    schemas = schema["components"]["schemas"]
    schemas.update(described.pop("$defs"), ErrorAnswer=described)
    content = {"application/json": {"schema": {"$ref": template.format(model="ErrorAnswer")}}}
    for operations in schema["paths"].values():
        for operation in operations.values():
            described = {str(status): answer for status, answer in operation["responses"].items()}
            default = {"description": "Not done, and why", "content": content}
            operation["responses"] = {**described, "default": default}


def _wrap(item: URLPattern) -> URLPattern:
    return URLPattern(item.pattern, answered(item.callback), item.default_args, item.name)


def _nowhere(request: HttpRequest, **_kwargs: Any) -> HttpResponse:
    raise Http404


def answered(view: View) -> View:
    """Wrap one address of the API with what all of them share."""

    @wraps(view if not isinstance(view, partial) else view.func)
    def inner(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        # Authentication switches to the caller's language and zone; the thread gets its own back.
        here = timezone.get_current_timezone()
        with translation.override(translation.get_language()), timezone.override(here):
            response = _respond(view, request, kwargs)
        add_never_cache_headers(response)
        patch_vary_headers(response, ["Authorization", "Cookie", "X-Workspace"])
        return response

    inner.csrf_exempt = True  # type: ignore[attr-defined]  # sessions are checked in accounts.api
    return inner


def _respond(view: View, request: HttpRequest, kwargs: dict[str, Any]) -> HttpResponse:
    try:
        _require_json(request)
        response = _call(view, request, kwargs)
    except (Http404, api_errors.WrongMediaType) as error:
        return api_errors.answer(api_errors.translate(error))
    if isinstance(response, HttpResponseNotAllowed):
        return _not_allowed(response["Allow"])
    return response


def _call(view: View, request: HttpRequest, kwargs: dict[str, Any]) -> HttpResponse:
    """Call the view; HEAD is GET, and the server leaves the body out."""
    if request.method != "HEAD":
        return view(request, **kwargs)
    request.method = "GET"
    try:
        return view(request, **kwargs)
    finally:
        request.method = "HEAD"


def _require_json(request: HttpRequest) -> None:
    """A body is JSON and says so: a form of another site cannot."""
    announced = request.META.get("CONTENT_LENGTH") not in (None, "", "0")
    if (announced or "Transfer-Encoding" in request.headers) and request.content_type != "application/json":
        raise api_errors.WrongMediaType(_("Send JSON, with the header Content-Type: application/json."))


def _not_allowed(allow: str) -> HttpResponse:
    response = api_errors.answer(
        api_errors.MethodNotAllowed(_("This address does not do that."), allow=allow)
    )
    response["Allow"] = allow
    return response


def _with_docs_policy(view: View) -> View:
    def inner(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        response = view(request, **kwargs)
        if response["Content-Type"].startswith("text/html"):
            response[HEADER] = DOCS_POLICY
        return response

    return inner


api = Api(
    title=f"{settings.SITE_NAME} API",
    version="1",
    description=DESCRIPTION.strip(),
    urls_namespace="api",
    auth=signed_in(Scope.READ),  # a route that forgot to say what it demands is not open
    parser=StrictParser(),
    docs_decorator=_with_docs_policy,
)
api_errors.install(api)
api.add_router("", accounts_router)
api.add_router("", runs_router)
api.add_router("", inbox_router)
