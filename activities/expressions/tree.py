"""The nodes of an expression. `at` is the position of a node's first character."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Literal:
    value: Any
    at: int


@dataclass(frozen=True)
class Name:
    name: str
    at: int


@dataclass(frozen=True)
class Select:
    """`target.field`"""

    target: "Node"
    field: str
    at: int


@dataclass(frozen=True)
class Index:
    """`target[index]`"""

    target: "Node"
    index: "Node"
    at: int


@dataclass(frozen=True)
class Call:
    """`function(...)`, or `target.function(...)`."""

    target: "Node | None"
    function: str
    arguments: tuple["Node", ...]
    at: int


@dataclass(frozen=True)
class Listing:
    items: tuple["Node", ...]
    at: int


@dataclass(frozen=True)
class Mapping:
    entries: tuple[tuple["Node", "Node"], ...]
    at: int


@dataclass(frozen=True)
class Unary:
    operator: str
    operand: "Node"
    at: int


@dataclass(frozen=True)
class Binary:
    operator: str
    left: "Node"
    right: "Node"
    at: int


@dataclass(frozen=True)
class Choice:
    """`condition ? yes : no`"""

    condition: "Node"
    yes: "Node"
    no: "Node"
    at: int


Node = Literal | Name | Select | Index | Call | Listing | Mapping | Unary | Binary | Choice

#: They run their second argument once for each item of their target.
MACROS = ("all", "exists", "exists_one", "filter", "map")


def path_of(node: Node) -> str:
    """Return `facts.get_invoice.amount` for such a node, an empty string for any other."""
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Select):
        target = path_of(node.target)
        return f"{target}.{node.field}" if target else ""
    return ""
