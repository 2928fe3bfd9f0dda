"""Requests nobody foresaw, and catalogues that are odd or change under the search."""

import threading
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from activities.discovery import census, prepared
from activities.discovery.index import refresh
from activities.discovery.index.vectors import embed_due
from activities.models import Card
from tests.discovery.finding import find, keys
from tests.support.catalogue import catalogue, key_of, names, reading
from tests.support.world import World

pytestmark = pytest.mark.usefixtures("embeddings")

ODD = {
    "empty": "",
    "blank": " \n\t\u00a0",
    "emoji": "🪑💶❓",
    "marks": "?!… — «»",
    "zero": "\x00\x00",
    "long": "please " * 7_000 + "the price of chairs",
    "one word": "x" * 50_000,
    "one word of two bytes a letter": "ж" * 50_000,
    "surrogate": "\ud800 chairs",
    "quotes": "'); DROP TABLE activities_card; -- ' | & ! :* <-> \\",
    "digits": "12345 67890",
    "right to left": "\u202e" + "sriahc fo ecirp eht",
}


@pytest.mark.parametrize("size", ["few", "many"])
@pytest.mark.parametrize("kind", ODD)
def test_a_search_never_fails_because_of_a_request(
    kind: str, size: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    if size == "many":
        monkeypatch.setattr(census, "WHOLE", 5)
    with catalogue(*map(reading, names(12))):
        embed_due()
        found = find(world, ODD[kind])
        assert found.permitted == 12
        if kind in ("empty", "blank", "emoji", "marks", "zero"):
            assert (found.cards, found.verdict) == ((), "none")


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ("le prix des the\u0301ie\u0300res", "Prix des théières"),
        ("PRIX DES THÉIÈRES", "Prix des théières"),
        ("oeuvres completes", "Œuvres complètes"),
        ("œuvres complètes", "OEUVRES COMPLETES"),
        ("ex-æquo", "Ex-aequo"),
    ],
)
def test_accents_and_ligatures_are_folded_on_both_sides(
    asked: str, title: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(census, "WHOLE", 5)
    named = replace(reading("price of chairs"), title=title, aliases={"fr": (title,)})
    with catalogue(named, *map(reading, names(12)[1:])):
        assert keys(find(world, asked))[0] == named.key


def test_two_thousand_tools_with_one_description(world: World) -> None:
    twins = [
        replace(
            reading(name),
            key=f"{key_of(name)}_{place}",
            title="Price",
            summary="Tells the price.",
            aliases={},
        )
        for place, name in enumerate(names(500) * 4)
    ]
    with catalogue(*twins):
        found = find(world, "tell the price", limit=20)
        assert found.permitted == 2_000
        assert len(keys(found)) == 20
        assert keys(found) == keys(find(world, "tell the price", limit=20))
        assert len({card.score for card in found.cards}) == 1


def test_a_catalogue_that_changes_during_a_search(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before each statement of a search, one of the cards it would find goes, or loses its right."""
    monkeypatch.setattr(census, "WHOLE", 5)
    with catalogue(*map(reading, names(30))):
        refresh()
        embed_due()
        prepared._kept._cards.clear()
        gone: list[str] = []

        def change(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            if threading.current_thread() is threading.main_thread() and sql.startswith(
                ("SELECT", "WITH", "(")
            ):
                key = key_of(names(30)[len(gone)])
                gone.append(key)
                changes = {"available": False} if len(gone) % 2 else {"permission": "store.secret"}
                with connection.cursor() as cursor:
                    column, value = next(iter(changes.items()))
                    cursor.cursor.execute(
                        f"UPDATE {Card._meta.db_table} SET {column} = %s WHERE key = %s", [value, key]
                    )
            return execute(sql, params, many, context)

        with connection.execute_wrapper(change):
            found = find(world, "the price of chairs", limit=30)
        assert len(gone) > 4
        assert found.verdict != "none"
        assert not set(keys(found)) & set(gone[:-1])


def test_other_words_are_searched_where_nothing_fits(world: World) -> None:
    asked: list[str] = []

    def in_other_words(text: str) -> str:
        asked.append(text)
        return "price of chairs"

    with catalogue(*map(reading, names(12))):
        embed_due()
        found = find(world, "combien pour s'asseoir", rewrite=in_other_words)
        assert (keys(found)[0], found.rewritten) == (key_of("price of chairs"), "price of chairs")
        assert found.verdict == "found"
        assert not find(world, "price of chairs", rewrite=in_other_words).rewritten
        nothing = find(world, "combien pour s'asseoir", rewrite=lambda text: "toujours rien")
        assert (nothing.verdict, nothing.rewritten) == ("none", "toujours rien")
        assert find(world, "combien pour s'asseoir", rewrite=lambda text: None).verdict == "none"
    assert asked == ["combien pour s'asseoir"]
