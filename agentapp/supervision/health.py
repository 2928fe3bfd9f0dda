"""Whether the site answers."""

import http.client
from collections.abc import Sequence

ATTEMPT_SECONDS = 2.0
OK = 200


def answers(address: tuple[str, int], allowed_hosts: Sequence[str]) -> bool:
    """Ask ``/healthz`` once, under a host name the site accepts."""
    connection = http.client.HTTPConnection(*address, timeout=ATTEMPT_SECONDS)
    try:
        connection.request("GET", "/healthz", headers={"Host": allowed_hosts[0].lstrip(".")})
        return connection.getresponse().status == OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
