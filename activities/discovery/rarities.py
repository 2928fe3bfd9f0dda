"""How rare each stem is among the cards a person may use, and among no others.

Counted over the permitted cards, or over a sample of them that is the same each time; kept for the next
search with the same rights, until one of these cards changes. A card that is not permitted is never counted.
"""

# ruff: noqa: S608 - the parts of the statement are this module's and the ORM's; values travel apart

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from django.db import connection

from activities.discovery.census import Census
from activities.discovery.permitted import Scope

if TYPE_CHECKING:
    from activities.discovery.lexical import Rarity

#: So many cards tell how rare a word is.
_SAMPLE = 2_000
_KEPT = 16
_lock = threading.Lock()
_kept: "OrderedDict[tuple[Any, ...], tuple[Census, Rarity]]" = OrderedDict()


def rarity_of(scope: Scope, counted: Census) -> "Rarity":
    """Return the rarity of stems over the permitted cards."""
    with _lock:
        known = _kept.get(scope.signature)
    if known is not None and known[0] == counted:
        return known[1]
    rarity = _count(scope, counted.permitted)
    with _lock:
        _kept[scope.signature] = (counted, rarity)
        _kept.move_to_end(scope.signature)
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return rarity


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
