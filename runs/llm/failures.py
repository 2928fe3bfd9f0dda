"""Why an endpoint gave no answer, in words an operator can act on. No sentence repeats what it sent."""

import logging
import re
from enum import StrEnum

from django.utils.translation import gettext_lazy as _

from agentapp.kernel.errors import ModelUnavailable
from agentapp.kernel.redaction import redacted

log = logging.getLogger("runs.llm")


class Failure(StrEnum):
    """What went wrong with one call to the endpoint; kept as `data["reason"]`."""

    UNREACHABLE = "unreachable"  #: No connection, or it broke.
    TIMEOUT = "timeout"  #: The time this call had is over.
    UNAUTHORISED = "unauthorised"  #: The key is not accepted.
    FORBIDDEN = "forbidden"  #: The key may not do this.
    NOT_FOUND = "not_found"  #: No such model or address.
    REDIRECTED = "redirected"  #: The address is another one; the key is not sent after it.
    RATE_LIMITED = "rate_limited"  #: Too many requests, or the account is used up.
    REFUSED = "refused"  #: The request itself is not accepted.
    TOO_LONG = "too_long"  #: The request holds more than the model reads.
    SERVER_ERROR = "server_error"  #: The endpoint failed.
    ENDPOINT_ERROR = "endpoint_error"  #: It said so inside an answer that began well.
    NOT_A_COMPLETION = "not_a_completion"  #: Something answered, but not a model.
    HALF_STREAM = "half_stream"  #: The answer broke off.
    NO_CHOICES = "no_choices"  #: An answer without an answer in it.
    TOO_LARGE = "too_large"  #: More bytes than any answer needs.


#: Trying again can help.
RETRYABLE = frozenset(
    {
        Failure.UNREACHABLE,
        Failure.TIMEOUT,
        Failure.RATE_LIMITED,
        Failure.SERVER_ERROR,
        Failure.ENDPOINT_ERROR,
        Failure.NOT_A_COMPLETION,
        Failure.HALF_STREAM,
        Failure.NO_CHOICES,
    }
)


#: What to tell the operator: what happened, and what to set.
_SENTENCES = {
    Failure.UNREACHABLE: _(
        "The model's endpoint cannot be reached. Check that it runs, and that OPENAI_BASE_URL is its address."
    ),
    Failure.TIMEOUT: _(
        "The model's endpoint did not finish in time. Check its load, or set OPENAI_TIMEOUT_SECONDS higher."
    ),
    Failure.UNAUTHORISED: _(
        "The model's endpoint does not accept the key. Set OPENAI_API_KEY to a key of the endpoint at "
        "OPENAI_BASE_URL."
    ),
    Failure.FORBIDDEN: _(
        "The model's endpoint does not let this key use the model. Set OPENAI_MODEL to one it may use, or "
        "OPENAI_API_KEY to a key that has the right."
    ),
    Failure.NOT_FOUND: _(
        "The model's endpoint knows no such model or address. Set OPENAI_MODEL to a model it serves, and "
        "OPENAI_BASE_URL to its address up to and including /v1."
    ),
    Failure.REDIRECTED: _(
        "The model's endpoint points to another address. Set OPENAI_BASE_URL to the final one."
    ),
    Failure.RATE_LIMITED: _(
        "The model's endpoint takes no more requests for now. Try again later, or raise the limits of the "
        "account behind OPENAI_API_KEY."
    ),
    Failure.REFUSED: _(
        "The model's endpoint does not accept the request. Check that OPENAI_MODEL can call functions; "
        "the log has the endpoint's words."
    ),
    Failure.TOO_LONG: _(
        "The request holds more than the model can read. Set OPENAI_MODEL to a model with a larger "
        "context, or lower the activity's context limit."
    ),
    Failure.SERVER_ERROR: _(
        "The model's endpoint failed. Check the endpoint at OPENAI_BASE_URL, or try again."
    ),
    Failure.ENDPOINT_ERROR: _(
        "The model's endpoint reported an error instead of an answer. Check the endpoint at OPENAI_BASE_URL."
    ),
    Failure.NOT_A_COMPLETION: _(
        "What answers at OPENAI_BASE_URL is no chat completions endpoint. Set OPENAI_BASE_URL to the "
        "model's address, up to and including /v1."
    ),
    Failure.HALF_STREAM: _(
        "The model's answer broke off. Check the connection to the endpoint at OPENAI_BASE_URL, or try again."
    ),
    Failure.NO_CHOICES: _(
        "The model's endpoint sent an empty answer. Check that OPENAI_MODEL is a chat model."
    ),
    Failure.TOO_LARGE: _(
        "The model's endpoint sent far more than was asked for. Check that OPENAI_BASE_URL is a model's "
        "address."
    ),
}


def unavailable(
    failure: Failure, *, status: int | None = None, retry_after: float | None = None, detail: str = ""
) -> ModelUnavailable:
    """The error to raise. `detail` is the endpoint's own words: for the log, never for the message."""
    log.warning("model endpoint: %s, status %s: %s", failure.value, status, redacted(detail))
    return ModelUnavailable(
        str(_SENTENCES[failure]),
        reason=failure.value,
        retryable=failure in RETRYABLE,
        status=status,
        retry_after=retry_after,
    )


def failure_of_status(status: int, body: str) -> Failure:
    """What an answer with this status, and these words, means."""
    if status in (400, 413, 422) and re.search(
        r"(?i)context.{0,20}(length|window|size)|too (long|large)", body
    ):
        return Failure.TOO_LONG
    named = {401: Failure.UNAUTHORISED, 403: Failure.FORBIDDEN, 404: Failure.NOT_FOUND, 408: Failure.TIMEOUT}
    if status in named:
        return named[status]
    if status in (409, 425, 429):
        return Failure.RATE_LIMITED
    if status >= 500:
        return Failure.SERVER_ERROR
    return Failure.REDIRECTED if 300 <= status < 400 else Failure.REFUSED
