"""From thousands of permitted cards to the hundred that are ranked: words and vectors, in SQL.

Every statement carries the permission filter and returns nothing beyond it. Only the approximate index,
asked where more than DISCOVERY_EXACT_UP_TO cards are permitted, walks over vectors of other cards on its way.
"""

# ruff: noqa: S608 - the parts of the statements are this module's and the ORM's; values travel apart

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction

from activities.discovery.index.nearest import COLUMNS
from activities.discovery.permitted import Scope
from activities.models import CardKind

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors
    from activities.discovery.lexical import Rarity

#: So few cards are all ranked.
WHOLE = 100
_BY_WORDS = 36
_BY_VECTORS = 32
_MAX_STEMS = 8
#: The rarity of a word that a quarter of the cards have: it tells few from the others, while rarer ones do.
_COMMON = math.log(1 + 4)
_MAX_VARIANTS = 4
#: How many neighbours the approximate index keeps in view.
_VIEW = 200


@dataclass(frozen=True)
class Census:
    """What is permitted: how many cards, how many of them have vectors, when one last changed.

    `few` are their ids where they are few enough to be ranked all, else None.
    """

    permitted: int
    embedded: int
    changed: datetime | None
    few: tuple[UUID, ...] | None


def census(scope: Scope, embedder: str) -> Census:
    """Count the permitted cards."""
    source, values = scope.source
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH p AS MATERIALIZED (SELECT id, embedder, updated_at {source})"
            " SELECT count(*), count(*) FILTER (WHERE embedder = %s), max(updated_at),"
            f" ARRAY(SELECT id FROM p LIMIT {WHOLE + 1}) FROM p",
            [*values, embedder],
        )
        count, embedded, changed, some = cursor.fetchone()
    return Census(count, embedded, changed, tuple(some) if count <= WHOLE else None)


def by_words(scope: Scope, stems: Sequence[str], rarity: "Rarity") -> list[UUID]:
    """Return the cards that share the rarest of `stems`, best first."""
    chosen = _telling(stems, rarity)
    if not chosen:
        return []
    source, values = scope.source
    sought = " | ".join(map(_quoted, chosen))
    score = " + ".join("(words @@ %s::tsquery)::int * %s" for _stem in chosen)
    scores = [value for stem in chosen for value in (_quoted(stem), rarity.get(stem))]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id {source} AND words @@ %s::tsquery ORDER BY {score} DESC, key LIMIT {_BY_WORDS}",
            [*values, sought, *scores],
        )
        return [row[0] for row in cursor.fetchall()]


def _telling(stems: Sequence[str], rarity: "Rarity") -> list[str]:
    """Return the rarest stems, without those that nearly every card has when others are left."""
    ordered = sorted(dict.fromkeys(stems), key=lambda stem: -rarity.get(stem))[:_MAX_STEMS]
    return [stem for stem in ordered if rarity.get(stem) > _COMMON] or ordered[:1]


def _quoted(stem: str) -> str:
    return f"'{stem}'"


def by_vectors(scope: Scope, permitted: int, embedder: str, vectors: "Vectors") -> set[UUID]:
    """Return the cards nearest to one of `vectors` (a row for each part of the request), in both parts."""
    rows = [_literal(row) for row in vectors[:_MAX_VARIANTS].tolist()]
    if permitted <= settings.DISCOVERY_EXACT_UP_TO:
        return set(_exact(scope, embedder, rows))
    found = set(_approximate(scope, embedder, rows, vectors.shape[1]))
    # Where few of the neighbours are permitted the walk ends early: then every vector is compared.
    return found if len(found) >= _BY_VECTORS else set(_exact(scope, embedder, rows))


def _exact(scope: Scope, embedder: str, rows: Sequence[str]) -> list[UUID]:
    source, values = scope.source
    rights, rights_values = _rights(scope)
    card, example = (_nearest(column, len(rows)) for column in COLUMNS)
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH p AS MATERIALIZED (SELECT id {source}), d AS MATERIALIZED ("
            f"SELECT v.card_id, {card} AS card, {example} AS example"
            f" FROM p JOIN activities_cardvector v ON v.card_id = p.id WHERE v.embedder = %s{rights}"
            f") (SELECT card_id FROM d ORDER BY card LIMIT {_BY_VECTORS}) UNION ALL"
            f" (SELECT card_id FROM d WHERE example IS NOT NULL ORDER BY example LIMIT {_BY_VECTORS})",
            [*values, *rows, *rows, embedder, *rights_values],
        )
        return [row[0] for row in cursor.fetchall()]


def _nearest(column: str, count: int) -> str:
    """The distance to the nearest of so many vectors."""
    return "LEAST(" + ", ".join([f"v.{column} <#> %s::halfvec"] * count) + ")"


def _approximate(scope: Scope, embedder: str, rows: Sequence[str], dimensions: int) -> list[UUID]:
    source, values = scope.source
    rights, rights_values = _rights(scope)
    found: list[UUID] = []
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),"
            " set_config('hnsw.ef_search', %s, true)",
            [str(_VIEW)],
        )
        for column in COLUMNS:
            statement = (
                f"SELECT v.card_id FROM activities_cardvector v WHERE v.embedder = %s{rights}"
                f" AND EXISTS (SELECT 1 {source} AND activities_card.id = v.card_id)"
                f" AND v.{column} IS NOT NULL"
                f" ORDER BY (v.{column}::halfvec({dimensions})) <#> %s::halfvec({dimensions})"
                f" LIMIT {_BY_VECTORS}"
            )
            for row in rows:
                cursor.execute(statement, [embedder, *rights_values, *values, row])
                found += [key for (key,) in cursor.fetchall()]
    return found


def _rights(scope: Scope) -> tuple[str, list[Any]]:
    """The tools' permission stands beside their vectors too: it narrows before anything is compared."""
    if scope.kind != CardKind.TOOL:
        return "", []
    return " AND v.permission = ANY(%s)", [sorted(scope.permissions)]


def _literal(row: Sequence[float]) -> str:
    return "[" + ",".join(f"{value:.6g}" for value in row) + "]"
