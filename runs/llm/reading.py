"""From an HTTP response to deltas: what kind of answer it is, its pieces, and where it must end."""

import logging
from collections.abc import Iterator

import httpx2

from agentapp.kernel.transport import Budget
from runs.llm import exact
from runs.llm.base import Delta
from runs.llm.deltas import ReplyBuilder
from runs.llm.failures import Failure, unavailable
from runs.llm.sse import EventReader

log = logging.getLogger("runs.llm")

#: One event, or one answer that is not streamed, may not be larger.
MAX_EVENT_BYTES = 4_000_000
#: After the endpoint said that it ended, usage and the end mark get this long.
_GRACE_SECONDS = 1.0
_READ_OUT_SECONDS = 0.25
_READ_OUT_PIECES = 8
_END_MARK = "[DONE]"


def read_reply(response: httpx2.Response, budget: Budget, builder: ReplyBuilder) -> Iterator[Delta]:
    """Yield the reply's deltas. Raises ModelUnavailable for whatever is no whole reply."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if "html" in kind or kind.startswith(("image/", "audio/", "video/")):
        raise unavailable(Failure.NOT_A_COMPLETION, status=response.status_code)
    pieces = _pieces(response, budget, builder)
    if kind.endswith("json") and "ndjson" not in kind:
        yield from builder.feed(_whole_document(pieces))
        builder.done()
    else:
        yield from _read_events(pieces, budget, builder)
    yield from builder.finish()
    _read_out(pieces, budget)


def _read_out(pieces: Iterator[bytes], budget: Budget) -> None:
    """Read the few bytes that end the body, so that the connection serves the next call as well."""
    budget.at_most(_READ_OUT_SECONDS)
    for _piece, _number in zip(pieces, range(_READ_OUT_PIECES), strict=False):
        pass


def _read_events(pieces: Iterator[bytes], budget: Budget, builder: ReplyBuilder) -> Iterator[Delta]:
    for data in _events(pieces):
        if data.startswith(_END_MARK):
            builder.done()
            return
        yield from builder.feed(_parsed(data))
        if builder.is_overfull:
            log.warning("the model wrote more than it was asked for; the rest was left out")
            return
        if builder.has_trailed_off():
            log.warning("the model's text had no end of its own; it was ended")
            return
        if builder.has_ended:
            budget.at_most(_GRACE_SECONDS)


def _events(pieces: Iterator[bytes]) -> Iterator[str]:
    reader = EventReader()
    for piece in pieces:
        yield from reader.feed(piece)
        if reader.pending > MAX_EVENT_BYTES:
            raise unavailable(Failure.TOO_LARGE)
    # A last line that was cut off is no event: it tells nothing but that the stream broke.
    yield from (data for data in reader.end() if data.startswith(_END_MARK) or exact.is_document(data))


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


def _whole_document(pieces: Iterator[bytes]) -> object:
    """The answer of an endpoint that does not stream."""
    whole = bytearray()
    for piece in pieces:
        whole += piece
        if len(whole) > MAX_EVENT_BYTES:
            raise unavailable(Failure.TOO_LARGE)
    return _parsed(whole.decode("utf-8", "replace"))


def _parsed(data: str) -> object:
    try:
        return exact.loads(data)
    except ValueError as error:
        # Their number only: what a model says is no business of the log's.
        raise unavailable(Failure.NOT_A_COMPLETION, detail=f"{len(data)} characters, no JSON") from error


def _broken(error: httpx2.HTTPError, budget: Budget) -> Failure:
    if budget.is_overspent:
        return Failure.TOO_LARGE
    return Failure.TIMEOUT if isinstance(error, httpx2.TimeoutException) else Failure.HALF_STREAM
