"""Thousands of permitted vectors held against a request at once, by the signs of their parts.

A vector's sketch is one bit a dimension: on which side of the middle of the permitted vectors it lies. Of
those whose bits agree most with the request's the true distances are asked of the database, so that a search
reads hundreds of vectors and not ten thousand. Sketches are made of permitted cards only, kept in the process
for the rights they were made for, and made anew once one of these cards changes.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import connection

from activities.discovery.census import Census
from activities.discovery.keeping import Kept
from activities.discovery.permitted import Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from activities.discovery.embedder import Vectors

#: Bytes that a process keeps: some sets of ten thousand cards.
_ROOM = 24_000_000
_BYTES_AN_ID = 100
#: What pgvector sends before the numbers of a vector: how many there are, and a reserved word.
_HEAD = 4


class Sketches:
    """The sketches of at least one vector: of the cards `ids`, each packed as pgvector sends it."""

    def __init__(self, ids: Sequence[UUID], packed: Sequence[bytes]) -> None:
        import numpy as np

        self._ids = ids
        numbers = np.frombuffer(b"".join(row[_HEAD:] for row in packed), dtype=">f2")
        vectors = numbers.reshape(len(packed), -1).astype(np.float32)
        self._middle = vectors.mean(axis=0)
        self._bits = _signs(vectors - self._middle)

    @property
    def nbytes(self) -> int:
        return int(self._bits.nbytes + self._middle.nbytes) + _BYTES_AN_ID * len(self._ids)

    def nearest(self, vector: "Vectors", count: int) -> set[UUID]:
        """Return the cards whose bits agree most with those of `vector`; of equal ones the first by id."""
        import numpy as np

        apart = np.bitwise_count(self._bits ^ _signs((vector - self._middle)[None])).sum(
            axis=1, dtype=np.uint16
        )
        return {self._ids[place] for place in np.argsort(apart, kind="stable")[:count].tolist()}


def _signs(rows: "Vectors") -> "NDArray[np.uint64]":
    import numpy as np

    packed = np.packbits(rows > 0, axis=1)
    return np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(np.uint64)


_kept: Kept[tuple[Sketches, ...]] = Kept(_ROOM, lambda some: sum(each.nbytes for each in some))


def forget() -> None:
    """Forget all sketches."""
    _kept.forget()


def near(scope: Scope, counted: Census, embedder: str, vectors: "Vectors", count: int) -> set[UUID]:
    """Return the cards near to each of `vectors`: `count` by their texts and as many by their examples."""
    key = (*scope.signature, embedder)
    sketches = _kept.get(key, counted)
    if sketches is None:
        sketches = _read(scope, embedder)
        _kept.add(key, counted, sketches)
    return {card for each in sketches for vector in vectors for card in each.nearest(vector, count)}


def _read(scope: Scope, embedder: str) -> tuple[Sketches, ...]:
    source, values = scope.source
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH p AS MATERIALIZED (SELECT id {source})"  # noqa: S608 - the scope's own part
            " SELECT v.card_id, halfvec_send(v.vector), halfvec_send(v.example_vector)"
            " FROM p JOIN activities_cardvector v ON v.card_id = p.id"
            " WHERE v.embedder = %s ORDER BY v.card_id",
            [*values, embedder],
        )
        rows = cursor.fetchall()
    columns = ([(row[0], row[place]) for row in rows if row[place]] for place in (1, 2))
    return tuple(
        Sketches([card for card, _packed in column], [packed for _card, packed in column])
        for column in columns
        if column
    )
