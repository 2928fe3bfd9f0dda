"""Several requests in one message: cut only where each part asks for something of its own."""

import pytest

from activities.discovery.embedder import default_embedder
from agentapp.kernel.text import contains_words
from runs.llm.base import SEVERAL, CardSpec, RouteTask
from runs.llm.builtin.routing import choose

CARDS = (
    CardSpec(
        "garden.water",
        "Water a bed",
        "Waters a flower bed of the garden.",
        ("watering", "arroser", "arrosage"),
        ("Water the bed R-12.", "Give bed R-13 some water.", "Arrose le massif R-12."),
    ),
    CardSpec(
        "garden.prune",
        "Prune a tree",
        "Cuts a tree back.",
        ("pruning", "cut a tree", "tailler", "taille d'un arbre"),
        ("Prune the tree T-4.", "Cut back tree T-5.", "Taille l'arbre T-4."),
    ),
    CardSpec(
        "garden.list",
        "List plants",
        "Lists the plants that are there.",
        ("plants", "list plants", "plantes"),
        ("Show me the plants of R-12.", "List all plants.", "Montre-moi les plantes."),
    ),
)


def parts(text: str) -> list[tuple[str, str, bool]]:
    answer = choose(RouteTask(text, CARDS, "en"), default_embedder())
    if answer["decision"] != SEVERAL:
        assert not answer.get("several")
        return []
    found: list[dict[str, object]] = answer["several"]  # type: ignore[assignment]
    assert all(contains_words(text, str(item["words"])) for item in found)
    return [(str(item["activity"]), str(item["words"]), bool(item["needs_earlier"])) for item in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Water the bed R-12 and prune the tree T-4.",
            [("garden.water", "Water the bed R-12", False), ("garden.prune", "prune the tree T-4", False)],
        ),
        (
            "Arrose le massif R-12 car il fait chaud, puis taille l'arbre T-4.",
            [
                ("garden.water", "Arrose le massif R-12 car il fait chaud", False),
                ("garden.prune", "taille l'arbre T-4", False),
            ],
        ),
        (
            "Water the bed R-12 and water the bed R-13",
            [("garden.water", "Water the bed R-12", False), ("garden.water", "water the bed R-13", False)],
        ),
        (
            "Show me the plants of R-12, then water it",
            [("garden.list", "Show me the plants of R-12", False), ("garden.water", "water it", True)],
        ),
    ],
)
def test_each_part_is_cut_from_the_message(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert parts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Water the bed R-12 because it is dry and the flowers hang.",
        "Water the beds R-12 and R-13.",
        "Show me the plants and the trees.",
        "Water the bed R-12 and tell me a joke.",
        "Water it and water it.",
        'Water the bed called "prune the tree and list plants".',
        "And then?",
        "",
    ],
)
def test_what_is_one_request_stays_one(text: str) -> None:
    assert parts(text) == []
