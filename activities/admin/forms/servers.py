"""Forms of the pages about MCP servers: where one is, what it is sent, what may be done with a tool."""

import re
import shlex
from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from accounts.models import Workspace
from activities.admin import fields
from activities.admin.forms.base import DeskForm
from activities.mcp.actions import SecretPart
from activities.mcp.address import NotReachable, url_parts
from activities.mcp.secrets import prefix_for
from activities.models import McpServer, McpTransport
from agentapp.kernel.outbound import with_port

_SECRET = re.compile(r"^([^:=\s]+)\s*[:=]\s*(.*?)\$?\{?(MCP_SECRET_\w+)\}?$")


class ServerForm(DeskForm):
    """Everything about a server that can be changed."""

    name = fields.text(
        label=_("Name"), required=True, limit=100, help_text=_("People read it when they confirm.")
    )
    transport = forms.ChoiceField(label=_("Where it is"), choices=McpTransport.choices)
    url = fields.text(
        label=_("Address"), code=True, limit=500, help_text=_("Such as https://tools.example.com/mcp.")
    )
    hosts = fields.LinesField(
        label=_("Allowed hosts"),
        rows=2,
        help_text=_("One per line, exactly, with or without a port. Empty: the address's own and no other."),
    )
    private_addresses = forms.BooleanField(
        label=_("It may be at a private address"),
        required=False,
        help_text=_("The operator has to allow the host as well (MCP_PRIVATE_HOSTS)."),
    )
    command = fields.text(
        label=_("Command line"),
        code=True,
        limit=2_000,
        help_text=_("One that the operator allows (MCP_COMMANDS); no shell reads it."),
    )
    secrets = fields.LinesField(label=_("Secrets"), rows=2)
    timeout_seconds = forms.IntegerField(
        label=_("Seconds it may take to answer"), min_value=1, max_value=300, initial=30
    )
    max_kilobytes = forms.IntegerField(
        label=_("Kilobytes an answer may have"), min_value=1, max_value=5_000, initial=1_000
    )
    enabled = forms.BooleanField(
        label=_("Switched on"),
        required=False,
        initial=True,
        help_text=_("Switched off, none of its tools can be used, at once."),
    )

    def __init__(self, workspace: Workspace | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        prefix = prefix_for(workspace) if workspace else "MCP_SECRET_…__"
        self.fields["secrets"].help_text = _(
            "One per line: header (or variable of the program), and the name of the operator's variable that "
            "holds the value, such as “Authorization: Bearer %(prefix)sTOKEN”. Values are never written here."
        ) % {"prefix": prefix}

    def clean_secrets(self) -> list[SecretPart]:
        found = [_SECRET.match(line) for line in self.cleaned_data["secrets"]]
        if not all(found):
            raise forms.ValidationError(
                _now("Write “header: variable”, with a variable whose name begins with MCP_SECRET_.")
            )
        return [SecretPart(each[1], each[3], each[2]) for each in found if each]

    def clean_command(self) -> list[str]:
        try:
            return shlex.split(self.cleaned_data["command"] or "")
        except ValueError as error:
            raise forms.ValidationError(_now("This command line cannot be read.")) from error

    @property
    def values(self) -> dict[str, Any]:
        """What was chosen, as the actions take it."""
        data = self.cleaned_data
        command = data["command"] or [""]
        return {
            "name": data["name"],
            "transport": data["transport"],
            "url": data["url"],
            "allowed_hosts": data["hosts"] or _own_host(data["url"]),
            "private_addresses": data["private_addresses"],
            "command": command[0],
            "args": command[1:],
            "timeout_seconds": data["timeout_seconds"],
            "max_result_bytes": data["max_kilobytes"] * 1_000,
            "enabled": data["enabled"],
            "secrets": data["secrets"],
        }


class NewServerForm(ServerForm):
    """A server that is added: where it belongs, and the key its tools will have."""

    workspace = forms.ModelChoiceField(
        label=_("Workspace"), queryset=Workspace.objects.none(), empty_label=None
    )
    key = forms.RegexField(
        r"^[a-z][a-z0-9]*$",
        label=_("Key"),
        max_length=20,
        help_text=_(
            "Small letters and digits. It begins the names of its tools and cannot be changed later."
        ),
        error_messages={"invalid": _("Use small letters and digits.")},
    )
    field_order = ("workspace", "name", "key", "transport")

    def __init__(self, workspaces: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(workspaces.first() if len(workspaces) == 1 else None, *args, **kwargs)
        offered: Any = self.fields["workspace"]
        offered.queryset = workspaces


def _own_host(url: str) -> list[str]:
    try:
        parts = url_parts(url)
    except NotReachable:
        return []
    host = str(parts.hostname)
    return [with_port(host, parts.port) if parts.port else host]


def server_initial(server: McpServer) -> dict[str, Any]:
    """Return a server as its form shows it."""
    return {
        "name": server.name,
        "transport": server.transport,
        "url": server.url,
        "hosts": server.allowed_hosts,
        "private_addresses": server.private_addresses,
        "command": shlex.join([server.command, *server.args]) if server.command else "",
        "secrets": [f"{row.name}: {row.prefix}{row.variable}" for row in server.secrets.all()],
        "timeout_seconds": server.timeout_seconds,
        "max_kilobytes": server.max_result_bytes // 1_000,
        "enabled": server.enabled,
    }
