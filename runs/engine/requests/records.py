"""Records as a request's task may search and name them."""

from runs.llm.base import (
    Candidate,
    ReferenceSearch,
)
from runs.references import Eyes
from runs.view import RunView


def record_search(eyes: Eyes) -> ReferenceSearch:
    """Return the search over records, as this user sees them."""
    return lambda kind, text: [
        Candidate(item.value, item.label, item.detail, item.exact) for item in eyes.search(kind, text)
    ]


def known_references(view: RunView) -> dict[str, tuple[Candidate, ...]]:
    """Return the records this run names, by reference type."""
    known: dict[str, dict[str, Candidate]] = {}
    for record in view.named_records():
        known.setdefault(record.type, {}).setdefault(record.value, Candidate(record.value, record.label))
    return {kind: tuple(found.values()) for kind, found in known.items()}
