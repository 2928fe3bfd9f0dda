"""Sending the writes of one transaction together: a statement each costs the way to the database and back.

Inside :func:`gathering`, writes are kept until something is asked of the database, whoever asks, or until the
end; then they go as one statement. So nobody reads a state in which they are missing.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.db import connection


@dataclass(frozen=True)
class Insert:
    """New rows of a table: their values, row after row, in the order of `columns`."""

    table: str
    columns: tuple[str, ...]
    values: Sequence[Any]
    keys: frozenset[Any]

    @property
    def params(self) -> Sequence[Any]:
        return self.values

    @property
    def sql(self) -> str:
        """Return the statement."""
        return _inserting(self.table, self.columns, len(self.keys))

    def settle(self, told: Sequence[Any]) -> None:
        """Inserted, or the database raised."""


@dataclass(frozen=True)
class Update:
    """New values (by column) for the row where all of `where` holds.

    `lost` is raised where no row is changed; `reply` takes the row's value of the column `asks` (after the
    update) where one is, and may raise.
    """

    table: str
    values: dict[str, Any]
    where: dict[str, Any]
    key: Any
    lost: Exception | None = None
    asks: str = ""
    reply: Callable[[Any], None] | None = None

    @property
    def keys(self) -> frozenset[Any]:
        return frozenset({self.key})

    @property
    def params(self) -> Sequence[Any]:
        return [*self.values.values(), *self.where.values()]

    @property
    def sql(self) -> str:
        """Return the statement."""
        return _updating(self.table, tuple(self.values), tuple(self.where), self.asks)

    def settle(self, told: Sequence[Any]) -> None:
        """Take what the database told of the rows changed. Raises `lost`, and what `reply` does."""
        if not told:
            if self.lost is not None:
                raise self.lost
        elif self.reply is not None:
            self.reply(told[0])

    def takes_in(self, later: "Update") -> bool:
        """True when `later`, done after this one, changes the same row whenever this one did."""
        if (later.table, later.key) != (self.table, self.key) or later.reply is not None:
            return False
        stands = {**self.where, **self.values}
        return all(name in stands and stands[name] == value for name, value in later.where.items())


Write = Insert | Update


@dataclass
class _Gathered:
    """The writes kept back on one connection; as an execute wrapper, it sends them before anything else."""

    writes: list[Write] = field(default_factory=list)

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        self.send()
        return execute(sql, params, many, context)

    def add(self, write: Write) -> None:
        """Keep a write: as part of one of the same row where it can be, else after what it depends on."""
        if isinstance(write, Update):
            for kept in self.writes:
                if isinstance(kept, Update) and kept.takes_in(write):
                    kept.values.update(write.values)
                    return
        if any(_depends(write, kept) for kept in self.writes):
            self.send()
        self.writes.append(write)

    def send(self) -> None:
        """Send what is kept. Raises what a write says that changed no row, and the database's errors."""
        if self.writes:
            self.ask("", ())

    def ask(self, sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Send what is kept, and in the same statement a SELECT, if given; return the SELECT's rows."""
        writes, self.writes = self.writes, []
        statement = _together(tuple(write.sql for write in writes), sql)
        values = [value for write in writes for value in write.params]
        with connection.cursor() as cursor:
            cursor.execute(statement, [*values, *params])
            rows = cursor.fetchall()
        for write, told in zip(writes, rows[0], strict=False):
            write.settle(told or ())
        return [row[len(writes) :] for row in rows]


@contextmanager
def gathering() -> Iterator[None]:
    """Keep back the writes of the transaction around it; send what is left at the end, if all went well."""
    if _current() is not None:
        yield
        return
    gathered = _Gathered()
    with connection.execute_wrapper(gathered):
        yield
        gathered.send()


def send(write: Write) -> None:
    """Send a write now, or keep it while writes are gathered. Raises what it says when it changes no row."""
    gathered = _current()
    if gathered is not None:
        gathered.add(write)
        return
    with connection.cursor() as cursor:
        cursor.execute(write.sql, write.params)
        write.settle([row[0] for row in cursor.fetchall()])


def send_gathered() -> None:
    """Send what is kept now, for who needs the replies before going on."""
    gathered = _current()
    if gathered is not None:
        gathered.send()


def ask(sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return the rows, at least one, of a SELECT; writes kept back go with it, and it does not see them."""
    gathered = _current()
    if gathered is not None and gathered.writes:
        return gathered.ask(sql, params)
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


def _current() -> _Gathered | None:
    return next((each for each in connection.execute_wrappers if isinstance(each, _Gathered)), None)


def _depends(write: Write, kept: Write) -> bool:
    """True where one statement cannot do both: a row twice, or a new row beside a changed one of its table.

    The order in one statement is not given, so a constraint over several rows could see the old one.
    """
    if write.table != kept.table:
        return False
    return bool(write.keys & kept.keys) or type(write) is not type(kept)


# Our own names stand in these statements, and values never do.
@lru_cache(maxsize=1_000)
def _inserting(table: str, columns: tuple[str, ...], count: int) -> str:
    one = f"({', '.join(['%s'] * len(columns))})"
    names = ", ".join(map(_quoted, columns))
    rows = ", ".join([one] * count)
    return f"INSERT INTO {_quoted(table)} ({names}) VALUES {rows} RETURNING 1 AS told"  # noqa: S608


@lru_cache(maxsize=1_000)
def _updating(table: str, columns: tuple[str, ...], where: tuple[str, ...], asks: str) -> str:
    values = ", ".join(f"{_quoted(name)} = %s" for name in columns)
    checks = " AND ".join(f"{_quoted(name)} = %s" for name in where)
    told = _quoted(asks) if asks else "1"
    return f"UPDATE {_quoted(table)} SET {values} WHERE {checks} RETURNING {told} AS told"  # noqa: S608


@lru_cache(maxsize=1_000)
def _together(writes: tuple[str, ...], asked: str) -> str:
    parts = [f"w{number} AS ({write})" for number, write in enumerate(writes)]
    told = [f"(SELECT array_agg(told) FROM w{number})" for number in range(len(writes))]  # noqa: S608
    if not asked:
        return f"WITH {', '.join(parts)} SELECT {', '.join(told)}"
    parts.append(f"asked AS MATERIALIZED ({asked})")
    return f"WITH {', '.join(parts)} SELECT {', '.join(told)}, asked.* FROM asked"  # noqa: S608


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
