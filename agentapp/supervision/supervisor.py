"""Runs the children until a signal asks to stop."""

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

from agentapp.supervision.child import Child
from agentapp.supervision.errors import CannotServe

POLL_SECONDS = 0.2
GRACE_SECONDS = 6.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Supervisor:
    """Use as a context: children run inside the block, and none is left after it."""

    def __init__(self, children: list[Child], look_after: Callable[[], None] = lambda: None) -> None:
        self.children = children
        #: Called in every round; brings back what is not a child (the embedded database).
        self.look_after = look_after
        self.stopping = threading.Event()

    def __enter__(self) -> "Supervisor":
        for number in SIGNALS:
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # nohup
                signal.signal(number, self._on_signal)
        for child in self.children:
            child.start()
        return self

    def __exit__(self, *exception: object) -> None:
        deadline = time.monotonic() + GRACE_SECONDS
        for child in self.children:
            child.ask_to_stop()
        for child in self.children:
            child.wait_or_kill(deadline)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.stopping.set()

    def wait_until(self, ready: Callable[[], bool], seconds: float) -> bool:
        """True when ``ready``; False when asked to stop first; raises when a child dies or time is over."""
        deadline = time.monotonic() + seconds
        while not self.stopping.is_set():
            if ready():
                return True
            self._require_alive()
            if time.monotonic() > deadline:
                raise CannotServe(f"The site did not answer within {seconds:.0f} seconds.")
            self.stopping.wait(POLL_SECONDS)
        return False

    def _require_alive(self) -> None:
        for child in self.children:
            if child.exit_code is not None:
                raise CannotServe(f"The {child.name} ended at its start with exit code {child.exit_code}.")

    def run(self) -> None:
        """Until a signal comes."""
        while not self.stopping.wait(POLL_SECONDS):
            self.look_after()
            for child in self.children:
                child.revive()
