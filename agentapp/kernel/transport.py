"""The HTTP transport under the SDK: one deadline and one byte limit for a whole call.

The timeouts of an HTTP client count from one read to the next, so a server that sends a byte now and then
holds a call for ever, in its headers already. Here every read is bounded by what is left of the call.
"""

import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore2
import httpx2

_ERRORS: tuple[tuple[type[Exception], type[httpx2.TransportError]], ...] = (
    (httpcore2.ConnectTimeout, httpx2.ConnectTimeout),
    (httpcore2.TimeoutException, httpx2.ReadTimeout),
    (httpcore2.ConnectError, httpx2.ConnectError),
    (httpcore2.ProxyError, httpx2.ProxyError),
    (httpcore2.NetworkError, httpx2.ReadError),
    (httpcore2.ProtocolError, httpx2.RemoteProtocolError),
    (httpcore2.UnsupportedProtocol, httpx2.UnsupportedProtocol),
)
_MAX_CONNECT_SECONDS = 10.0
#: How long an endpoint may be silent before it is asked whether its answer is still wanted.
_LOOK_UP_SECONDS = 1.0
#: What is read of an answer that refuses: enough to say why.
_MAX_REFUSAL_BYTES = 65_536
_active = threading.local()


def refusal_text(response: httpx2.Response) -> str:
    """Return the beginning of a refusing answer's body; the rest, however large, is not read."""
    read = bytearray()
    for piece in response.iter_bytes():
        read += piece
        if len(read) >= _MAX_REFUSAL_BYTES:
            break
    return read[:_MAX_REFUSAL_BYTES].decode("utf-8", "replace")


class Budget:
    """The seconds and bytes a model call, or one try of it, may take."""

    def __init__(
        self, seconds: float, max_bytes: int = 0, cancelled: Callable[[], bool] = lambda: False
    ) -> None:
        self._end = time.monotonic() + seconds
        self._bytes = max_bytes
        self.cancelled = cancelled

    @property
    def seconds(self) -> float:
        return max(0.0, self._end - time.monotonic())

    @property
    def is_overspent(self) -> bool:
        return self._bytes < 0

    def spend(self, size: int) -> None:
        self._bytes -= size

    def at_most(self, seconds: float) -> None:
        """Leave no more than `seconds` from now."""
        self._end = min(self._end, time.monotonic() + seconds)

    def timeout(self) -> httpx2.Timeout:
        left = max(self.seconds, 0.001)
        return httpx2.Timeout(left, connect=min(left, _MAX_CONNECT_SECONDS))

    @contextmanager
    def active(self) -> Iterator[None]:
        """Bound all reads of this thread's transport while the block runs. Never yield out of the block."""
        _active.budget = self
        try:
            yield
        finally:
            _active.budget = None


class _BoundedStream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        budget: Budget | None = getattr(_active, "budget", None)
        if budget is None:
            return self._stream.read(max_bytes, timeout)
        left = _left(budget)
        data = self._watched(budget, max_bytes, left if timeout is None else min(left, timeout))
        budget.spend(len(data))
        if budget.is_overspent:
            raise httpcore2.ReadError("more bytes than this call may read")
        return data

    def _watched(self, budget: Budget, max_bytes: int, seconds: float) -> bytes:
        """Read within `seconds`, looking up now and then whether the call is still wanted."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            try:
                return self._stream.read(max_bytes, max(0.001, min(left, _LOOK_UP_SECONDS)))
            except httpcore2.ReadTimeout:
                if left <= _LOOK_UP_SECONDS:
                    raise
                if budget.cancelled():
                    raise httpcore2.ReadError("the call is not wanted any more") from None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _BoundedStream(self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _BoundedBackend(httpcore2.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        return _BoundedStream(super().connect_tcp(host, port, timeout, local_address, socket_options))


class _BodyStream(httpx2.SyncByteStream):
    def __init__(self, response: httpcore2.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        with _translated():
            yield from self._response.iter_stream()

    def close(self) -> None:
        with _translated():
            self._response.close()


class BoundedTransport(httpx2.BaseTransport):
    """HTTP/1.1 with pooled connections to `base_url`, through the proxy that the environment names for it."""

    def __init__(self, base_url: str, *, max_connections: int = 100) -> None:
        self._pool = _pool(base_url, max_connections)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        with _translated():
            response = self._pool.handle_request(
                httpcore2.Request(
                    request.method,
                    httpcore2.URL(
                        scheme=request.url.raw_scheme,
                        host=request.url.raw_host,
                        port=request.url.port,
                        target=request.url.raw_path,
                    ),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        return httpx2.Response(
            response.status,
            headers=response.headers,
            stream=_BodyStream(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._pool.close()


def _pool(base_url: str, max_connections: int) -> httpcore2.ConnectionPool:
    parts = urlsplit(base_url)
    context = httpx2.create_ssl_context() if parts.scheme == "https" else None
    backend = _BoundedBackend()
    proxy = None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
    if proxy is None:
        return httpcore2.ConnectionPool(
            ssl_context=context,
            max_connections=max_connections,
            keepalive_expiry=30.0,
            network_backend=backend,
        )
    address = urlsplit(proxy if "//" in proxy else f"http://{proxy}")
    credentials = (unquote(address.username), unquote(address.password or "")) if address.username else None
    return httpcore2.HTTPProxy(
        proxy_url=f"{address.scheme}://{address.hostname}:{address.port or 80}",
        proxy_auth=credentials,
        ssl_context=context,
        max_connections=max_connections,
        keepalive_expiry=30.0,
        network_backend=backend,
    )


def _left(budget: Budget) -> float:
    left = budget.seconds
    if left <= 0:
        raise httpcore2.ReadTimeout("the time for this call is over")
    return left


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        for ours, theirs in _ERRORS:
            if isinstance(error, ours):
                raise theirs(str(error)) from error
        raise
