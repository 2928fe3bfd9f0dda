"""The web server's socket: taken by the supervisor, handed to the web server.

Taken first of all, so that a port in use is known before anything else happens and nobody else can take it
meanwhile; and kept, so that a web server that has to be restarted loses no visitor.
"""

import errno
import socket

from agentapp.supervision.errors import CannotServe

BACKLOG = 512
LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - recognised, not used


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, inheritable by the web server; raises :class:`CannotServe`."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise CannotServe(_reason(host, port, error)) from error
    listener.listen(BACKLOG)
    return listener


def _reason(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"PORT {port} on {host} is in use by another process. Stop that, or set PORT to a free one."
    if error.errno == errno.EACCES:
        return f"PORT {port} needs more rights than this account has. Set PORT=8000, for example."
    return f"HOST {host} cannot be listened on: {error.strerror}. Set HOST=127.0.0.1, for example."


def endpoint(listener: socket.socket) -> str:
    """The socket as daphne's ``--endpoint`` in a process that inherited it."""
    domain = ":domain=INET6" if listener.family == socket.AF_INET6 else ""
    return f"fd:fileno={listener.fileno()}{domain}"


def visitor_address(listener: socket.socket) -> tuple[str, int]:
    """Host and port to reach the socket from this machine."""
    host, port = listener.getsockname()[:2]
    return LOOPBACK_OF.get(host, host), port
