"""The approximate index over one embedder's vectors, for catalogues too large to compare every one."""

import hashlib

from django.conf import settings
from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from activities.models import CardVector

_TABLE = CardVector._meta.db_table
_PREFIX = "card_near_"
COLUMNS = ("vector", "example_vector")
#: An index of a hundred thousand vectors is built in memory or slowly.
_BUILD_MEMORY = "512MB"
#: So many changed cards leave the statistics behind, by which the database chooses its way.
_MANY = 1_000


def keep_up(embedder: str, dimensions: int, *, changed: int) -> None:
    """Make the indexes that are needed now and drop those that are not."""
    wanted = {name_of(embedder, column): column for column in COLUMNS} if _is_large(embedder) else {}
    with connection.cursor() as cursor:
        present = _present(cursor)
        for name in present - set(wanted):
            cursor.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(name)))
        for name in set(wanted) - present:
            _build(cursor, name, embedder, wanted[name], dimensions)
        if changed >= _MANY and not connection.in_atomic_block:
            cursor.execute(f"VACUUM (ANALYZE) activities_card, {_TABLE}")


def name_of(embedder: str, column: str) -> str:
    """Return the name of the index over one column of vectors of `embedder`."""
    return f"{_PREFIX}{hashlib.sha256(embedder.encode()).hexdigest()[:12]}_{column}"


def _is_large(embedder: str) -> bool:
    return CardVector.objects.filter(embedder=embedder).count() > settings.DISCOVERY_EXACT_UP_TO


def _present(cursor: CursorWrapper) -> set[str]:
    """Return the indexes that are whole; one whose building was broken off is dropped, to be made again."""
    cursor.execute(
        "SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
        " WHERE i.indrelid = %s::regclass AND starts_with(c.relname, %s)",
        [_TABLE, _PREFIX],
    )
    found = dict(cursor.fetchall())
    for name in (name for name, valid in found.items() if not valid):
        cursor.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(name)))
    return {name for name, valid in found.items() if valid}


def _build(cursor: CursorWrapper, name: str, embedder: str, column: str, dimensions: int) -> None:
    """Beside the searches that go on; inside a transaction (tests) only the plain way is possible."""
    cursor.execute("SELECT set_config('maintenance_work_mem', %s, false)", [_BUILD_MEMORY])
    statement = (
        "CREATE INDEX {how} IF NOT EXISTS {name} ON {table}"
        " USING hnsw (({column}::halfvec({dimensions})) halfvec_ip_ops) WHERE embedder = {embedder}"
    )
    cursor.execute(
        sql.SQL(statement).format(
            how=sql.SQL("" if connection.in_atomic_block else "CONCURRENTLY"),
            name=sql.Identifier(name),
            table=sql.Identifier(_TABLE),
            column=sql.Identifier(column),
            dimensions=sql.SQL(str(int(dimensions))),
            embedder=sql.Literal(embedder),
        )
    )
    cursor.execute("RESET maintenance_work_mem")
