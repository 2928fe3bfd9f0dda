"""Calls in the making: fragments joined, and two calls never taken for one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runs.llm import exact
from runs.llm.loose import index_of, mapping_of, text_of
from runs.llm.spoken import whole_characters


@dataclass
class Call:
    """A call in the making."""

    index: int | str | None
    id: str
    name: str
    parts: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        return whole_characters("".join(self.parts))

    def is_another(self, fragment: "Fragment") -> bool:
        """True when `fragment` cannot go on with this call, whatever index and id they share."""
        if not (fragment.name and self.name):
            return fragment.whole and bool(self.parts)
        if fragment.name != self.name:
            return True
        return bool(fragment.arguments and self.parts) and (
            fragment.whole or exact.is_document(self.arguments)
        )

    def add(self, fragment: "Fragment") -> None:
        self.id = self.id or fragment.id
        self.name = self.name or fragment.name
        if fragment.arguments:
            self.parts.append(fragment.arguments)


@dataclass(frozen=True)
class Fragment:
    """A piece of a call; `whole` when its arguments came as an object, which nothing can continue."""

    index: int | str | None
    id: str
    name: str
    arguments: str
    whole: bool = False

    @classmethod
    def read(cls, entry: Mapping[str, Any], index: object) -> "Fragment":
        function = mapping_of(entry.get("function"))
        arguments = function.get("arguments")
        as_text = isinstance(arguments, str)
        written = arguments if as_text else "" if arguments is None else exact.dumps(arguments)
        return cls(
            index_of(index),
            text_of(entry.get("id")),
            text_of(function.get("name")),
            str(written),
            not as_text and bool(written),
        )


class CallAccumulator:
    """Joins the fragments of calls. A reused index with another id or name starts another call."""

    def __init__(self) -> None:
        self._calls: list[Call] = []

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, fragment: Fragment) -> None:
        call = self._continued_by(fragment)
        if call is None:
            call = Call(fragment.index, fragment.id, fragment.name)
            self._calls.append(call)
        call.add(fragment)

    def calls(self) -> list[Call]:
        return list(self._calls)

    def _continued_by(self, fragment: Fragment) -> Call | None:
        same = [call for call in reversed(self._calls) if call.index == fragment.index]
        if fragment.id:
            by_id = next((call for call in same if call.id == fragment.id), None)
            candidate = by_id or (same[0] if same and not same[0].id else None)
        elif same:
            candidate = same[0]
        else:
            # A continuation that lost its index goes on with the latest call; a new name never does.
            candidate = (
                self._calls[-1] if self._calls and fragment.index is None and not fragment.name else None
            )
        return None if candidate is None or candidate.is_another(fragment) else candidate
