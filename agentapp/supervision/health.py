"""Whether the site answers."""

import http.client
import socket
from collections.abc import Sequence

from agentapp.supervision.listening import visitor_address

ATTEMPT_SECONDS = 2.0
OK = 200


def answers(listener: socket.socket, allowed_hosts: Sequence[str]) -> bool:
    """Ask ``/healthz`` once, under a host name the site accepts."""
    host, port = visitor_address(listener)
    connection = http.client.HTTPConnection(host, port, timeout=ATTEMPT_SECONDS)
    try:
        connection.request("GET", "/healthz", headers={"Host": allowed_hosts[0].lstrip(".")})
        return connection.getresponse().status == OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
