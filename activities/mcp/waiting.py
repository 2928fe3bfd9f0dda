"""Waiting for a server from a thread that does other things too: looks up now and then whether it should."""

from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as NotYet
from typing import TypeVar

from anyio.from_thread import start_blocking_portal

T = TypeVar("T")
#: How often it is asked whether somebody still waits for the answer.
LOOK_UP_SECONDS = 1.0


class Stopped(Exception):
    """Nobody waits for the answer any more; the exchange was broken off."""


def wait_for(do: Callable[[], Awaitable[T]], stopped: Callable[[], bool] = lambda: False) -> T:
    """Run `do` in an event loop of its own, in a thread of its own, and return what it returns.

    The calling thread, which may hold a database connection, asks `stopped` about once a second. Raises
    Stopped.
    """
    with start_blocking_portal() as portal:
        future = portal.start_task_soon(do)
        while True:
            try:
                return future.result(LOOK_UP_SECONDS)
            except NotYet:
                if future.done():
                    raise  # a timeout of its own
                if stopped():
                    future.cancel()
            except CancelledError:
                raise Stopped from None
