"""An endpoint of embeddings on this machine: vectors by the words of a text, and every way to go wrong."""

import json
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from agentapp.kernel.text import words

SIZE = 64


def vector_of(text: str, size: int = SIZE) -> list[float]:
    """The same words, the same vector; words in common, vectors near each other."""
    found = [0.01] * size
    for word in words(text):
        found[zlib.crc32(word.encode()) % size] += 1.0
    return found


class EmbeddingServer:
    """Answers as `mood` says: well, html, refuse, fail, short, nan, endless, zero, text, fewer, slow or
    drip.

    `asked` has the texts of each request.
    """

    def __init__(self) -> None:
        self.mood = "well"
        self.size = SIZE
        self.asked: list[list[str]] = []
        self.keys: list[str] = []
        self.stopping = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._http.block_on_close = False

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @contextmanager
    def running(self) -> Iterator["EmbeddingServer"]:
        thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.stopping.set()
            self._http.shutdown()
            self._http.server_close()
            thread.join()

    def answer(self, texts: list[str]) -> tuple[int, str, bytes]:
        match self.mood:
            case "html":
                return 200, "text/html", b"<!doctype html><h1>Sign in</h1>"
            case "refuse":
                return 401, "application/json", b'{"error": {"message": "Incorrect API key provided"}}'
            case "fail":
                return 500, "text/plain", b"oops"
        return 200, "application/json", json.dumps({"object": "list", "data": self._data(texts)}).encode()

    def _data(self, texts: list[str]) -> list[dict[str, Any]]:
        rows = [vector_of(text, self.size) for text in texts]
        match self.mood:
            case "short":
                rows = [row[:-1] for row in rows]
            case "nan":
                rows[0][0] = float("nan")
            case "endless":
                rows[0][0] = float("inf")
            case "zero":
                rows[0] = [0.0] * self.size
            case "text":
                rows[0][0] = "a"  # type: ignore[call-overload]
            case "fewer":
                rows = rows[:-1]
        listed = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
        # The order of an answer is told by its indexes alone.
        return listed[::-1]


def _handler(server: EmbeddingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            """Quiet."""

        def do_POST(self) -> None:
            payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.asked.append(payload["input"])
            server.keys.append(self.headers.get("Authorization", ""))
            if server.mood == "slow":
                server.stopping.wait(30)
            status, kind, body = server.answer(payload["input"])
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self._write(body)

        def _write(self, body: bytes) -> None:
            if server.mood != "drip":
                self.wfile.write(body)
                return
            for byte in body:
                self.wfile.write(bytes((byte,)))
                if server.stopping.wait(0.05):
                    return

    return Handler
