"""Who may open a socket: only a page of this site."""

from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings


class SameOrigin:
    """Refuses, before accepting, a socket whose Origin is missing, ``null`` or another site's.

    A browser's cookies are shared by all ports of a host, so a page on another port is another site too:
    the Origin must name the very host and port the request was sent to, or a CSRF_TRUSTED_ORIGINS entry.
    """

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        application = self.application if is_same_origin(scope["headers"]) else WebsocketDenier()
        await application(scope, receive, send)


def is_same_origin(headers: list[tuple[bytes, bytes]]) -> bool:
    origins = [value.decode("latin1") for name, value in headers if name == b"origin"]
    hosts = [value.decode("latin1") for name, value in headers if name == b"host"]
    if len(origins) != 1 or len(hosts) != 1:
        return False
    if origins[0] in settings.CSRF_TRUSTED_ORIGINS:
        return True
    parts = urlsplit(origins[0])
    return parts.scheme in {"http", "https"} and parts.netloc.lower() == hosts[0].lower()
