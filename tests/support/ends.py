"""That something comes to its end. How fast it is, the benchmarks measure."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def comes_to_an_end(seconds: float = 60) -> Iterator[None]:
    """What is done inside ends within `seconds`: many times what the slowest machine needs for it."""
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds
