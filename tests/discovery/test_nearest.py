"""Sketches and the approximate index find what comparing every vector finds, whatever a filter leaves."""

from uuid import UUID

import numpy as np
import pytest
from django.conf import LazySettings
from django.db import connection
from pgvector import HalfVector

from accounts.standing import standing
from activities.discovery import pool, sketches
from activities.discovery.census import census
from activities.discovery.found import CataloguePart
from activities.discovery.index import nearest
from activities.discovery.permitted import Scope
from activities.models import Card, CardKind, CardVector
from agentapp.kernel.ids import uuid7
from tests.support.world import World

CARDS, DIMENSIONS, EMBEDDER = 2_000, 32, "test/32"
RIGHTS = {"store.read": 0.5, "store.write": 0.05}


@pytest.fixture
def vectors() -> np.ndarray:
    """Sentences lie in clumps: cards of a clump are near each other."""
    chance = np.random.default_rng(1)
    clumps = chance.standard_normal((60, DIMENSIONS))
    rows = clumps[chance.integers(0, 60, CARDS)] + 0.6 * chance.standard_normal((CARDS, DIMENSIONS))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def indexed(world: World, vectors: np.ndarray, settings: LazySettings) -> None:
    """Half of the cards are read with one right, a few with another, the rest with none that anybody has."""
    settings.DISCOVERY_EXACT_UP_TO = 50
    sketches.forget()
    chance = np.random.default_rng(2)
    rights = chance.choice([*RIGHTS, "store.secret"], CARDS, p=[*RIGHTS.values(), 1 - sum(RIGHTS.values())])
    cards = Card.objects.bulk_create(
        Card(kind=CardKind.TOOL, key=f"near.{place}", permission=right, tags=["near"], digest="x", words="")
        for place, right in enumerate(rights.tolist())
    )
    CardVector.objects.bulk_create(
        CardVector(
            card=card,
            permission=card.permission,
            embedder=EMBEDDER,
            vector=HalfVector(row),
            example_vector=HalfVector(row),
            texts=b"",
        )
        for card, row in zip(cards, vectors, strict=True)
    )
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    nearest.keep_up(EMBEDDER, DIMENSIONS, changed=0)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE activities_cardvector, activities_card")


def scope(world: World, *rights: str) -> Scope:
    held = standing(world.owner, world.workspace).permissions
    assert set(rights) <= held
    part = CataloguePart(tags=frozenset(["near"]))
    return Scope(world.owner, world.workspace, frozenset(rights), part, CardKind.TOOL)


@pytest.mark.usefixtures("indexed")
def test_it_finds_what_comparing_every_vector_finds_whatever_the_filter_leaves(
    world: World, vectors: np.ndarray, settings: LazySettings
) -> None:
    asked = vectors[np.random.default_rng(3).integers(0, CARDS, 20)] + 0.05
    for rights in (("store.read", "store.write"), ("store.write",)):
        mine = scope(world, *rights)
        counted = census(mine, EMBEDDER)
        assert counted.permitted > settings.DISCOVERY_EXACT_UP_TO
        allowed = set(mine.cards().values_list("pk", flat=True))
        recalls = []
        for row in asked:
            found = pool.by_vectors(mine, counted, EMBEDDER, row[None])
            assert found <= allowed
            exact = set(pool._exact(mine, EMBEDDER, [pool._literal(row.tolist())]))
            recalls.append(len(found & exact) / len(exact))
        assert np.mean(recalls) >= 0.95
    assert _uses(nearest.name_of(EMBEDDER, "vector"))
    nearest.keep_up("another/32", DIMENSIONS, changed=0)
    assert not _uses(nearest.name_of(EMBEDDER, "vector"))


@pytest.mark.usefixtures("indexed")
def test_sketches_find_it_too_and_read_few_vectors(
    world: World, vectors: np.ndarray, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DISCOVERY_EXACT_UP_TO = 10_000
    monkeypatch.setattr(pool, "_AT_ONCE", 50)
    asked = vectors[np.random.default_rng(3).integers(0, CARDS, 20)] + 0.05
    mine = scope(world, "store.read")
    counted = census(mine, EMBEDDER)
    recalls = []
    for row in asked:
        near = sketches.near(mine, counted, EMBEDDER, row[None], 200)
        assert 200 <= len(near) < counted.permitted / 2
        exact = set(pool._exact(mine, EMBEDDER, [pool._literal(row.tolist())]))
        found = pool.by_vectors(mine, counted, EMBEDDER, row[None])
        recalls.append(len(found & exact) / len(exact))
    # Of 32 bits; the encoder's vectors have 512.
    assert np.mean(recalls) >= 0.9


@pytest.mark.usefixtures("indexed")
def test_sketches_are_of_the_permitted_cards_and_made_anew_when_these_change(
    world: World, vectors: np.ndarray
) -> None:
    asked = vectors[:1]

    def near(*rights: str) -> set[UUID]:
        mine = scope(world, *rights)
        return sketches.near(mine, census(mine, EMBEDDER), EMBEDDER, asked, CARDS)

    readable, writable = (
        set(Card.objects.filter(permission=right).values_list("pk", flat=True)) for right in RIGHTS
    )
    assert near("store.read") == readable
    assert near("store.write") == writable
    assert near("store.read", "store.write") == readable | writable
    # One goes, another comes: as many as before, and none of them touched later than the last one was.
    gone, come = min(writable), min(readable)
    for card, right in ((gone, "store.read"), (come, "store.write")):
        Card.objects.filter(pk=card).update(permission=right)
    assert near("store.write") == writable - {gone} | {come}
    assert near("store.read") == readable - {come} | {gone}


@pytest.mark.parametrize("dimensions", [1, 7, 64, 100])
def test_a_sketch_has_a_bit_for_each_dimension(dimensions: int) -> None:
    rows = np.random.default_rng(4).standard_normal((5, dimensions)).astype(">f2")
    ids = [uuid7() for _row in rows]
    drawn = sketches.Sketches(ids, [b"head" + row.tobytes() for row in rows])
    assert drawn.nearest(rows[2].astype(np.float32), 5) == set(ids)
    assert drawn.nearest(rows[2].astype(np.float32), 1) == {ids[2]} or dimensions < 64


def _uses(index: str) -> bool:
    """True when the database has looked something up in the index."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(sum(pg_stat_get_xact_numscans(oid)), 0) > 0 FROM pg_class WHERE relname = %s",
            [index],
        )
        return bool(cursor.fetchone()[0])
