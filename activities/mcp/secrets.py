"""Secrets of MCP servers: named by the designer, set by the operator in the environment, stored nowhere.

A workspace's servers can name only variables that begin with MCP_SECRET_, the workspace's short name and two
underscores, so that no server is sent another workspace's secret, nor any other setting of this site.
"""

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from django.utils.translation import gettext as _
from dotenv import dotenv_values

from accounts.models import Workspace
from activities.models import McpSecret
from agentapp.kernel.errors import InvalidInput, Misconfigured

_NAME = re.compile(r"^[A-Z0-9]+(_[A-Z0-9]+)*$")


class SecretMissing(Misconfigured):
    """A variable that a server's secret names is not set."""

    code = "secret_missing"


def prefix_for(workspace: Workspace) -> str:
    """Return what the names of this workspace's variables begin with."""
    return f"MCP_SECRET_{re.sub('[^A-Z0-9]', '_', workspace.slug.upper())}__"


def check_variable(workspace: Workspace, variable: str) -> None:
    """Raise InvalidInput unless `variable` is one that this workspace's servers may name."""
    prefix = prefix_for(workspace)
    if not variable.startswith(prefix) or not _NAME.match(variable.removeprefix(prefix)):
        raise InvalidInput(
            _("The variable must be called %(prefix)s… with capital letters, digits and single underscores.")
            % {"prefix": prefix}
        )


def is_set(variable: str) -> bool:
    """True when the operator set the variable; its value goes nowhere."""
    return bool(_value(variable))


def filled(secrets: Iterable[McpSecret], workspace: Workspace) -> dict[str, str]:
    """Return what to send, by header or variable name. Raises SecretMissing, InvalidInput."""
    found = {}
    for secret in secrets:
        check_variable(workspace, secret.variable)
        value = _value(secret.variable)
        if not value:
            raise SecretMissing(
                _("The variable %(name)s is not set on this site.") % {"name": secret.variable}
            )
        found[secret.name] = f"{secret.prefix}{value}"
    return found


def _value(variable: str) -> str:
    return os.environ.get(variable) or _from_file(os.environ.get("ENV_FILE", ".env")).get(variable) or ""


@cache
def _from_file(path: str) -> dict[str, str | None]:
    """The operator's file of settings, read once: like every setting, it counts from the next start."""
    return dict(dotenv_values(path)) if Path(path).is_file() else {}
