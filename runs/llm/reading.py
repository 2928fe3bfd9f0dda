"""From an HTTP response to deltas: what kind of answer it is, its pieces, and where it must end."""

import logging
from collections.abc import Iterator

import httpx2

from runs.llm import exact
from runs.llm.base import Delta
from runs.llm.deltas import ReplyBuilder
from runs.llm.failures import Failure, unavailable
from runs.llm.sse import EventReader
from runs.llm.transport import Budget

log = logging.getLogger("runs.llm")

#: One event, or one answer that is not streamed, may not be larger.
MAX_EVENT_BYTES = 4_000_000
#: After the endpoint said that it ended, usage and the end mark get this long.
_GRACE_SECONDS = 2.0
_END_MARK = "[DONE]"


def read_reply(response: httpx2.Response, budget: Budget, builder: ReplyBuilder) -> Iterator[Delta]:
    """Yield the reply's deltas. Raises ModelUnavailable for whatever is no whole reply."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if "html" in kind or kind.startswith(("image/", "audio/", "video/")):
        raise unavailable(Failure.NOT_A_COMPLETION, status=response.status_code)
    if kind.endswith("json") and "ndjson" not in kind:
        yield from builder.feed(_whole_document(response, budget, builder))
        builder.done()
    else:
        yield from _read_events(response, budget, builder)
    yield from builder.finish()


def _read_events(response: httpx2.Response, budget: Budget, builder: ReplyBuilder) -> Iterator[Delta]:
    for data in _events(_pieces(response, budget, builder)):
        if data.startswith(_END_MARK):
            builder.done()
            return
        yield from builder.feed(_parsed(data))
        if builder.is_overfull:
            log.warning("the model wrote more than it was asked for; the rest was left out")
            return
        if builder.has_ended:
            budget.at_most(_GRACE_SECONDS)


def _events(pieces: Iterator[bytes]) -> Iterator[str]:
    reader = EventReader()
    for piece in pieces:
        yield from reader.feed(piece)
        if reader.pending > MAX_EVENT_BYTES:
            raise unavailable(Failure.TOO_LARGE)
    yield from reader.end()


def _pieces(response: httpx2.Response, budget: Budget, builder: ReplyBuilder) -> Iterator[bytes]:
    """The body as it arrives. A break after the endpoint said it ended breaks nothing any more."""
    pieces = response.iter_bytes()
    while True:
        try:
            with budget.active():
                piece = next(pieces, None)
        except httpx2.HTTPError as error:
            if builder.has_ended:
                return
            raise unavailable(_broken(error, budget), detail=str(error)) from error
        if piece is None:
            return
        yield piece


def _whole_document(response: httpx2.Response, budget: Budget, builder: ReplyBuilder) -> object:
    """The answer of an endpoint that does not stream."""
    whole = bytearray()
    for piece in _pieces(response, budget, builder):
        whole += piece
        if len(whole) > MAX_EVENT_BYTES:
            raise unavailable(Failure.TOO_LARGE)
    return _parsed(whole.decode("utf-8", "replace"))


def _parsed(data: str) -> object:
    try:
        return exact.loads(data)
    except ValueError as error:
        raise unavailable(Failure.NOT_A_COMPLETION, detail=data) from error


def _broken(error: httpx2.HTTPError, budget: Budget) -> Failure:
    if budget.is_overspent:
        return Failure.TOO_LARGE
    return Failure.TIMEOUT if isinstance(error, httpx2.TimeoutException) else Failure.HALF_STREAM
