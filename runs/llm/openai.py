"""A model behind any endpoint that speaks chat completions.

The SDK gives the client: address, key, headers, connections. Its request types and its accumulator stay out
of the way: it would walk the whole request again for every call, and join calls that only share an index.
"""

import logging
import time
from collections.abc import Callable, Iterator

import httpx2
import openai

from agentapp.kernel.errors import ModelUnavailable
from agentapp.kernel.sdk_client import sdk_client
from agentapp.kernel.transport import Budget, refusal_text
from runs.llm import wire
from runs.llm.base import Delta, ModelCancelled, ModelRequest
from runs.llm.deltas import ReplyBuilder
from runs.llm.failures import Failure, failure_of_status, unavailable
from runs.llm.profiles import FORM_REFUSED, Profile, adapted, profile_for
from runs.llm.reading import read_reply
from runs.llm.retry import pause_before_retry, retry_after

log = logging.getLogger("runs.llm")

OPENAI_ADDRESS = "https://api.openai.com/v1"
#: Everything one try may read from the network.
MAX_BYTES = 16_000_000
_MAX_FORMS = 8
#: A reply may hold this many characters for each token it was allowed, and some for short limits.
_CHARACTERS_PER_TOKEN = 16
_SPARE_CHARACTERS = 4_096


class OpenAIModel:
    """Streams from one endpoint. Safe to use from many threads; holds its connections for all of them."""

    def __init__(
        self,
        *,
        model: str,
        api_key: str | None = None,
        base_url: str | None = None,
        profile: Profile | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = model
        self._address = base_url or OPENAI_ADDRESS
        self._profile = profile or profile_for(self._address)
        self._wait = wait
        parts = sdk_client(self._address, api_key, variable="OPENAI_API_KEY", refuse=_refuse_bad_status)
        self._client = openai.OpenAI(**parts)

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Yield deltas, ending with one FinishDelta.

        Raises ModelCancelled, and ModelUnavailable with `reason` and `retryable` in its data. Tries again at
        most twice, inside `request.timeout_seconds` altogether, and never after the first delta was handed
        out.
        """
        budget = Budget(request.timeout_seconds)
        retries = 0
        while True:
            handed_out = False
            try:
                for delta in self._attempt(request, budget.seconds):
                    handed_out = True
                    yield delta
                return
            except ModelUnavailable as error:
                if request.cancelled():
                    raise ModelCancelled from error
                pause = None if handed_out else pause_before_retry(error, retries, budget.seconds)
                if pause is None:
                    raise
            retries += 1
            log.info("asking the model again in %.1f s (%d)", pause, retries)
            self._wait(pause)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _attempt(self, request: ModelRequest, seconds: float) -> Iterator[Delta]:
        budget = Budget(seconds, MAX_BYTES, request.cancelled)
        room = request.max_output_tokens * _CHARACTERS_PER_TOKEN + _SPARE_CHARACTERS
        builder = ReplyBuilder(max_characters=room, names=wire.names(request.functions))
        response = self._send(request, budget)
        try:
            yield from read_reply(response, budget, builder)
        finally:
            response.close()

    def _send(self, request: ModelRequest, budget: Budget) -> httpx2.Response:
        """Send the request; where its form is refused, in another one, kept when that was accepted."""
        profile = self._profile
        for _form in range(_MAX_FORMS):
            try:
                response = self._post(wire.body(request, self.name, profile), budget)
            except _RefusedError as refusal:
                profile = _other_form(profile, refusal)
            else:
                self._remember(profile)
                return response
        raise unavailable(Failure.REFUSED)

    def _post(self, content: bytes, budget: Budget) -> httpx2.Response:
        try:
            with budget.active():
                return self._client.post(
                    "/chat/completions",
                    cast_to=httpx2.Response,
                    content=content,
                    options={"timeout": budget.timeout(), "headers": _HEADERS},
                    stream=True,
                    stream_cls=openai.Stream[object],
                )  # type: ignore[return-value]  # a response is returned as it is, whatever the stream class
        except openai.APITimeoutError as error:
            raise unavailable(Failure.TIMEOUT) from error
        except openai.APIConnectionError as error:
            failure = Failure.TOO_LARGE if budget.is_overspent else Failure.UNREACHABLE
            raise unavailable(failure, detail=str(error.__cause__ or error)) from error

    def _remember(self, profile: Profile) -> None:
        if profile != self._profile:
            log.info("the model's endpoint takes requests in this form: %s", profile)
            self._profile = profile


_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "text/event-stream",
    # An answer that unpacks to a thousand times its size is not worth the bytes saved.
    "Accept-Encoding": "identity",
}


class _RefusedError(Exception):
    """An answer with an error status, its body read only as far as it can be useful."""

    def __init__(self, status: int, body: str, pause: float | None) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.body = body
        self.pause = pause

    def as_unavailable(self) -> ModelUnavailable:
        failure = failure_of_status(self.status, self.body)
        return unavailable(failure, status=self.status, retry_after=self.pause, detail=self.body)


def _other_form(profile: Profile, refusal: _RefusedError) -> Profile:
    """Another form to try; ModelUnavailable when nothing named can be said differently."""
    changed = adapted(profile, refusal.body) if refusal.status in FORM_REFUSED else None
    if changed is None:
        raise refusal.as_unavailable() from refusal
    return changed


def _refuse_bad_status(response: httpx2.Response) -> None:
    """Turn an error status into :class:`_RefusedError` before the SDK reads the whole body, however large."""
    if response.status_code < 300:
        return
    raise _RefusedError(response.status_code, refusal_text(response), retry_after(response.headers))
