"""Which system account runs PostgreSQL, and what that account can reach.

PostgreSQL refuses to run as root. As root, an account without rights runs it; otherwise we do.
Nothing here changes the permissions of a folder that exists already.
"""

import os
import pwd
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentapp.embedded.errors import EmbeddedError

ACCOUNT_NAME = "pgserver"
UNPRIVILEGED_NAME = "nobody"


@dataclass(frozen=True)
class Account:
    """The account PostgreSQL runs as. ``switch`` is false when that is our own."""

    uid: int
    gid: int
    switch: bool

    def process_options(self) -> dict[str, Any]:
        """Keyword arguments for ``subprocess`` that make a child run as this account."""
        if not self.switch:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        if self.switch:
            os.chown(path, self.uid, self.gid)

    def can_enter(self, folder: Path) -> bool:
        """True when every folder from the root down to ``folder`` can be passed through."""
        return all(self._has(path, stat.S_IXUSR) for path in (folder, *folder.parents))

    def can_read_tree(self, folder: Path) -> bool:
        return self.can_enter(folder) and all(self._has(path, stat.S_IRUSR) for path in folder.rglob("*"))

    def _has(self, path: Path, owner_bit: int) -> bool:
        """Whether one permission bit holds for this account; without it no file system call would tell."""
        if not self.switch:
            return os.access(path, os.X_OK if owner_bit == stat.S_IXUSR else os.R_OK)
        status = path.stat()
        if status.st_uid == self.uid:
            return bool(status.st_mode & owner_bit)
        if status.st_gid == self.gid:
            return bool(status.st_mode & (owner_bit >> 3))
        return bool(status.st_mode & (owner_bit >> 6))


def known_account() -> Account:
    """The account PostgreSQL runs as, without creating it: unknown, it has everybody's rights only."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), switch=False)
    entry = _find(ACCOUNT_NAME)
    return Account(entry.pw_uid, entry.pw_gid, switch=True) if entry else Account(-1, -1, switch=True)


def server_account() -> Account:
    """Our own account, or as root the unprivileged one, created when it is missing."""
    if os.geteuid() != 0:
        return known_account()
    entry = _find(ACCOUNT_NAME) or _create() or _find(UNPRIVILEGED_NAME)
    if entry is None or entry.pw_uid == 0:
        raise EmbeddedError(
            "PostgreSQL refuses to run as root and no other account could be made. "
            f"Create one with 'useradd --system {ACCOUNT_NAME}', or set DATABASE_URL."
        )
    return Account(entry.pw_uid, entry.pw_gid, switch=True)


def _find(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _create() -> pwd.struct_passwd | None:
    """None where the machine cannot add accounts (no ``useradd``, a read-only /etc)."""
    command = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if command is None:
        return None
    arguments = [command, "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT_NAME]
    subprocess.run(arguments, check=False, capture_output=True, stdin=subprocess.DEVNULL)
    return _find(ACCOUNT_NAME)
