"""The operator's choice to go on with another model while the endpoint gives no answer."""

import logging
import threading
import time
from collections.abc import Callable, Iterator

from agentapp.kernel.errors import ModelUnavailable
from runs.llm.base import Delta, Model, ModelRequest

log = logging.getLogger("runs.llm")

#: After a failure the first model is left alone for this long, so that not every call waits for it in vain.
REST_SECONDS = 30.0


class FallbackModel:
    """Asks `first`; when that is unavailable before its first delta, `second` answers.

    The FinishDelta names the one that answered. An answer that broke off is never continued by the other.
    """

    def __init__(self, first: Model, second: Model, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = first.name
        self._first = first
        self._second = second
        self._clock = clock
        self._lock = threading.Lock()
        self._resting_until = 0.0

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """As :meth:`runs.llm.base.Model.stream`."""
        if self._is_resting():
            yield from self._second.stream(request)
            return
        handed_out = False
        try:
            for delta in self._first.stream(request):
                handed_out = True
                yield delta
            return
        except ModelUnavailable as error:
            if handed_out:
                raise
            self._rest(error)
        yield from self._second.stream(request)

    def _is_resting(self) -> bool:
        with self._lock:
            return self._clock() < self._resting_until

    def _rest(self, error: ModelUnavailable) -> None:
        log.warning(
            "%s is unavailable (%s): %s answers", self.name, error.data.get("reason"), self._second.name
        )
        if error.data.get("retryable"):
            with self._lock:
                self._resting_until = self._clock() + REST_SECONDS
