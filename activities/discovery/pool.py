"""From thousands of permitted cards to the hundred that are ranked: words and vectors, in SQL.

Every statement carries the permission filter and returns nothing beyond it. Only the approximate index,
asked where more than DISCOVERY_EXACT_UP_TO cards are permitted, walks over vectors of other cards on its way.
"""

# ruff: noqa: S608 - the parts of the statements are this module's and the ORM's; values travel apart

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from psycopg import sql

from activities.discovery import sketches
from activities.discovery.census import Census
from activities.discovery.index.nearest import COLUMNS
from activities.discovery.index.words import LONGEST_STEM
from activities.discovery.permitted import Scope, listed
from activities.models import CardKind

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors
    from activities.discovery.lexical import Rarity

_MAX_STEMS = 8
#: Cards that share a word with the request are looked at up to this share of all, but for a few anyway.
_SHARE_OF_MATCHES, _FEW_MATCHES = 0.1, 400
#: The whole request and its first parts.
_MAX_VARIANTS = 7
#: Of more cards sketches are compared first, and of so many for each card wanted the vectors.
_AT_ONCE, _OVER = 2_000, 12
#: How many neighbours the approximate index keeps in view, and how many are taken for each one wanted.
_VIEW, _SPARE = 200, 3


def _each(variants: int) -> int:
    """How many cards each of so many variants brings, by words and by each kind of vectors."""
    return 32 if variants == 1 else 24 if variants <= 3 else 16


def by_words(
    scope: Scope, permitted: int, variants: Sequence[Mapping[str, float]], rarity: "Rarity"
) -> list[UUID]:
    """Return the cards that share the rarest stems of each variant: stems, each with what it counts."""
    most = max(_FEW_MATCHES, permitted * _SHARE_OF_MATCHES)
    telling = [_telling(stems, rarity, most / permitted) for stems in variants[:_MAX_VARIANTS]]
    chosen = [scores for scores in telling if scores]
    if not chosen:
        return []
    parts = [_sharing(scope, scores, _each(len(chosen))) for scores in chosen]
    with connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join(f"({statement})" for statement, _values in parts),
            [value for _statement, values in parts for value in values],
        )
        return [row[0] for row in cursor.fetchall()]


def _telling(stems: Mapping[str, float], rarity: "Rarity", share: float) -> dict[str, float]:
    """Return the rarest stems with their scores: as many as about this share of the cards have.

    No card has a longer one than is stored, and the database refuses to look for it.
    """
    rare = {stem: rarity.get(stem) for stem in stems if len(stem) <= LONGEST_STEM}
    chosen: dict[str, float] = {}
    for stem in sorted(rare, key=lambda stem: (-rare[stem] * stems[stem], stem))[:_MAX_STEMS]:
        share -= 1 / math.expm1(rare[stem])
        if chosen and share < 0:
            break
        chosen[stem] = rare[stem] * stems[stem]
    return chosen


def _sharing(scope: Scope, scores: Mapping[str, float], count: int) -> tuple[str, list[Any]]:
    """The statement of the cards that share these stems, best first, and its values.

    The stems are written out: for words it does not see, the database would plan to read every card.
    """
    source, values = scope.source
    quoted = {sql.Literal(f"'{stem}'").as_string(): score for stem, score in scores.items()}
    score = " + ".join(f"(words @@ {stem}::tsquery)::int * {worth:.4f}" for stem, worth in quoted.items())
    sought = sql.Literal(" | ".join(f"'{stem}'" for stem in scores)).as_string()
    statement = f"SELECT id {source} AND words @@ {sought}::tsquery ORDER BY {score} DESC, key LIMIT {count}"
    return statement, values


def by_vectors(scope: Scope, counted: Census, embedder: str, vectors: "Vectors") -> set[UUID]:
    """Return the cards nearest to each of `vectors` (a row for each variant), by texts and by examples."""
    vectors = vectors[:_MAX_VARIANTS]
    rows = [_literal(row) for row in vectors.tolist()]
    if counted.permitted <= min(_AT_ONCE, settings.DISCOVERY_EXACT_UP_TO):
        return set(_exact(scope, embedder, rows))
    if counted.permitted <= settings.DISCOVERY_EXACT_UP_TO:
        near = sketches.near(scope, counted, embedder, vectors, _OVER * _each(len(rows)))
        return set(_exact(scope, embedder, rows, near))
    found = set(_approximate(scope, embedder, rows, vectors.shape[1]))
    # Where few of the neighbours are permitted the walk ends early: then every vector is compared.
    return found if len(found) >= _each(len(rows)) else set(_exact(scope, embedder, rows))


def _exact(
    scope: Scope, embedder: str, rows: Sequence[str], among: Collection[UUID] | None = None
) -> list[UUID]:
    """Compare the vectors of all permitted cards, or of those `among` them."""
    source, values = scope.source
    if among is not None:
        source, values = f"{source} AND id = ANY(%s::uuid[])", [*values, listed(among)]
    rights, rights_values = _rights(scope)
    asked = [(column, place) for column in COLUMNS for place in range(len(rows))]
    distances = ", ".join(f"v.{column} <#> %s::halfvec AS {column}_{place}" for column, place in asked)
    nearest = " UNION ALL ".join(
        f"(SELECT card_id FROM d WHERE {column}_{place} IS NOT NULL"
        f" ORDER BY {column}_{place} LIMIT {_each(len(rows))})"
        for column, place in asked
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH p AS MATERIALIZED (SELECT id {source}), d AS MATERIALIZED ("
            f"SELECT v.card_id, {distances} FROM p JOIN activities_cardvector v ON v.card_id = p.id"
            f" WHERE v.embedder = %s{rights}) {nearest}",
            [*values, *(rows[place] for _column, place in asked), embedder, *rights_values],
        )
        return [row[0] for row in cursor.fetchall()]


def _approximate(scope: Scope, embedder: str, rows: Sequence[str], dimensions: int) -> list[UUID]:
    """Walk the approximate index for each of `rows`; what the part leaves out is left out afterwards."""
    source, values = scope.source
    rights, rights_values = _rights(scope)
    count = _each(len(rows))
    # Written out, since an index over a part of the rows serves only a statement that names this part.
    whose = sql.Literal(embedder).as_string()
    found: list[UUID] = []
    with transaction.atomic(), connection.cursor() as cursor:
        # Which way is better was decided by the count of what is permitted, which the planner cannot know.
        cursor.execute(
            "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),"
            " set_config('hnsw.ef_search', %s::text, true), set_config('enable_sort', 'off', true)",
            [str(_VIEW)],
        )
        for column in COLUMNS:
            distance = f"(v.{column}::halfvec({dimensions})) <#> %s::halfvec({dimensions})"
            statement = (
                f"SELECT w.card_id FROM (SELECT v.card_id, {distance} AS distance"
                f" FROM activities_cardvector v WHERE v.embedder = {whose}{rights} AND v.{column} IS NOT NULL"
                f" ORDER BY {distance} LIMIT {_SPARE * count}) w"
                f" WHERE EXISTS (SELECT 1 {source} AND activities_card.id = w.card_id)"
                f" ORDER BY w.distance LIMIT {count}"
            )
            for row in rows:
                cursor.execute(statement, [row, *rights_values, row, *values])
                found += [key for (key,) in cursor.fetchall()]
        cursor.execute("SELECT set_config('enable_sort', 'on', true)")
    return found


def _rights(scope: Scope) -> tuple[str, list[Any]]:
    """The tools' permission stands beside their vectors too: it narrows before anything is compared."""
    if scope.kind != CardKind.TOOL:
        return "", []
    return " AND v.permission = ANY(%s)", [sorted(scope.permissions)]


def _literal(row: Sequence[float]) -> str:
    return "[" + ",".join(f"{value:.6g}" for value in row) + "]"
