"""Setting up servers: adding one, changing where it is and what it is sent, switching it off."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.models import User, Workspace
from activities.actions.authority import require_workspace
from activities.discovery.index import refresh
from activities.mcp.address import check_address
from activities.mcp.history import record
from activities.mcp.secrets import check_variable
from activities.models import McpReason, McpSecret, McpServer, McpTool, McpToolState, McpTransport
from agentapp.kernel.errors import Conflict, InvalidInput

#: Where the server is: a change of these makes it another server.
ADDRESS = ("transport", "command", "args", "url")
SETTINGS = (
    "name", *ADDRESS, "allowed_hosts", "private_addresses", "timeout_seconds", "max_result_bytes", "enabled",
)  # fmt: skip
#: Headers that are the connection's own affair.
_HEADERS = frozenset(
    ("host", "content-length", "transfer-encoding", "connection", "accept", "accept-encoding", "content-type")
)


@dataclass(frozen=True)
class SecretPart:
    """A header or variable, and the environment variable that holds its value."""

    name: str
    variable: str
    prefix: str = ""


@transaction.atomic
def server_create(
    *, workspace: Workspace, key: str, actor: User | None, secrets: Sequence[SecretPart] = (), **values: Any
) -> McpServer:
    """Add a server to a workspace; its tools are not read yet. Raises NotAllowed, InvalidInput, Conflict."""
    require_workspace(actor, workspace)
    server = McpServer(workspace=workspace, key=key)
    _set(server, values)
    try:
        with transaction.atomic():
            server.save(force_insert=True)
    except IntegrityError as error:
        raise Conflict(_("The key “%(key)s” is taken. Choose another.") % {"key": key}) from error
    _write_secrets(server, secrets)
    record(server, "mcp_server.created", actor, {"settings": _settings(server), "secrets": _names(secrets)})
    return server


@transaction.atomic
def server_update(
    server: McpServer, *, actor: User | None, secrets: Sequence[SecretPart] | None = None, **values: Any
) -> McpServer:
    """Change a server. At another address it is another server: its reviewed tools go into quarantine."""
    require_workspace(actor, server.workspace)
    locked = _locked(server)
    before = _settings(locked)
    known = _names(_secret_parts(locked))
    _set(locked, values)
    after, named = _settings(locked), known
    if secrets is None:
        for part in _secret_parts(locked):
            _check_name(locked, part)
    else:
        named = _names(secrets)
        locked.secrets.all().delete()
        _write_secrets(locked, secrets)
    if after == before and named == known:
        return locked
    locked.version += 1
    locked.retry_at, locked.failures = None, 0
    has_moved = any(before[name] != after[name] for name in ADDRESS)
    if has_moved:
        locked.read_at = None  # what was read is another server's: it is compared before the next call
    locked.save()
    moved = _quarantine_all(locked) if has_moved else 0
    changes = {name: [before[name], after[name]] for name in after if before[name] != after[name]}
    about = {"changes": changes, "secrets": named, "quarantined": moved}
    record(locked, "mcp_server.changed", actor, about)
    _cards(locked)
    return locked


def _locked(server: McpServer) -> McpServer:
    return McpServer.objects.select_for_update(of=("self",)).select_related("workspace").get(pk=server.pk)


def _set(server: McpServer, values: Mapping[str, Any]) -> None:
    """Take these settings over. Raises InvalidInput for one that is not usable."""
    unknown = sorted(set(values) - set(SETTINGS))
    if unknown:
        raise InvalidInput(_("This cannot be changed here."), fields=unknown)
    for name, value in values.items():
        setattr(server, name, value)
    if server.transport == McpTransport.STDIO:
        server.url, server.allowed_hosts, server.private_addresses = "", [], False
    else:
        server.command, server.args = "", []
    try:
        server.full_clean(validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        raise InvalidInput(" ".join(error.messages), fields=error.message_dict) from error
    check_address(server)


def _write_secrets(server: McpServer, secrets: Sequence[SecretPart]) -> None:
    for part in secrets:
        check_variable(server.workspace, part.variable)
        _check_name(server, part)
    if len({part.name.lower() for part in secrets}) < len(secrets):
        raise InvalidInput(_("A header or variable is named twice."))
    McpSecret.objects.bulk_create(
        McpSecret(server=server, name=part.name, variable=part.variable, prefix=part.prefix)
        for part in secrets
    )


def _check_name(server: McpServer, part: SecretPart) -> None:
    """Refuse what would change where a request goes, or which code a program runs."""
    usable = part.name.isascii() and part.name.replace("-", "").replace("_", "").isalnum()
    if server.transport == McpTransport.STDIO:
        # Many variables make a program run what they say: all of a value is the operator's.
        taken = part.name.startswith(("LD_", "PYTHON", "NODE_")) or part.name in ("PATH", "HOME")
        taken = taken or bool(part.prefix)
    else:
        taken = part.name.lower() in _HEADERS
    if not usable or taken or not part.prefix.isprintable() or not part.prefix.isascii():
        raise InvalidInput(_("“%(name)s” cannot be used as a header or variable.") % {"name": part.name})


def _quarantine_all(server: McpServer) -> int:
    reviewed = server.tools.filter(state=McpToolState.REVIEWED)
    found = reviewed.select_for_update().values_list("pk", flat=True)
    rows = McpTool.objects.filter(pk__in=list(found))
    return rows.update(state=McpToolState.QUARANTINED, reason=McpReason.MOVED)


def _cards(server: McpServer) -> None:
    keys = list(server.tools.exclude(pinned_hash="").values_list("key", flat=True))
    if keys:
        refresh(workspace=server.workspace, keys=keys)


def _settings(server: McpServer) -> dict[str, Any]:
    return {name: getattr(server, name) for name in SETTINGS}


def _secret_parts(server: McpServer) -> list[SecretPart]:
    return [SecretPart(row.name, row.variable, row.prefix) for row in server.secrets.all()]


def _names(secrets: Sequence[SecretPart]) -> list[str]:
    """Return what may be said of secrets: which variable goes where."""
    return sorted(f"{part.name} ← {part.variable}" for part in secrets)
