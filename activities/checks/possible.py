"""Whether a condition can ever hold, given which facts can be there when it is asked.

What a fact will say is not known; that it is not there yet is.
"""

from collections.abc import Collection

from activities.expressions import tree
from activities.expressions.tree import Node, path_of


def may_hold(node: Node, facts: Collection[str]) -> bool:
    """True unless it never holds, with no other facts than these."""
    return _may(node, frozenset(facts), wanted=True)


def missing(node: Node, facts: Collection[str]) -> list[str]:
    """Return the facts that the condition reads and that cannot be there, each once."""
    return list(dict.fromkeys(key for key in _read(node) if key not in facts))


def _may(node: Node, facts: frozenset[str], *, wanted: bool) -> bool:
    """True when the value may be `wanted`."""
    match node:
        case tree.Literal():
            return node.value is wanted
        case tree.Unary("!"):
            return _may(node.operand, facts, wanted=not wanted)
        case tree.Binary("&&"):
            either = any if not wanted else all
            return either(_may(each, facts, wanted=wanted) for each in (node.left, node.right))
        case tree.Binary("||"):
            either = any if wanted else all
            return either(_may(each, facts, wanted=wanted) for each in (node.left, node.right))
        case tree.Choice():
            return any(_may(each, facts, wanted=wanted) for each in (node.yes, node.no))
        case tree.Call(target=None, function="has") if _direct(node):
            # Asking whether a fact is there can be answered when it is not: with no.
            return not wanted or _direct(node) in facts
    return all(key in facts for key in _read(node))


def _direct(node: tree.Call) -> str:
    """Return the fact of `has(facts.key)`, an empty string for anything else."""
    path = path_of(node.arguments[0]).split(".") if node.arguments else []
    return path[1] if len(path) == 2 and path[0] == "facts" else ""


def _read(node: Node) -> list[str]:
    """Return the facts that the node cannot do without."""
    path = path_of(node).split(".")
    if len(path) > 1 and path[0] == "facts":
        return [path[1]]
    return [key for child in _children(node) for key in _read(child)]


def _children(node: Node) -> tuple[Node, ...]:
    match node:
        case tree.Select():
            return (node.target,)
        case tree.Index():
            return (node.target, node.index)
        case tree.Call():
            return (*([node.target] if node.target else []), *node.arguments)
        case tree.Listing():
            return node.items
        case tree.Mapping():
            return tuple(each for entry in node.entries for each in entry)
        case tree.Unary():
            return (node.operand,)
        case tree.Binary():
            return (node.left, node.right)
        case tree.Choice():
            return (node.condition, node.yes, node.no)
    return ()
