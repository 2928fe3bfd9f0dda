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


@dataclass(frozen=True)
class Eyes:
    """As whom records are looked up: the run's context, and the permissions read for this act."""

    context: ToolContext
    permissions: Collection[str]

    def kind(self, key: str) -> ReferenceType | None:
        """Return the reference type if it exists and its records may be seen."""
        found = registry.reference(key)
        return found if found is not None and found.permission in self.permissions else None

    def search(self, key: str, text: str) -> list[Reference]:
        """Return the records that `text` may name, best first."""
        kind = self.kind(key)
        return kind.search(self.context, text, MAX_CANDIDATES) if kind else []


def resolve(key: str, text: str, eyes: Eyes) -> Resolution:
    """Find the record that `text` names. Of several partial matches none is preferred: the person chooses."""
    kind = eyes.kind(key)
    if kind is None or not text.strip():
        return Resolution()
    known = kind.get(eyes.context, text.strip())
    if known is not None:
        return Resolution(known)
    found = eyes.search(key, text)
    exact = [item for item in found if item.exact]
    best = exact or found
    return Resolution(best[0]) if len(best) == 1 else Resolution(candidates=tuple(best))


def look_up(key: str, value: str, eyes: Eyes) -> Reference | None:
    """Return the record of exactly this value, None when it does not exist for this user."""
    kind = eyes.kind(key)
    return kind.get(eyes.context, value) if kind is not None else None


def named(record: Reference) -> str:
    """Return how a person reads a record: its label, and its key unless the label holds it."""
    return record.label if record.value in record.label else f"{record.label} ({record.value})"
