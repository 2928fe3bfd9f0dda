"""What a process keeps for its whole life is not looked through for garbage again and again."""

import gc


def keep_what_is_loaded() -> None:
    """Take all that is in memory now, after loading, as there to stay: code, models, settings, vectors.

    Each of the collector's full rounds would walk through it, which costs a worker a tenth of its time.
    """
    gc.collect()
    gc.freeze()
