"""Cards as they are ranked, read from their rows once and kept while these do not change."""

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from django.db import connection

from activities.discovery.permitted import Scope, listed

if TYPE_CHECKING:
    from activities.discovery.cards import IndexedCard

#: Bytes of vectors and words that a process keeps: some thousand cards.
_ROOM = 32_000_000
_BYTES_A_WORD = 120

_VERSIONS = "SELECT id, digest, embedder, embedded_digest"
_CONTENTS = (
    "SELECT c.id, c.key, c.writes, c.weights::text, v.texts, v.example_texts,"
    " v.phrasings, v.example_phrasings FROM activities_card c"
    " LEFT JOIN activities_cardvector v ON v.card_id = c.id AND v.embedder = %s WHERE c.id = ANY(%s::uuid[])"
)


class _Version(NamedTuple):
    """What a card's prepared form depends on. `embedder` is empty where its vectors are another's."""

    id: UUID
    digest: str
    embedder: str
    embedded_digest: str


class _Kept:
    """The cards used last, as many as there is room for."""

    def __init__(self, room: int) -> None:
        self._lock = threading.Lock()
        self._cards: OrderedDict[_Version, IndexedCard] = OrderedDict()
        self._left = room

    def among(self, versions: Sequence[_Version]) -> "dict[_Version, IndexedCard]":
        with self._lock:
            found = {version: self._cards[version] for version in versions if version in self._cards}
            for version in found:
                self._cards.move_to_end(version)
        return found

    def add(self, cards: "Mapping[_Version, IndexedCard]") -> None:
        with self._lock:
            for version, card in cards.items():
                if version not in self._cards:
                    self._cards[version] = card
                    self._left -= _size(card)
            while self._left < 0 and self._cards:
                _version, oldest = self._cards.popitem(last=False)
                self._left += _size(oldest)


def _size(card: "IndexedCard") -> int:
    vectors: int = card.card_vectors.nbytes + card.example_vectors.nbytes
    phrasings = len(card.card_phrasings) + len(card.example_phrasings)
    return vectors + phrasings + _BYTES_A_WORD * len(card.weights)


_kept = _Kept(_ROOM)


def prepared_cards(
    scope: Scope, ids: Collection[UUID], embedder: str, dimensions: int
) -> "list[IndexedCard]":
    """Return those of `ids` that are still permitted, prepared; without vectors where they have none yet."""
    source, values = scope.source
    with connection.cursor() as cursor:
        cursor.execute(f"{_VERSIONS} {source} AND id = ANY(%s::uuid[]) ORDER BY key", [*values, listed(ids)])
        rows = cursor.fetchall()
    versions = [_Version(row[0], row[1], row[2] if row[2] == embedder else "", row[3]) for row in rows]
    known = _kept.among(versions)
    missing = _read([version for version in versions if version not in known], embedder, dimensions)
    _kept.add(missing)
    known |= missing
    return [known[version] for version in versions if version in known]


def _read(versions: list[_Version], embedder: str, dimensions: int) -> "dict[_Version, IndexedCard]":
    if not versions:
        return {}
    by_id = {version.id: version for version in versions}
    with connection.cursor() as cursor:
        cursor.execute(_CONTENTS, [embedder, listed(by_id)])
        return {by_id[row[0]]: _card(row, dimensions) for row in cursor.fetchall()}


def _card(row: tuple[Any, ...], dimensions: int) -> "IndexedCard":
    import json

    from activities.discovery.cards import IndexedCard

    _id, key, writes, weights, *packed = row
    card, examples = (_matrix(vectors, dimensions) for vectors in packed[:2])
    worded = _phrasings(packed[2], len(card)), _phrasings(packed[3], len(examples))
    return IndexedCard(key, json.loads(weights), card, examples, *worded, writes)


def _phrasings(packed: bytes | None, count: int) -> bytes:
    """Vectors that an earlier version made have no phrasings beside them until they are made again."""
    from activities.discovery.phrasing import no_phrasings

    return packed or no_phrasings(count)


def _matrix(packed: bytes | None, dimensions: int) -> Any:
    import numpy as np

    return np.frombuffer(packed or b"", dtype=np.float16).reshape(-1, dimensions).astype(np.float32)
