"""Where a value came from: the user's words, an input, a fact. From nowhere is an argument error."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from activities.tools import ToolContract
from agentapp.kernel.text import contains_words, fold
from runs.models.run import Origin


@dataclass(frozen=True)
class Ground:
    """An origin and what it points to: the words, the input's name, or `tool → path`."""

    origin: Origin
    detail: str = ""

    @property
    def ok(self) -> bool:
        return self.origin is not Origin.UNGROUNDED


NOWHERE = Ground(Origin.UNGROUNDED)


@dataclass(frozen=True)
class NamedRecord:
    """A record that a fact or an input of this run names."""

    type: str
    value: str
    label: str
    ground: Ground


def references_in(data: Mapping[str, Any], contract: ToolContract) -> list[NamedRecord]:
    """Return the records that a result of `contract` names."""
    found: list[NamedRecord] = []
    for path, kind in contract.result_refs.items():
        ground = Ground(Origin.FACT, f"{contract.fact_key}.{path}")
        found.extend(
            NamedRecord(kind, value, _label(owner, value), ground)
            for value, owner in _walk(data, path.split("."))
        )
    return found


def _walk(node: Any, parts: list[str], owner: Any = None) -> Iterable[tuple[str, Any]]:
    if isinstance(node, list):
        for item in node:
            yield from _walk(item, parts, owner)
    elif not parts:
        if isinstance(node, str) and node:
            yield node, owner
    elif isinstance(node, Mapping):
        yield from _walk(node.get(parts[0].removesuffix("[]")), parts[1:], node)


def _label(owner: Any, value: str) -> str:
    name = owner.get("name") if isinstance(owner, Mapping) else None
    return f"{name} ({value})" if isinstance(name, str) and name else value


def ground_reference(value: str, kind: str, records: Iterable[NamedRecord], words: Iterable[str]) -> Ground:
    """Return where a reference came from: a record this run knows, else the user's words, else nowhere.

    Facts and inputs must name a record of the same type; in words, the identifier must stand whole.
    """
    for record in records:
        if record.type == kind and record.value == value:
            return record.ground
    for text in words:
        if stands_in(value, text):
            return Ground(Origin.WORDS, value)
    return NOWHERE


def stands_in(value: str, text: str) -> bool:
    """True when `value` stands in `text` as a whole token, whatever its case and accents."""
    pattern = rf"(?<![\w-]){re.escape(fold(value))}(?![\w]|-\w)"
    return re.search(pattern, fold(text)) is not None


def ground_words(value: str, words: Iterable[str]) -> Ground:
    """Return WORDS when the words of `value` stand in the user's, one after the other."""
    if any(contains_words(text, value) for text in words):
        return Ground(Origin.WORDS, value)
    return NOWHERE
