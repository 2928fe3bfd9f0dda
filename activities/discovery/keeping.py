"""What a process keeps of the permitted cards for the next search: for one census of them, no longer."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from activities.discovery.census import Census

T = TypeVar("T")


class Kept(Generic[T]):
    """The things used last, each with the census it was made at, while their sizes fit into `room`.

    The last one is kept, however large. Safe to share between threads.
    """

    def __init__(self, room: int, size: Callable[[T], int]) -> None:
        self._lock = threading.Lock()
        self._things: OrderedDict[Hashable, tuple[Census, T]] = OrderedDict()
        self._room, self._size = room, size

    def get(self, key: Hashable, counted: Census) -> T | None:
        """Return what was made for `key`, unless it was made of other cards than those `counted`."""
        with self._lock:
            known = self._things.get(key)
            if known is None or known[0] != counted:
                return None
            self._things.move_to_end(key)
        return known[1]

    def add(self, key: Hashable, counted: Census, thing: T) -> None:
        with self._lock:
            self._things[key] = (counted, thing)
            self._things.move_to_end(key)
            while self._taken() > self._room and len(self._things) > 1:
                self._things.popitem(last=False)

    def forget(self) -> None:
        """Forget everything."""
        with self._lock:
            self._things.clear()

    def _taken(self) -> int:
        return sum(self._size(thing) for _counted, thing in self._things.values())
