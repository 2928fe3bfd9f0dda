"""A tool's key, made of the name its server gives it: plain names are kept, others are told by digest.

Keys and wire names are read by models. A name that is more than a name (a sentence, an instruction, another
alphabet) lends the key none of its words.
"""

import hashlib
import re

from activities.models import McpServer
from activities.tools.registry import RESERVED

#: With the prefix and a server's key, a wire name has at most 64 characters.
MAX_LOCAL = 39
MAX_NAME = 128
_PLAIN = re.compile(r"^[a-z][a-z0-9_]*$")
_PLAIN_ENOUGH = re.compile(r"^[A-Za-z][A-Za-z0-9_.\-/]*$")


def key_for(server: McpServer, name: str) -> str:
    """Return the key of the tool called `name` at this server: always the same, and no other tool's."""
    return f"{RESERVED}{server.key}.{_local(name)}"


def _local(name: str) -> str:
    if _PLAIN.match(name) and len(name) <= MAX_LOCAL and not _looks_made(name):
        return name
    short = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    if not _PLAIN_ENOUGH.match(name) or len(name) > MAX_NAME:
        return f"tool_{short}"
    words = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()).strip("_")
    return f"{words[: MAX_LOCAL - 11].strip('_')}_{short}"


def _looks_made(name: str) -> bool:
    """True for a plain name that could have been made here for another."""
    return re.search(r"_[0-9a-f]{10}$", name) is not None
