"""The kill switch: a test that tries to leave this machine fails, whatever it uses to connect."""

import ipaddress
import socket
from typing import Any

INTERNET = {socket.AF_INET, socket.AF_INET6}
LOCAL_NAMES = {None, "", "localhost", b"localhost"}


class NetworkForbidden(AssertionError):
    """Something in a test wanted to reach another machine."""


def forbid() -> None:
    """For the rest of this process. Calling it again is harmless."""
    for name in ("connect", "connect_ex"):
        _guard_method(name)
    lookup = socket.getaddrinfo
    if getattr(lookup, "guarded", False):
        return

    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        _require_local(host)
        return lookup(host, *args, **kwargs)

    getaddrinfo.guarded = True  # type: ignore[attr-defined]
    socket.getaddrinfo = getaddrinfo


def _guard_method(name: str) -> None:
    original = getattr(socket.socket, name)
    if getattr(original, "guarded", False):
        return

    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family in INTERNET:
            _require_local(address[0])
        return original(self, address)

    guarded.guarded = True  # type: ignore[attr-defined]
    setattr(socket.socket, name, guarded)


def _require_local(host: Any) -> None:
    if host in LOCAL_NAMES:
        return
    text = host.decode() if isinstance(host, bytes) else str(host)
    try:
        local = ipaddress.ip_address(text).is_loopback or ipaddress.ip_address(text).is_unspecified
    except ValueError:
        local = False
    if not local:
        raise NetworkForbidden(f"A test tried to reach {text!r}.")
