"""The server: threads, sockets and scripted turns."""

import json
import ssl
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.loopback import rules, turns
from tests.loopback.turns import Pace, Turn

Answer = Callable[[Mapping[str, Any]], Turn]


@dataclass(frozen=True)
class Received:
    """A request as it came in."""

    payload: Mapping[str, Any]
    headers: Mapping[str, str]
    body: bytes


class ModelServer:
    """Answers each chat completion with the next scripted turn, on 127.0.0.1 and a free port.

    With `answer`, that function answers once the script is used up. Requests that break a rule are answered
    400 and use up no turn. `received` are the accepted requests, `refused` the sentences of the others.
    As a context manager it fails when turns are left over or were missing.
    """

    def __init__(
        self,
        *script: Turn,
        answer: Answer | None = None,
        extra_rules: tuple[rules.Rule, ...] = (),
        port: int = 0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._script = list(script)
        self._answer = answer
        self._rules = (*rules.ALWAYS, *extra_rules)
        self._lock = threading.Lock()
        self.received: list[Received] = []
        self.refused: list[str] = []
        self.problems: list[str] = []
        self.connections = 0
        self.stopping = threading.Event()
        self._http = _Http(("127.0.0.1", port), self)
        self._scheme = "http"
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
            self._scheme = "https"
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.02,), name="loopback-model", daemon=True
        )

    @property
    def base_url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._http.server_address[1]}/v1"

    def add(self, *script: Turn) -> None:
        with self._lock:
            self._script.extend(script)

    def turn_for(self, request: Received) -> Turn:
        """The answer to one request."""
        problem = next((found for rule in self._rules if (found := rule(request.payload))), None)
        with self._lock:
            if problem is not None:
                self.refused.append(problem)
                return turns.status(400, problem)
            self.received.append(request)
            if self._script:
                return self._script.pop(0)
        if self._answer is not None:
            return self._answer(request.payload)
        self.problems.append(f"Request {len(self.received)} has no turn in the script.")
        return turns.status(500, "no turn left")

    def start(self) -> Self:
        self._thread.start()
        return self

    def stop(self) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if kind is None:
            left = [f"{len(self._script)} turns were never asked for."] if self._script else []
            if problems := self.problems + left:
                raise AssertionError("\n".join(problems))


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], model: ModelServer) -> None:
        self.model = model
        super().__init__(address, _Handler)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        self.model.connections += 1
        return True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left is none of our business; anything else fails the test."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            self.model.problems.append(repr(error))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def log_message(self, *args: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        known = self.path.rstrip("/").endswith("/models")
        listed = {"object": "list", "data": [{"id": turns.MODEL, "object": "model", "owned_by": "tests"}]}
        self._send(turns.document(listed) if known else turns.status(404))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.path.endswith("/v1/chat/completions"):
            self._send(turns.status(404, f"no such address: {self.path}"))
            return
        try:
            payload = json.loads(body)
        except ValueError:
            self._send(turns.status(400, "We could not parse the JSON body of your request."))
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._send(self.server.model.turn_for(Received(payload, headers, body)))

    def _send(self, turn: Turn) -> None:
        if turn.drop:
            self.close_connection = True
            return
        self._send_head(turn)
        for piece in turn.pieces:
            if isinstance(piece, Pace):
                if self.server.model.stopping.wait(piece.seconds):
                    break
            elif piece:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if turn.whole:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True

    def _send_head(self, turn: Turn) -> None:
        headers = {"Content-Type": turn.content_type, "Transfer-Encoding": "chunked", **turn.headers}
        lines = [f"HTTP/1.1 {turn.status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        if not turn.header_pace:
            self.wfile.write(head)
            return
        for byte in head:
            self.wfile.write(bytes((byte,)))
            if self.server.model.stopping.wait(turn.header_pace):
                return
