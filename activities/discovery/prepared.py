"""Cards as they are ranked, read from their rows once and kept while these do not change."""

import threading
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import connection

from activities.discovery.permitted import Scope

if TYPE_CHECKING:
    from activities.discovery.cards import IndexedCard

#: A card's weights and vectors take about 30 kB.
_KEPT = 1_000
_lock = threading.Lock()
_kept: "OrderedDict[_Version, IndexedCard]" = OrderedDict()

_VERSIONS = "SELECT id, digest, embedder, embedded_digest"
_CONTENTS = (
    "SELECT c.id, c.key, c.writes, c.weights::text, a.texts, b.texts FROM activities_card c"
    " LEFT JOIN activities_cardvector a ON a.card_id = c.id AND a.embedder = %(embedder)s AND a.part = 'card'"
    " LEFT JOIN activities_cardvector b ON b.card_id = c.id AND b.embedder = %(embedder)s"
    " AND b.part = 'example' WHERE c.id = ANY(%(ids)s)"
)


@dataclass(frozen=True)
class _Version:
    """What a card's prepared form depends on. `embedder` is empty where its vectors are another's."""

    id: UUID
    digest: str
    embedder: str
    embedded_digest: str


def prepared_cards(
    scope: Scope, ids: Collection[UUID], embedder: str, dimensions: int
) -> "list[IndexedCard]":
    """Return those of `ids` that are still permitted, prepared; without vectors where they have none yet."""
    source, values = scope.source
    with connection.cursor() as cursor:
        cursor.execute(f"{_VERSIONS} {source} AND id = ANY(%s) ORDER BY key", [*values, list(ids)])
        rows = cursor.fetchall()
    versions = [_Version(row[0], row[1], row[2] if row[2] == embedder else "", row[3]) for row in rows]
    with _lock:
        known = {version: _kept[version] for version in versions if version in _kept}
    known |= _read([version for version in versions if version not in known], embedder, dimensions)
    _keep(known)
    return [known[version] for version in versions if version in known]


def _read(versions: list[_Version], embedder: str, dimensions: int) -> "dict[_Version, IndexedCard]":
    if not versions:
        return {}
    by_id = {version.id: version for version in versions}
    with connection.cursor() as cursor:
        cursor.execute(_CONTENTS, {"embedder": embedder, "ids": list(by_id)})
        return {by_id[row[0]]: _card(row, dimensions) for row in cursor.fetchall()}


def _card(row: tuple[Any, ...], dimensions: int) -> "IndexedCard":
    import json

    from activities.discovery.cards import IndexedCard

    _id, key, writes, weights, card, examples = row
    return IndexedCard(
        key, json.loads(weights), _matrix(card, dimensions), _matrix(examples, dimensions), writes
    )


def _matrix(packed: bytes | None, dimensions: int) -> Any:
    import numpy as np

    return np.frombuffer(packed or b"", dtype=np.float16).reshape(-1, dimensions).astype(np.float32)


def _keep(cards: "dict[_Version, IndexedCard]") -> None:
    with _lock:
        for version, card in cards.items():
            _kept[version] = card
            _kept.move_to_end(version)
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
