"""Several connections at once."""

import threading
from collections.abc import Callable

from django.db import connection


def together(count: int, work: Callable[[int], object]) -> list[object]:
    """Run `work` in threads that start at the same moment; what each gave or raised."""
    results: list[object] = [None] * count
    start = threading.Barrier(count)

    def one(index: int) -> None:
        start.wait(20)
        try:
            results[index] = work(index)
        except Exception as error:  # noqa: BLE001 - handed to the test
            results[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results
