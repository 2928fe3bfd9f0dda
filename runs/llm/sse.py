"""Server-sent events as chat completions use them: the data of each event, from pieces cut anywhere."""

from collections.abc import Iterator

_BOM = b"\xef\xbb\xbf"


class EventReader:
    """Turns pieces of a byte stream into the data of its events.

    Comments, keep-alives, names and ids of events are left out. Bytes become text a whole line at a time, so
    a character may be cut in two by the pieces. `pending` is the size of what has not become an event yet.
    """

    def __init__(self) -> None:
        self._bytes = b""
        self._data: list[str] = []
        self._data_size = 0
        self._first = True

    @property
    def pending(self) -> int:
        return len(self._bytes) + self._data_size

    def feed(self, piece: bytes) -> Iterator[str]:
        lines = (self._bytes + piece).replace(b"\r\n", b"\n").split(b"\n")
        self._bytes = lines.pop()
        for line in lines:
            yield from self._line(line)

    def end(self) -> Iterator[str]:
        """The last event, when the stream ended without the blank line that closes one."""
        if self._bytes:
            yield from self._line(self._bytes)
            self._bytes = b""
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[str]:
        if self._first:
            line, self._first = line.removeprefix(_BOM), False
        if not line and self._data:
            data, self._data, self._data_size = "\n".join(self._data), [], 0
            yield data
        elif line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" ").decode("utf-8", "replace"))
            self._data_size += len(line)
