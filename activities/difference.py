"""The difference between two revisions, as a person reads it: place, before, after. No row's key is in it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from django.utils.translation import gettext_lazy as _

from activities.exporting import Document, document
from activities.models import Revision
from activities.models.fields import in_language

#: Lists of parts: what names a part in its list.
NAMED_BY = {
    "activities": "key",
    "inputs": "name",
    "outputs": "name",
    "tools": "tool",
    "steps": "key",
    "opens": "to",
    "routing": "name",
    "choices": "value",
}
ORDER = "order"
_WORDS: dict[str, Any] = {
    "activities": _("activity"),
    "inputs": _("input"),
    "outputs": _("output"),
    "tools": _("tool"),
    "steps": _("step"),
    "routing": _("routing outcome"),
    "params": _("parameter"),
    "choices": _("choice"),
    "key": _("key"),
    "name": _("name"),
    "description": _("description"),
    "required_pass_rate": _("required pass rate"),
    "summary": _("summary"),
    "aliases": _("aliases"),
    "examples": _("example requests"),
    "when_not_to_use": _("when not to use it"),
    "instructions": _("instructions"),
    "guardrails": _("limits"),
    "template": _("response template"),
    "entry": _("may be asked for"),
    "chaining": _("declares its intentions"),
    "type": _("type"),
    "label": _("label"),
    "required": _("required"),
    "is_list": _("several values"),
    "minimum": _("minimum"),
    "maximum": _("maximum"),
    "max_length": _("greatest length"),
    "pattern": _("pattern"),
    "reference": _("kind of record"),
    "protected": _("protected kind"),
    "cues": _("announcing words"),
    "words": _("words"),
    "source": _("source"),
    "fact": _("fact"),
    "input": _("input"),
    "fixed": _("fixed value"),
    "fallback": _("fallback text"),
    "raise_risk": _("raised risk"),
    "confirm": _("always confirmed"),
    "disclose_raw": _("raw disclosure"),
    "opens": _("opening"),
    "goal": _("goal"),
    "tool_choice": _("tool choice"),
    "passes_when": _("passes when"),
    "stops_when": _("stops when"),
    "stop_message": _("message when it stops"),
    "max_attempts": _("attempts"),
    "escalate_to": _("escalates to"),
    "other_person": _("another person decides"),
    "when": _("condition"),
    "activity": _("hands over to"),
    "max_model_calls": _("model calls"),
    "max_tool_calls": _("tool calls"),
    "max_duration_seconds": _("seconds"),
    "max_output_tokens": _("output tokens"),
    "max_context_bytes": _("context bytes"),
    "en": _("English"),
    "fr": _("French"),
    ORDER: _("order"),
}


@dataclass(frozen=True)
class Change:
    """One change. `path` is stable (keys and field names); `place` is the same in the reader's language.

    `before` is None for what was added, `after` for what was removed.
    """

    path: tuple[str, ...]
    place: str
    before: Any
    after: Any

    @property
    def kind(self) -> str:
        """`added`, `removed` or `changed`."""
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "changed"

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The lines of two texts: (" " | "-" | "+", line); empty unless both are texts."""
        if not (isinstance(self.before, str) and isinstance(self.after, str)):
            return []
        return list(_lines(self.before.splitlines(), self.after.splitlines()))

    def as_data(self) -> dict[str, Any]:
        """Return it for the audit history."""
        return {"place": "/".join(self.path), "before": self.before, "after": self.after}


def difference(before: Revision, after: Revision) -> list[Change]:
    """Return what changed from one revision to another, in the order of the document."""
    return difference_of(document(before), document(after))


def difference_of(before: Document, after: Document) -> list[Change]:
    """Return what changed from one document to another (`activities.exporting.document`)."""
    return list(_objects((), (), before, after))


def _lines(before: list[str], after: list[str]) -> Iterator[tuple[str, str]]:
    for kind, start, end, new_start, new_end in SequenceMatcher(None, before, after).get_opcodes():
        if kind == "equal":
            yield from ((" ", line) for line in before[start:end])
        else:
            yield from (("-", line) for line in before[start:end])
            yield from (("+", line) for line in after[new_start:new_end])


def _objects(
    path: tuple[str, ...], words: tuple[str, ...], before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Change]:
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if old != new:
            yield from _values((*path, name), name, words, old, new)


def _values(path: tuple[str, ...], name: str, words: tuple[str, ...], old: Any, new: Any) -> Iterator[Change]:
    if name in NAMED_BY and _are_parts(old) and _are_parts(new):
        yield from _parts(path, words, NAMED_BY[name], old or [], new or [])
    elif name == "params":
        yield from _named(path, words, old or {}, new or {})
    elif name != "fixed" and isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _objects(path, (*words, _word(name)), old, new)
    else:
        yield Change(path, " / ".join((*words, _word(name))), _shown(old), _shown(new))


def _are_parts(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(item, Mapping) for item in value))


def _parts(
    path: tuple[str, ...], words: tuple[str, ...], named_by: str, old: Sequence[Any], new: Sequence[Any]
) -> Iterator[Change]:
    before = {str(part[named_by]): part for part in old}
    after = {str(part[named_by]): part for part in new}
    yield from _named(path, words, before, after)
    kept_before, kept_after = [k for k in before if k in after], [k for k in after if k in before]
    if kept_before != kept_after:
        place = " / ".join((*words, _word(path[-1]), _word(ORDER)))
        yield Change((*path, ORDER), place, kept_before, kept_after)


def _named(
    path: tuple[str, ...], words: tuple[str, ...], before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Change]:
    """Compare parts that have names."""
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        here = (*words, f"{_word(path[-1])} “{_name_of(key, new or old or {})}”")
        if old is None or new is None:
            yield Change((*path, key), " / ".join(here), _shown(old), _shown(new))
        else:
            yield from _objects((*path, key), here, old, new)


def _name_of(key: str, part: Mapping[str, Any]) -> str:
    name = part.get("name")
    return in_language(name, "en") or key if isinstance(name, dict) else key


def _word(name: str) -> str:
    return str(_WORDS.get(name, name))


def _shown(value: Any) -> Any:
    """Return a value without the empty parts that say nothing."""
    if isinstance(value, Mapping):
        return {key: _shown(item) for key, item in value.items() if item not in (None, "", [], {})}
    return [_shown(item) for item in value] if isinstance(value, list) else value
