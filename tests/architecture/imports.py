"""Reads every import of the product, at whatever depth it stands, without running anything."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("agentapp", "accounts", "activities", "runs", "examples")
#: Calls that import a module named by a string.
DYNAMIC = {"import_module", "import_string", "__import__"}


@dataclass(frozen=True)
class Import:
    """One module naming another. `typing_only` ones do not exist when the product runs."""

    importer: str
    imported: str
    line: int
    typing_only: bool = False

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


@cache
def modules() -> dict[str, Path]:
    """Dotted name → file, of every module of the product except migrations."""
    files = (path for package in PACKAGES for path in (REPOSITORY / package).rglob("*.py"))
    return {_dotted(path): path for path in files if "migrations" not in path.parts}


def _dotted(path: Path) -> str:
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports() -> tuple[Import, ...]:
    """Every import of every module."""
    return tuple(item for name, path in modules().items() for item in imports_of(name, path.read_text()))


def imports_of(name: str, source: str, is_package: bool | None = None) -> Iterator[Import]:
    """Yield the imports of one module's source, in functions and strings too."""
    tree = ast.parse(source)
    typing_only = set(_under_type_checking(tree))
    package = is_package if is_package is not None else modules()[name].name == "__init__.py"
    for node in ast.walk(tree):
        for imported in _named_by(node, name, package):
            yield Import(name, imported, node.lineno, typing_only=node in typing_only)  # type: ignore[attr-defined]


def _under_type_checking(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from (inner for statement in node.body for inner in ast.walk(statement))


def _named_by(node: ast.AST, importer: str, package: bool) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _base(node, importer, package)
        yield from (_target(base, alias.name) for alias in node.names)
    elif isinstance(node, ast.Call) and _called(node) in DYNAMIC:
        yield from (
            arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
        )


def _base(node: ast.ImportFrom, importer: str, package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = importer.split(".")
    up = parts[: len(parts) - node.level + (1 if package else 0)]
    return ".".join([*up, *([node.module] if node.module else [])])


def _target(base: str, name: str) -> str:
    """`from a.b import c` is about the module a.b.c if there is one, else about a.b."""
    return f"{base}.{name}" if f"{base}.{name}" in modules() else base


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def circles(edges: set[tuple[str, str]]) -> list[list[str]]:
    """Return the groups of modules that import one another, directly or not (Tarjan)."""
    graph: dict[str, list[str]] = {}
    for start, end in edges:
        graph.setdefault(start, []).append(end)
        graph.setdefault(end, [])
    return [sorted(group) for group in _components(graph) if len(group) > 1 or group[0] in graph[group[0]]]


def _components(graph: dict[str, list[str]]) -> Iterator[list[str]]:
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for following in graph[node]:
            if following not in order:
                visit(following)
                low[node] = min(low[node], low[following])
            elif following in stack:
                low[node] = min(low[node], order[following])
        if low[node] == order[node]:
            at = stack.index(node)
            found.append(stack[at:])
            del stack[at:]

    for node in sorted(graph):
        if node not in order:
            visit(node)
    yield from found
