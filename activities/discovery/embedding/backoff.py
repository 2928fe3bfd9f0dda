"""Not every search pays for an endpoint that does not answer."""

import threading
import time
from collections.abc import Callable

from activities.discovery.embedder import EmbedderUnavailable


class BackOff:
    """Remembers a failure for a while: 5 seconds, then twice as long each time, at most 5 minutes.

    When the while is over, one caller tries; the others are still refused until its try has ended or
    `patience` seconds have passed.
    """

    FIRST_SECONDS = 5.0
    LONGEST_SECONDS = 300.0

    def __init__(self, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience
        self._clock = clock
        self._lock = threading.Lock()
        self._failure: EmbedderUnavailable | None = None
        self._pause = 0.0
        self._until = 0.0

    def admit(self) -> None:
        """Raise the remembered failure, or let the caller try."""
        with self._lock:
            if self._failure is None:
                return
            if self._clock() < self._until:
                # A new error: the remembered one would grow by every place it passes.
                raise EmbedderUnavailable(self._failure.message, **self._failure.data)
            self._until = self._clock() + self._patience

    def failed(self, error: EmbedderUnavailable) -> None:
        with self._lock:
            self._pause = min(max(self._pause * 2, self.FIRST_SECONDS), self.LONGEST_SECONDS)
            self._until = self._clock() + self._pause
            self._failure = error

    def worked(self) -> None:
        with self._lock:
            self._failure, self._pause = None, 0.0
