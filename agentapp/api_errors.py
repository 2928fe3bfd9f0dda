"""How the API says no: one shape for every failure, `{"error": {"code", "message", "data"}}`.

Programs read `code`, people read `message`, `data` says where or how long. Nothing else builds an error
answer of the API, and none carries a stack trace.
"""

import logging
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from pydantic import BaseModel, Field

from agentapp.kernel.canonical import plain
from agentapp.kernel.errors import InvalidInput, MandateError, Misconfigured, NotFound, NotSignedIn
from agentapp.kernel.ids import uuid7
from agentapp.kernel.text import clean_text, shorten

logger = logging.getLogger(__name__)

#: How many bad fields one answer names, and how much of a sender's own key it repeats.
_MOST_FIELDS = 20
_MOST_KEY = 60


class ErrorBody(BaseModel):
    """What went wrong."""

    code: str = Field(description="Stable; for programs.")
    message: str = Field(description="A whole sentence in the person's language.")
    data: dict[str, Any] = Field(
        default_factory=dict,
        description="For example `fields` (name to sentence) or `retry_after` (seconds).",
    )


class ErrorAnswer(BaseModel):
    """The shape of every answer that is not a success."""

    error: ErrorBody


class BadRequest(InvalidInput):
    """The request itself is not one that can be read."""

    code = "bad_request"
    status = 400


class NotJson(InvalidInput):
    """The body is not the JSON it has to be."""

    code = "not_json"
    status = 400


class BodyTooLarge(InvalidInput):
    code = "body_too_large"
    status = 413


class WrongMediaType(InvalidInput):
    code = "unsupported_media_type"
    status = 415


class MethodNotAllowed(MandateError):
    code = "method_not_allowed"
    status = 405


class DatabaseUnavailable(MandateError):
    code = "database_unavailable"
    status = 503


class Internal(MandateError):
    """A defect of ours. The reference is in the log, beside the trace."""

    code = "internal"
    status = 500


def answer(error: MandateError) -> HttpResponse:
    """Return the answer for `error`, with the headers its status asks for."""
    data = _data(error.data, str(error.message))
    body = ErrorBody(code=data.pop("reason", error.code), message=str(error.message), data=data)
    response = JsonResponse(ErrorAnswer(error=body).model_dump(), status=error.status)
    if error.status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="api"'
    if wait := data.get("retry_after") or 60 * data.get("minutes", 0):
        response["Retry-After"] = str(wait)
    return response


def _data(data: Mapping[str, Any], sentence: str) -> dict[str, Any]:
    """Return `data` as JSON can hold it; a sentence that is translated late is translated now."""
    found = {key: _late(value) for key, value in data.items()}
    if "field" in found:
        found["fields"] = {found.pop("field"): sentence}
    return found


def _late(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _late(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_late(item) for item in value]
    try:
        return plain(value)
    except TypeError:
        return str(value)


def translate(error: Exception) -> MandateError:
    """Return the failure as one of ours. What nobody expected becomes `internal`, and is logged."""
    if isinstance(error, MandateError) and not isinstance(error, Misconfigured):
        return error
    if isinstance(error, ValidationError):
        return InvalidInput(_("Some of what was sent cannot be used."), fields=fields_of(error.errors))
    if isinstance(error, Http404):
        return not_found()
    if isinstance(error, HttpError):
        return _of_framework(error)
    return _of_django(error) or _unexpected(error)


def _of_framework(error: HttpError) -> MandateError:
    # The framework wraps what our parser raised; the cause is what the sender can act on.
    if isinstance(error.__cause__, MandateError):
        return error.__cause__
    if isinstance(error, AuthenticationError):
        return NotSignedIn(_("Sign in, or send a personal token."))
    return bad_request()


def _of_django(error: Exception) -> MandateError | None:
    if isinstance(error, RequestDataTooBig):
        return BodyTooLarge(_("The body is too large."))
    if isinstance(error, SuspiciousOperation):
        return bad_request()
    if isinstance(error, PermissionDenied):
        return not_found()
    if isinstance(error, OperationalError | InterfaceError):
        logger.error("The database did not answer: %s", error)
        return DatabaseUnavailable(
            _("The service is starting again. Try once more in a moment."), retry_after=2
        )
    return None


def _unexpected(error: Exception) -> MandateError:
    reference = str(uuid7())
    logger.error("API failure %s", reference, exc_info=error)
    return Internal(_("Something went wrong on our side. Nothing more was done."), reference=reference)


def bad_request() -> BadRequest:
    """What is wrong with it is the sender's business; the details are in the log."""
    return BadRequest(_("This request cannot be used."))


def not_found() -> NotFound:
    """Missing and invisible are one answer, and so is an id that cannot be one."""
    return NotFound(_("There is no such thing here."))


def fields_of(errors: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return name → sentence, without repeating values that were sent."""
    found = {_name(item["loc"]): _sentence(item) for item in errors}
    return dict(list(found.items())[:_MOST_FIELDS])


def _name(location: Iterable[str | int]) -> str:
    """Drop where the framework looked ("body", the argument's name): what is left is the sender's name."""
    source, *path = location
    named = path[1:] if source == "body" else path
    return shorten(clean_text(".".join(map(str, named))), _MOST_KEY) or str(source)


def _sentence(item: Mapping[str, Any]) -> str:
    known = {
        "missing": _("This is required."),
        "extra_forbidden": _("This is not known here."),
        "string_too_short": _("This is too short."),
        "string_too_long": _("This is too long."),
        "uuid_parsing": _("This is not an identifier."),
        "uuid_type": _("This is not an identifier."),
        "string_unicode": _("This text has characters that are not valid."),
    }
    return known.get(item["type"]) or shorten(str(item["msg"]), 300)


def install(api: NinjaAPI) -> None:
    """Make every failure inside a route answer in the one shape."""
    for kind in (Exception, HttpError, ValidationError, Http404):
        api.add_exception_handler(kind, _handle)


def _handle(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    known = translate(error if isinstance(error, Exception) else error())
    if isinstance(known, Internal):
        got_request_exception.send(sender=_handle, request=request)
    return answer(known)
