"""Where a request may go is decided by the address it would connect to, at the moment it connects."""

import ipaddress
import socket
from typing import Any

import anyio
import httpx2
import pytest

from agentapp.kernel.outbound import Forbidden, GuardedTransport, checked_addresses, why_forbidden
from tests.mcp.hostile import GREETING, Handler, hostile

PUBLIC = ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"]
PRIVATE = [
    "127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "::1", "fd12::1",
    "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1", "::127.0.0.1", "fec0::1",
    "2002:a00:1::", "198.18.0.1",
]  # fmt: skip
NEVER = [
    "169.254.169.254", "169.254.1.1", "fe80::1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
    "fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "0.0.0.0", "::", "224.0.0.1",
    "ff02::1", "255.255.255.255", "240.0.0.1", "2002:a9fe:a9fe::",
]  # fmt: skip


@pytest.mark.parametrize("text", PUBLIC)
def test_public_addresses_are_admitted(text: str) -> None:
    assert why_forbidden(ipaddress.ip_address(text)) == ""


@pytest.mark.parametrize("text", PRIVATE)
def test_private_addresses_need_leave(text: str) -> None:
    assert why_forbidden(ipaddress.ip_address(text))
    assert why_forbidden(ipaddress.ip_address(text), private=True) == ""


@pytest.mark.parametrize("text", NEVER)
def test_some_addresses_are_refused_whoever_allows_what(text: str) -> None:
    assert why_forbidden(ipaddress.ip_address(text), private=True)


def names(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Every name has these addresses, one after the other at each look-up; what was looked up is returned."""
    asked: list[str] = []

    def getaddrinfo(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name == "127.0.0.1":
            return [(socket.AF_INET, 1, 6, "", (name, port))]
        text = addresses[min(len(asked), len(addresses) - 1)]
        asked.append(name)
        found = [each.strip() for each in text.split(",")]
        families = [socket.AF_INET6 if ":" in each else socket.AF_INET for each in found]
        return [(family, 1, 6, "", (each, port)) for family, each in zip(families, found, strict=True)]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


MIXED = ["127.0.0.1", "93.184.216.34,10.0.0.1", "::ffff:10.0.0.1", "fe80::1%eth0"]


@pytest.mark.parametrize("addresses", MIXED)
def test_a_name_is_refused_for_any_address_it_has(monkeypatch: pytest.MonkeyPatch, addresses: str) -> None:
    names(monkeypatch, addresses)
    with pytest.raises(Forbidden):
        anyio.run(checked_addresses, "innocent.example", 443)


async def fetch(url: str, transport: GuardedTransport) -> httpx2.Response:
    async with httpx2.AsyncClient(transport=transport, trust_env=False, follow_redirects=True) as client:
        return await client.post(url, json={"id": 1, "method": "x"})


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name changes its address after the check: a second look-up would lead into our own network."""
    with hostile(lambda handler, body: handler.answer(body, GREETING)) as server:
        asked = names(monkeypatch, "127.0.0.1", "10.0.0.1")
        transport = GuardedTransport(["changing.example"], private=True, max_bytes=10_000)
        url = f"http://changing.example:{server.server_port}/mcp"
        assert anyio.run(fetch, url, transport).status_code == 200
        assert asked == ["changing.example"]


@pytest.mark.parametrize(
    ("hosts", "word"),
    [(["127.0.0.1"], "allowed hosts"), (["127.0.0.1", "inner.example"], "metadata")],
)
def test_every_hop_of_a_redirect_is_checked(
    monkeypatch: pytest.MonkeyPatch, hosts: list[str], word: str
) -> None:
    def turn(handler: Handler, body: dict[str, Any]) -> None:
        handler.begin(307, 0, location="http://inner.example/")

    with hostile(turn) as server:
        names(monkeypatch, "169.254.169.254")
        transport = GuardedTransport(hosts, private=True, max_bytes=10_000)
        with pytest.raises(Forbidden, match=word):
            anyio.run(fetch, server.url, transport)
