"""Protected values: tokens in front of a model, the values themselves behind it.

A result field that its contract marks protected is replaced by a stable token of this run before any
model sees it, unless contract, designer and user each allow the raw value. Tokens that come back in
arguments or prose are restored by code, never by a model.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from activities.models import ToolBinding
from activities.tools import ToolContract
from agentapp.kernel.compiled import Compiled
from runs.models import ProtectedValue, Run

_TOKEN = re.compile(r"\[\[[a-z_]+-\d+\]\]")
#: What a person may write that a model has no need to read: e-mail addresses, IBANs, card numbers.
_IN_WORDS = {
    "email": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "iban": re.compile(r"\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){3,7}(?:\s?[A-Z0-9]{1,3})?\b"),
    "card": re.compile(r"\b(?:\d[ -]?){13,19}\b"),
}


_VALUES = Compiled(lambda run: ProtectedValue.objects.filter(run=run))


@dataclass
class Vault:
    """The tokens of one run. New ones are kept until :meth:`save`."""

    run_id: UUID
    by_value: dict[tuple[str, str], str] = field(default_factory=dict)
    by_token: dict[str, str] = field(default_factory=dict)
    unsaved: list[ProtectedValue] = field(default_factory=list)

    @classmethod
    def of(cls, run: Run) -> "Vault":
        vault = cls(run.pk)
        for row in _VALUES.rows(run.pk):
            vault.by_value[row.kind, row.value] = row.token
            vault.by_token[row.token] = row.value
        return vault

    def token(self, kind: str, value: str) -> str:
        """Return the token of `value`, a new one if it has none yet."""
        known = self.by_value.get((kind, value))
        if known:
            return known
        number = 1 + sum(1 for stored, _value in self.by_value if stored == kind)
        token = f"[[{kind}-{number}]]"
        self.by_value[kind, value] = token
        self.by_token[token] = value
        self.unsaved.append(ProtectedValue(run_id=self.run_id, kind=kind, token=token, value=value))
        return token

    def save(self) -> None:
        """Write the new tokens, in the current transaction."""
        if self.unsaved:
            ProtectedValue.objects.bulk_create(self.unsaved)
            self.unsaved = []

    def project_words(self, text: str) -> str:
        """Replace what looks protected in a person's words."""
        for kind, pattern in _IN_WORDS.items():
            for value in dict.fromkeys(match.group() for match in pattern.finditer(text)):
                text = text.replace(value, self.token(kind, value))
        return text

    def project_json(self, value: Any) -> Any:
        """Replace what looks protected in every string of a JSON value."""
        if isinstance(value, str):
            return self.project_words(value)
        if isinstance(value, Mapping):
            return {key: self.project_json(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.project_json(item) for item in value]
        return value

    def restore(self, value: Any) -> Any:
        """Put the values back for the tokens in `value` (any JSON). Unknown tokens stay as they are."""
        if isinstance(value, str):
            return _TOKEN.sub(lambda match: self.by_token.get(match.group(), match.group()), value)
        if isinstance(value, Mapping):
            return {key: self.restore(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.restore(item) for item in value]
        return value

    def hide(self, text: str) -> str:
        """Replace every protected value of this run that stands in `text` by its token."""
        for (_kind, value), token in sorted(self.by_value.items(), key=lambda item: -len(item[0][1])):
            text = text.replace(value, token)
        return text


def disclosed(contract: ToolContract, path: str, binding: ToolBinding | None, run: Run) -> bool:
    """True when contract, designer and user all allow the raw value at `path`."""
    return (
        contract.protected[path].raw_allowed
        and binding is not None
        and binding.disclose_raw
        and run.raw_consent
    )


def project(
    data: Mapping[str, Any], contract: ToolContract, binding: ToolBinding | None, run: Run, vault: Vault
) -> dict[str, Any]:
    """Return a result as a model may see it."""
    projected: Any = data
    for path, mark in contract.protected.items():
        if not disclosed(contract, path, binding, run):
            projected = _replace(projected, path.split("."), partial(vault.token, mark.kind))
    return dict(projected)


def protect(data: Mapping[str, Any], contract: ToolContract, vault: Vault) -> None:
    """Give every protected value in `data` its token, so that it can be hidden from other people too."""
    for path, mark in contract.protected.items():
        for value in _values(data, path.split(".")):
            vault.token(mark.kind, value)


def _replace(node: Any, parts: list[str], change: Any) -> Any:
    if node is None:
        return None
    if not parts:
        if isinstance(node, list):
            return [_replace(item, parts, change) for item in node]
        return change(node) if isinstance(node, str) and node else node
    name, rest = parts[0].removesuffix("[]"), parts[1:]
    if isinstance(node, list):
        return [_replace(item, parts, change) for item in node]
    if isinstance(node, Mapping) and name in node:
        return {key: _replace(item, rest, change) if key == name else item for key, item in node.items()}
    return node


def _values(node: Any, parts: list[str]) -> Iterable[str]:
    found: list[str] = []

    def keep(value: str) -> str:
        found.append(value)
        return value

    _replace(node, parts, keep)
    return found
