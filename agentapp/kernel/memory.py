"""What a process keeps for its whole life is not looked through for garbage again and again."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Load in the block what stays: the collector finds nothing in it, then or later, and need not look."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def keep_what_is_loaded() -> None:
    """Take all that is in memory now, after loading, as there to stay: code, models, settings, vectors.

    Each of the collector's full rounds would walk through it, which costs a worker a tenth of its time.
    """
    gc.collect()
    gc.freeze()
