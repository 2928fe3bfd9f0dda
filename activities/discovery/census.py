"""How many cards a search is over, and whether they are still the same as before."""

# ruff: noqa: S608 - the scope's part of the statement is the ORM's; values travel apart

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from activities.discovery.permitted import Scope

#: So few cards are all ranked.
WHOLE = 100


@dataclass(frozen=True)
class Census:
    """What is permitted: how many cards, how many of them have vectors, when one last changed, and which.

    `mark` differs where they are others. `few` are their ids where they are few enough to be ranked all,
    else None. Two equal ones of one scope are of the same cards with the same vectors.
    """

    permitted: int
    embedded: int
    changed: datetime | None
    mark: int | None
    few: tuple[UUID, ...] | None


def census(scope: Scope, embedder: str) -> Census:
    """Count the permitted cards."""
    source, values = scope.source
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH p AS MATERIALIZED (SELECT id, embedder, updated_at {source})"
            " SELECT count(*), count(*) FILTER (WHERE embedder = %s), max(updated_at),"
            f" bit_xor(uuid_hash_extended(id, 0)), ARRAY(SELECT id FROM p LIMIT {WHOLE + 1}) FROM p",
            [*values, embedder],
        )
        count, embedded, changed, mark, some = cursor.fetchone()
    return Census(count, embedded, changed, mark, tuple(some) if count <= WHOLE else None)
