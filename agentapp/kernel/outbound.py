"""The guard for requests to addresses that people typed in: where they may go, checked when they connect.

A name is looked up once; every address it has is checked, and the connection goes to a checked address, so
that nothing can change between the check and the connection. Written forms (decimal, octal, mapped) do not
matter: what counts is the address that the system would connect to.
"""

import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Collection, Iterable
from functools import cache, partial
from typing import Any

import anyio
import anyio.to_thread
import httpcore2
import httpx2
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
#: Where machines in the cloud keep their credentials. Link-local addresses are refused as such.
_METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in ("fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16")
)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_COMPATIBLE = ipaddress.ip_network("::/96")


class Forbidden(httpx2.TransportError):
    """The request may not go there. `sentence` names the host, never an address it was found to have."""

    def __init__(self, host: str, why: Any) -> None:
        self.sentence = format_lazy(_("Nothing is sent to {host}: {why}."), host=host, why=why)
        super().__init__(str(self.sentence))


class TooLarge(httpx2.TransportError):
    """The answer has more bytes than may be read. The rest was not read."""


def why_forbidden(address: Address, *, private: bool = False) -> Any:
    """Return why nothing may connect to `address`, for whoever reads it; empty when it may.

    `private` admits loopback and private networks; link-local, metadata, multicast and reserved addresses
    are refused always.
    """
    inner = _embedded(address)
    if inner is not None:
        return why_forbidden(inner, private=private)
    if address.is_link_local or address in _METADATA:
        return _("it is an address of the machine's own surroundings (link-local or metadata)")
    if address.is_multicast or address.is_unspecified or (address.is_reserved and not address.is_loopback):
        return _("it is not the address of one machine")
    site_local = isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    if private or (address.is_global and not site_local):
        return ""
    return _("it is a private address")


def _embedded(address: Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 address stands for, if it stands for one."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    # ::1 and :: are themselves; what else begins so is an IPv4 address in an old notation.
    old = address in _COMPATIBLE and int(address) > 1
    return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF) if old else None


async def checked_addresses(host: str, port: int, *, private: bool = False) -> list[str]:
    """Return the addresses of `host`, all of them admitted. Raises Forbidden, OSError."""
    # In a thread that is left behind when time is up: a resolver that hangs holds nobody.
    look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    found = await anyio.to_thread.run_sync(look_up, abandon_on_cancel=True)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    for text in addresses:
        why = why_forbidden(ipaddress.ip_address(text.partition("%")[0]), private=private)
        if why:
            raise Forbidden(host, why)
    return addresses


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Connects to checked addresses only."""

    def __init__(self, *, private: bool = False) -> None:
        self._private = private
        self._connect = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface's own
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        last: Exception = httpcore2.ConnectError(f"{host} has no address")
        try:
            with anyio.fail_after(timeout):
                addresses = await checked_addresses(host, port, private=self._private)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"{host} was not found in time") from error
        except OSError as error:
            raise httpcore2.ConnectError(f"{host} cannot be found") from error
        for address in addresses:
            try:
                return await self._connect.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                last = error
        raise last

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface's own
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        raise Forbidden(path, _("it is a socket of this machine"))

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)


class GuardedTransport(httpx2.AsyncHTTPTransport):
    """HTTP to exactly these hosts (`host` or `host:port`), at admitted addresses, reading so much in all.

    It is asked for every request, so also for each hop of a redirect. No proxy is used: it would connect in
    our stead. Answers must not be compressed, or their size would say nothing.
    """

    def __init__(self, hosts: Collection[str], *, private: bool = False, max_bytes: int) -> None:
        super().__init__(verify=_tls(), trust_env=False)
        self._hosts = frozenset(host.lower() for host in hosts)
        self._left = max_bytes
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=_tls(), network_backend=GuardedBackend(private=private)
        )

    @property
    def overspent(self) -> bool:
        """True once an answer was larger than allowed."""
        return self._left < 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self._require_allowed(request.url)
        request.headers["accept-encoding"] = "identity"
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx2.RemoteProtocolError("The answer is compressed although that was not asked for.")
        response.stream = _Counted(response.stream, self)  # type: ignore[arg-type]
        return response

    def spend(self, size: int) -> None:
        """Count what was read. Raises TooLarge."""
        self._left -= size
        if self.overspent:
            raise TooLarge("The answer is larger than this server may send.")

    def _require_allowed(self, url: httpx2.URL) -> None:
        if url.scheme not in ("http", "https"):
            raise Forbidden(url.host, _("it is no http address"))
        port = url.port or (443 if url.scheme == "https" else 80)
        if not {url.host.lower(), with_port(url.host, port)} & self._hosts:
            raise Forbidden(url.host, _("it is not among the allowed hosts"))


@cache
def _tls() -> ssl.SSLContext:
    """Reading the system's certificates takes longer than a short request."""
    return ssl.create_default_context()


def with_port(host: str, port: int) -> str:
    """Return `host:port`, an IPv6 address in brackets."""
    return f"[{host}]:{port}".lower() if ":" in host else f"{host}:{port}".lower()


class _Counted(httpx2.AsyncByteStream):
    """A response's body, counted while it is read."""

    def __init__(self, stream: httpx2.AsyncByteStream, transport: GuardedTransport) -> None:
        self._stream = stream
        self._transport = transport

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            self._transport.spend(len(part))
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
