"""Where a request comes from, when proxies stand in between."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Return the address that the outermost proxy of ours was asked from; without proxies, who asked us.

    Each proxy adds at the end of X-Forwarded-For, so what a sender wrote there itself stands before what
    `TRUSTED_PROXIES` of ours added, and is not read. A header that is shorter, or names no address, did not
    pass through all of them: then who asked us counts.
    """
    asked_by = str(request.META.get("REMOTE_ADDR", ""))
    count = settings.TRUSTED_PROXIES
    listed = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
    if not count or len(listed) < count:
        return asked_by
    return _address(listed[-count]) or asked_by


def _address(text: str) -> str:
    """Return the address without its port, in its one spelling; empty when it is none."""
    host, colon, port = text.rpartition(":")
    bare = host if colon and port.isdecimal() and (host.endswith("]") or ":" not in host) else text
    try:
        found = ip_address(bare.removeprefix("[").removesuffix("]"))
    except ValueError:
        return ""
    return str(getattr(found, "ipv4_mapped", None) or found)
