"""Servers that nobody wrote with an SDK: each request is answered as a test says."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Handler", dict[str, Any]], None]
GREETING = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "hostile", "version": "1"},
}


class Handler(BaseHTTPRequestHandler):
    """Reads one message and lets the behaviour answer it."""

    protocol_version = "HTTP/1.1"
    server: "Hostile"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.messages.append((body.get("method"), dict(self.headers)))
        self.close_connection = True
        try:
            self.server.behaviour(self, body)
        except (BrokenPipeError, ConnectionResetError):
            self.server.broken_off.set()

    def log_message(self, *args: Any) -> None:
        pass

    def begin(self, status: int = 200, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content_type": "application/json", "connection": "close", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        if length is not None:
            self.send_header("content-length", str(length))
        self.end_headers()

    def answer(self, body: dict[str, Any], result: Any) -> None:
        text = json.dumps({"jsonrpc": "2.0", "id": body["id"], "result": result}).encode()
        self.begin(length=len(text))
        self.wfile.write(text)


class Hostile(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, behaviour: Behaviour) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviour = behaviour
        self.messages: list[tuple[str, dict[str, str]]] = []
        #: Set at the end, for behaviours that wait.
        self.over = threading.Event()
        #: Set when the other side went away while something was written.
        self.broken_off = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/mcp"

    @property
    def methods(self) -> list[str]:
        return [method for method, _headers in self.messages]


@contextmanager
def hostile(behaviour: Behaviour) -> Iterator[Hostile]:
    """A server with this behaviour, in a thread, until the block ends."""
    server = Hostile(behaviour)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


def polite(then: Behaviour) -> Behaviour:
    """Greet as the protocol wants, and behave so from there on."""

    def behave(handler: Handler, body: dict[str, Any]) -> None:
        match body.get("method"):
            case "initialize":
                handler.answer(body, GREETING)
            case "notifications/initialized" | "notifications/cancelled":
                handler.begin(202, 0)
            case "server/discover":
                error = {"jsonrpc": "2.0", "id": body["id"], "error": {"code": -32601, "message": "unknown"}}
                text = json.dumps(error).encode()
                handler.begin(length=len(text))
                handler.wfile.write(text)
            case _:
                then(handler, body)

    return behave


def silent(handler: Handler, body: dict[str, Any]) -> None:
    """Take the request and say nothing."""
    handler.server.over.wait(30)


def dripping(handler: Handler, body: dict[str, Any]) -> None:
    """Say something now and then, and never the end of it."""
    handler.begin(length=1_000_000)
    while not handler.server.over.wait(0.05):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def endless(handler: Handler, body: dict[str, Any]) -> None:
    """Answer with more than anybody can hold."""
    handler.begin(length=10**12)
    handler.wfile.write(b'{"jsonrpc":"2.0","id":1,"result":"')
    while not handler.server.over.is_set():
        handler.wfile.write(b"a" * 65_536)


def endless_events(handler: Handler, body: dict[str, Any]) -> None:
    handler.begin(content_type="text/event-stream")
    while not handler.server.over.is_set():
        handler.wfile.write(b": still here\n\n" * 1_000)


def no_json(handler: Handler, body: dict[str, Any]) -> None:
    handler.begin(length=9)
    handler.wfile.write(b"{not json")


def packed(handler: Handler, body: dict[str, Any]) -> None:
    """Say that the answer is compressed: who unpacks it has no limit any more."""
    handler.begin(length=20, content_encoding="gzip")
    handler.wfile.write(b"\x1f\x8b" + b"\0" * 18)


def turning(handler: Handler, body: dict[str, Any]) -> None:
    """Every page of the list leads to the next one, which is the same."""
    tool = {"name": "again", "inputSchema": {"type": "object"}}
    handler.answer(body, {"tools": [tool], "nextCursor": "more"})


def away(location: str, status: int = 307) -> Behaviour:
    def behave(handler: Handler, body: dict[str, Any]) -> None:
        handler.begin(status, 0, location=location)

    return behave
