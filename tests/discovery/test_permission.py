"""What a person may not use is in no result, no score, no count and no statistic."""

from dataclasses import replace

import pytest

from accounts.standing import standing
from activities.discovery import census, pool, rarities, sketches
from activities.discovery.found import CataloguePart, Found
from activities.discovery.index.vectors import embed_due
from activities.discovery.permitted import Scope
from activities.models import ToolGroup, ToolGroupEntry
from tests.discovery.finding import READING, find, keys
from tests.loopback.embeddings import EmbeddingServer
from tests.support.catalogue import catalogue, key_of, names, reading
from tests.support.world import World

ASKED = "the price of chairs, and the colour of lamps"


def seen(found: Found) -> Found:
    """All a person can learn from a result but how long it took."""
    return replace(found, milliseconds=0.0)


@pytest.fixture(params=["few", "many", "thousands"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ways of a search: all permitted cards are ranked, or a pool of them, or one got by sketches."""
    if request.param != "few":
        monkeypatch.setattr(census, "WHOLE", 5)
    if request.param == "thousands":
        monkeypatch.setattr(pool, "_AT_ONCE", 5)
        monkeypatch.setattr(pool, "_OVER", 1)
    return str(request.param)


def test_three_people(world: World, embeddings: EmbeddingServer, size: str) -> None:
    with catalogue(*map(reading, names(12))):
        embed_due()
        assert keys(find(world, ASKED))[:1] == [key_of("price of chairs")]
        for person in (world.member, world.stranger, world.root):
            found = find(world, ASKED, user=person)
            assert (found.cards, found.permitted, found.verdict) == ((), 0, "none")


def test_what_is_forbidden_changes_nothing(world: World, embeddings: EmbeddingServer, size: str) -> None:
    """Twenty tools that fit better: behind another permission, in another workspace, and withdrawn."""
    allowed = [reading(name) for name in names(12)]
    hidden = [
        reading(
            f"{name} at once",
            permission="store.secret" if place % 2 else "store.read",
            workspace_id=None if place % 2 else world.elsewhere.pk,
            summary="The price of chairs, and the colour of lamps.",
        )
        for place, name in enumerate(names(20))
    ]
    with catalogue(*allowed):
        embed_due()
        before = find(world, ASKED, limit=20)
        counted = rarities.rarity_of(_scope(world), census.census(_scope(world), before.query))
        with catalogue(*hidden):
            embed_due()
            rarities.forget()
            sketches.forget()
            assert seen(find(world, ASKED, limit=20)) == seen(before)
            assert rarities.rarity_of(_scope(world), census.census(_scope(world), before.query)) == counted
    assert before.permitted == 12


def _scope(world: World) -> Scope:
    permissions = standing(world.owner, world.workspace).permissions
    return Scope(world.owner, world.workspace, permissions, READING, "tool")


def test_a_part_is_named_by_keys_tags_groups_or_sources(world: World, embeddings: EmbeddingServer) -> None:
    first, second, third, fourth = (reading(name, tags=()) for name in names(4))
    tools = [first, replace(second, tags=("odd",)), replace(third, source="mcp:shop"), fourth]
    group = ToolGroup.objects.create(workspace=world.workspace, key="mine")
    ToolGroupEntry.objects.create(group=group, tool_key=fourth.key)
    other = ToolGroup.objects.create(workspace=world.elsewhere, key="mine")
    ToolGroupEntry.objects.create(group=other, tool_key=first.key)
    with catalogue(*tools):
        parts = {
            first.key: CataloguePart(keys=frozenset([first.key])),
            second.key: CataloguePart(tags=frozenset(["odd"])),
            third.key: CataloguePart(sources=frozenset(["mcp:shop"])),
            fourth.key: CataloguePart(groups=frozenset(["mine"])),
        }
        for key, part in parts.items():
            found = find(world, ASKED, part=part)
            assert (keys(found), found.permitted) == ([key], 1)
        assert find(world, ASKED, part=CataloguePart()).permitted == 0
