"""One way and no circle: kernel ← accounts ← activities ← runs, in-function imports included."""

import ast

import pytest

from tests.architecture.imports import circles, imports, imports_of, modules

#: What each part may name of the product, beside itself.
MAY_NAME = {
    "agentapp.kernel": (),
    "accounts": ("agentapp.kernel",),
    "activities": ("agentapp.kernel", "accounts"),
    "runs": ("agentapp.kernel", "accounts", "activities"),
}
PARTS = (*MAY_NAME, "examples")
#: The sample app's only ways into the product: its tools' contract, and how its demonstration is set up.
EXAMPLE_MAY_NAME = {"activities.tools", "accounts.models", "agentapp.kernel.text", "agentapp.kernel.ids"}
EXAMPLE_DEMO_MAY_NAME = EXAMPLE_MAY_NAME | {
    "activities.actions",
    "activities.blueprint",
    "activities.importing",
    "activities.models",
    "activities.prompt_parts",
    "activities.publishing",
    "accounts.access",
    "accounts.actions",
    "agentapp.kernel.errors",
}
EXAMPLE_DEMO = ("examples.billing.demo", "examples.billing.management", "examples.billing.blueprint")


def inside(module: str, part: str) -> bool:
    return module == part or module.startswith(f"{part}.")


def is_ours(module: str) -> bool:
    return any(inside(module, top) for top in ("agentapp", "accounts", "activities", "runs", "examples"))


@pytest.mark.parametrize("part", MAY_NAME)
def test_imports_go_one_way(part):
    allowed = (part, *MAY_NAME[part])
    wrong = [
        str(item)
        for item in imports()
        if inside(item.importer, part)
        and is_ours(item.imported)
        and not any(inside(item.imported, name) for name in allowed)
    ]
    assert not wrong


def test_no_module_is_part_of_a_circle():
    edges = {
        (item.importer, item.imported)
        for item in imports()
        if not item.typing_only and item.imported in modules() and item.imported != item.importer
    }
    assert not circles(edges)


def test_the_example_uses_only_the_public_tool_contract():
    wrong = [
        str(item)
        for item in imports()
        if inside(item.importer, "examples") and is_ours(item.imported) and not allowed_to_example(item)
    ]
    assert not wrong


def allowed_to_example(item):
    in_demo = any(inside(item.importer, part) for part in EXAMPLE_DEMO)
    names = EXAMPLE_DEMO_MAY_NAME if in_demo else EXAMPLE_MAY_NAME
    return inside(item.imported, "examples") or item.imported in names


def test_nothing_of_the_product_names_the_example():
    wrong = [
        str(item)
        for item in imports()
        if inside(item.imported, "examples")
        and any(inside(item.importer, part) for part in ("accounts", "activities", "runs", "agentapp.kernel"))
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("library", "where"),
    [
        ("guardian", ("accounts.access",)),
        ("openai", ("runs.llm", "activities.discovery")),
        ("nh3", ("agentapp.kernel",)),
        ("mcp", ("activities.mcp.session", "activities.mcp.stdio")),
        ("mcp_types", ("activities.mcp.session", "activities.mcp.stdio")),
    ],
)
def test_a_library_is_named_in_one_place(library, where):
    wrong = [
        str(item)
        for item in imports()
        if inside(item.imported, library) and not any(inside(item.importer, place) for place in where)
    ]
    assert not wrong


def test_the_walk_sees_every_module():
    assert {"accounts.access", "runs.states", "agentapp.kernel.errors", "activities.tools"} <= set(modules())
    assert {item.importer.split(".")[0] for item in imports()} == {
        "accounts",
        "activities",
        "agentapp",
        "examples",
        "runs",
    }


@pytest.mark.parametrize(
    "source",
    [
        "import runs.models",
        "from runs import models",
        "from runs.models import Run",
        "def late():\n    from runs.models import Run",
        "class A:\n    def b(self):\n        if True:\n            import runs.models as m",
        "import importlib\nimportlib.import_module('runs.models')",
        "from django.utils.module_loading import import_string\nimport_string('runs.models.Run')",
    ],
)
def test_the_walk_finds_an_import_wherever_it_hides(source):
    found = [item.imported for item in imports_of("accounts.example", source, is_package=False)]
    assert any(inside(name, "runs.models") for name in found)


def test_the_walk_finds_relative_imports():
    found = [
        item.imported for item in imports_of("runs.engine.loop", "from ..states import X", is_package=False)
    ]
    assert found == ["runs.states"]


def test_circles_are_found_at_any_length():
    assert circles({("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")}) == [["a", "b", "c"]]
    assert circles({("a", "b"), ("a", "c"), ("b", "c")}) == []


STATE_NAMES = {"state", "outcome", "verdict"}


def test_no_state_is_spelled_outside_its_file():
    """`run.state == "finished"` breaks silently when the word changes; `RunState.FINISHED` does not."""
    wrong = [
        f"{name}:{node.lineno}"
        for name, path in modules().items()
        if inside(name, "runs") and name != "runs.states"
        for node in ast.walk(ast.parse(path.read_text()))
        if spells_a_state(node)
    ]
    assert not wrong


def spells_a_state(node):
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return any(map(is_state, sides)) and any(holds_text(side) for side in sides)
    if isinstance(node, ast.keyword) and node.arg:
        return bool(STATE_NAMES & set(node.arg.split("__"))) and holds_text(node.value)
    if isinstance(node, ast.Assign):
        return any(map(is_state, node.targets)) and holds_text(node.value)
    return False


def is_state(node):
    return isinstance(node, ast.Attribute) and node.attr in STATE_NAMES


def holds_text(node):
    """True for a non-empty text, also inside a tuple, list or set."""
    items = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    return any(
        isinstance(item, ast.Constant) and isinstance(item.value, str) and item.value for item in items
    )


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("run.state == 'finished'", True),
        ("run.state in ('queued', 'working')", True),
        ("Run.objects.filter(state='finished')", True),
        ("Run.objects.filter(state__in=['finished'])", True),
        ("Run.objects.filter(run__state='finished')", True),
        ("run.state = 'finished'", True),
        ("run.state == RunState.FINISHED", False),
        ("Run(outcome='')", False),
    ],
)
def test_the_spelling_check_sees(source, found):
    assert any(map(spells_a_state, ast.walk(ast.parse(source)))) is found
