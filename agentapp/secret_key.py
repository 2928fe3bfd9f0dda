"""The demonstration's own signing key: made once, kept in a file only its owner can read."""

import os
import secrets
from pathlib import Path

LENGTH_BYTES = 48


def kept_secret_key(path: Path) -> str:
    """The key in ``path``; makes it first where there is none. Two processes get the same one."""
    if path.exists():
        return path.read_text(encoding="ascii").strip()
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(LENGTH_BYTES))
    _publish(draft, path)
    return path.read_text(encoding="ascii").strip()


def _publish(draft: Path, path: Path) -> None:
    """A link fails where a file exists, so the first of two processes wins and both read its key."""
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
