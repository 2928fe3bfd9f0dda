"""What is needed to reach a server, put together from its row and the operator's environment."""

from dataclasses import dataclass

from activities.mcp.address import check_address, private_allowed
from activities.mcp.secrets import filled
from activities.models import McpServer, McpTransport


@dataclass(frozen=True)
class Target:
    """Where a server is and what it is sent, with the secrets filled in. Never logged."""

    url: str = ""
    hosts: tuple[str, ...] = ()
    private: bool = False
    command: str = ""
    args: tuple[str, ...] = ()
    #: Headers, or the program's variables.
    secrets: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return f"Target({self.url or self.command!r})"


def target_of(server: McpServer) -> Target:
    """Return where `server` is. Raises NotReachable, SecretMissing, InvalidInput for how it is set up."""
    check_address(server)
    secrets = tuple(filled(server.secrets.all(), server.workspace).items())
    if server.transport == McpTransport.STDIO:
        return Target(command=server.command, args=tuple(server.args), secrets=secrets)
    hosts = tuple(server.allowed_hosts)
    return Target(url=server.url, hosts=hosts, private=private_allowed(server), secrets=secrets)
