"""Where a server is: an address it may be reached at, or a program that the operator allows."""

import shlex
from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from activities.models import McpServer, McpTransport
from agentapp.kernel.errors import InvalidInput
from agentapp.kernel.outbound import with_port

#: At the end of an allowed command line: any further arguments.
ANYTHING = "*"


class NotReachable(InvalidInput):
    """The server's settings do not say where it is, or it may not be reached there."""

    code = "mcp_not_reachable"


def check_address(server: McpServer) -> None:
    """Raise NotReachable for a server that may not be reached as it is set up. Asked again at each use."""
    if server.transport == McpTransport.STDIO:
        _check_command(server)
    else:
        _check_url(server)


def command_allowed(command: str, args: Sequence[str]) -> bool:
    """True when the operator allows exactly this command line."""
    wanted = [command, *args]
    return any(_matches(shlex.split(line), wanted) for line in settings.MCP_COMMANDS)


def _matches(allowed: list[str], wanted: list[str]) -> bool:
    if allowed and allowed[-1] == ANYTHING:
        fixed = allowed[:-1]
        return bool(fixed) and wanted[: len(fixed)] == fixed
    return bool(wanted[0]) and allowed == wanted


def _check_command(server: McpServer) -> None:
    if not command_allowed(server.command, server.args):
        raise NotReachable(
            _("This program may not be started. The operator allows command lines in MCP_COMMANDS.")
        )


def _check_url(server: McpServer) -> None:
    parts = url_parts(server.url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    host = str(parts.hostname)
    if not {host, with_port(host, port)} & {each.lower() for each in server.allowed_hosts}:
        raise NotReachable(_("The address is not at one of the allowed hosts."))
    if server.private_addresses and not private_allowed(server):
        raise NotReachable(
            _("A private address may not be used here. The operator allows hosts in MCP_PRIVATE_HOSTS.")
        )


def private_allowed(server: McpServer) -> bool:
    """True when designer and operator both let this server be at a private address."""
    if not server.private_addresses:
        return False
    listed = {host.lower() for host in settings.MCP_PRIVATE_HOSTS}
    return all({host.lower(), _without_port(host.lower())} & listed for host in server.allowed_hosts)


def _without_port(host: str) -> str:
    return str(urlsplit(f"//{host}").hostname or host)


def url_parts(url: str) -> SplitResult:
    """Return the parts of a usable http(s) address. Raises NotReachable."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises ValueError for a port that is not one
    except ValueError as error:
        raise NotReachable(_("This is not an address.")) from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise NotReachable(_("The address must begin with http:// or https:// and name a host."))
    if parts.username or parts.password or parts.fragment:
        raise NotReachable(_("The address must not hold a name, a password or a fragment."))
    return parts
