"""From words to a record, as one user sees it: one, several to choose from, or none."""

from collections.abc import Collection
from dataclasses import dataclass

from activities.tools import Reference, ReferenceType, ToolContext, registry

#: How many candidates a question offers.
MAX_CANDIDATES = 10


@dataclass(frozen=True)
class Resolution:
    """`record` when the words name exactly one; else `candidates`, empty when they name none."""

    record: Reference | None = None
    candidates: tuple[Reference, ...] = ()


def visible_type(key: str, permissions: Collection[str]) -> ReferenceType | None:
    """Return the reference type if it exists and its records may be seen with `permissions`."""
    kind = registry.reference(key)
    return kind if kind is not None and kind.permission in permissions else None


def resolve(key: str, text: str, context: ToolContext, permissions: Collection[str]) -> Resolution:
    """Find the record that `text` names. Of several partial matches none is preferred: the person chooses."""
    kind = visible_type(key, permissions)
    if kind is None or not text.strip():
        return Resolution()
    known = kind.get(context, text.strip())
    if known is not None:
        return Resolution(known)
    found = kind.search(context, text, MAX_CANDIDATES)
    exact = [item for item in found if item.exact]
    best = exact or found
    return Resolution(best[0]) if len(best) == 1 else Resolution(candidates=tuple(best))


def look_up(key: str, value: str, context: ToolContext, permissions: Collection[str]) -> Reference | None:
    """Return the record of exactly this value, None when it does not exist for this user."""
    kind = visible_type(key, permissions)
    return kind.get(context, value) if kind is not None else None
