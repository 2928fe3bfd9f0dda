"""How rare each stem is among the cards a person may use, and among no others.

Counted over the permitted cards, or over a sample of them that is the same each time; kept for the next
search with the same rights, until one of these cards changes. A card that is not permitted is never counted.
"""

# ruff: noqa: S608 - the parts of the statement are this module's and the ORM's; values travel apart

from typing import TYPE_CHECKING

from django.db import connection

from activities.discovery.census import Census
from activities.discovery.keeping import Kept
from activities.discovery.permitted import Scope

if TYPE_CHECKING:
    from activities.discovery.lexical import Rarity

#: So many cards tell how rare a word is.
_SAMPLE = 2_000
#: So many sets of rights are kept.
_ROOM = 16
_kept: "Kept[Rarity]" = Kept(_ROOM, lambda _rarity: 1)


def rarity_of(scope: Scope, counted: Census) -> "Rarity":
    """Return the rarity of stems over the permitted cards."""
    rarity = _kept.get(scope.signature, counted)
    if rarity is None:
        rarity = _count(scope, counted.permitted)
        _kept.add(scope.signature, counted, rarity)
    return rarity


def forget() -> None:
    """Forget all that was counted."""
    _kept.forget()


def _count(scope: Scope, permitted: int) -> "Rarity":
    from activities.discovery.lexical import Rarity

    source, values = scope.source
    every = max(1, permitted // _SAMPLE)
    sampled = "" if every == 1 else f" AND mod(hashtext(key), {every}) = 0"
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH s AS MATERIALIZED (SELECT words {source}{sampled})"
            " SELECT '', count(*) FROM s UNION ALL"
            " (SELECT stem, count(*) FROM s, unnest(tsvector_to_array(words)) stem GROUP BY stem)",
            values,
        )
        counts = dict(cursor.fetchall())
    total = counts.pop("")
    return Rarity.counted(counts, total)
