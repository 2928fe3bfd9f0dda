"""A mail server on loopback that speaks enough SMTP to fail where mail servers fail."""

import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread


class _Session(socketserver.StreamRequestHandler):
    """Answers each command; at the one named by the server's `breaks_at`, refuses or hangs up."""

    def handle(self) -> None:
        self._say("220 loopback")
        while line := self.rfile.readline():
            command = line.decode("ascii", "replace").strip().upper()
            if self.server.refuses_at and command.startswith(self.server.refuses_at):
                self._say("550 no")
            elif command == "DATA":
                self._say("354 go on")
                if not self._read_message():
                    return
                self._say("250 taken")
            elif command == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 ok")

    def _read_message(self) -> bool:
        """Read to the final dot. Returns False when the connection is to break instead of an answer."""
        message = b""
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            message += line
        self.server.messages.append(message.decode())
        return not self.server.hangs_up

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextmanager
def mail_server(*, refuses_at: str = "", hangs_up: bool = False) -> Iterator[_Server]:
    """Serve on a free port; `messages` holds what was taken."""
    with _Server(("127.0.0.1", 0), _Session) as server:
        server.messages, server.refuses_at, server.hangs_up = [], refuses_at, hangs_up
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
