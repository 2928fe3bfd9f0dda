"""Reading on the hot path: the ORM's own queries, with their statement made once instead of at each use.

Making a statement costs the ORM more than sending it. A `Compiled` query is written as any other, compiled
at its first use, and from then on only filled with keys. What is asked, and how rows become instances, stays
the ORM's.
"""

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, Generic, TypeVar
from uuid import UUID, uuid4

from django.db import connections, models
from django.db.models.query import QuerySet
from django.db.models.sql.compiler import SQLCompiler

from agentapp.kernel.errors import Misconfigured

M = TypeVar("M", bound=models.Model)
R = TypeVar("R")


class Compiled(Generic[M, R]):
    """A query for one set of keys: `build` gives it for stand-ins, of which there are `count`.

    `build` is called once, so what is in the query beside the keys is fixed; it must not look at them. It may
    ask for instances, with joined and prefetched ones, or for a flat list of values.
    """

    def __init__(self, build: Callable[..., QuerySet[M, R]], count: int = 1) -> None:
        self._build = build
        self._count = count
        self._made: QuerySet[M, R] | None = None

    def rows(self, *keys: UUID) -> list[R]:
        """Return what the query finds. Raises Misconfigured for another number of keys than it has."""
        return list(self._asked(keys))

    def first(self, *keys: UUID) -> R | None:
        """Return the first row, None where there is none."""
        return next(iter(self.rows(*keys)), None)

    def get(self, *keys: UUID) -> R:
        """Return the row. Raises the model's DoesNotExist where there is none."""
        asked: Any = self._asked(keys)
        for row in asked:
            found: R = row
            return found
        raise asked.model.DoesNotExist(f"There is no {asked.model._meta.verbose_name} {keys[0]}.")

    def found(self, *keys: UUID) -> bool:
        """True when there is a row."""
        return bool(self.rows(*keys))

    @classmethod
    def existing(cls, build: Callable[..., QuerySet[M, Any]], count: int = 1) -> "Compiled[M, Any]":
        """Return the query of whether `build` finds anything: for :meth:`found`, which then reads one key."""
        return Compiled(lambda *keys: build(*keys).values_list("pk", flat=True)[:1], count)

    def _asked(self, keys: Sequence[UUID]) -> QuerySet[M, R]:
        if len(keys) != self._count:
            raise Misconfigured(f"This query takes {self._count} keys, not {len(keys)}.")
        if self._made is None:
            self._made = self._make()
        asked: Any = self._made.all()
        asked.query.keys = keys
        filled: QuerySet[M, R] = asked
        return filled

    def _make(self) -> QuerySet[M, R]:
        stand_ins = [uuid4() for _key in range(self._count)]
        asked: Any = self._build(*stand_ins)
        asked._query = _Statement(asked.query.get_compiler(using=asked.db), stand_ins)
        made: QuerySet[M, R] = asked
        return made


class _Statement:
    """In the place of a query: gives the compiler that made the statement, with keys for its stand-ins."""

    def __init__(self, compiler: SQLCompiler, stand_ins: Sequence[UUID]) -> None:
        self._compiler = compiler
        self._sql, self._params = compiler.as_sql()
        self._places = [stand_ins.index(each) if each in stand_ins else None for each in self._params]
        if {place for place in self._places if place is not None} != set(range(len(stand_ins))):
            raise Misconfigured("A key of this query does not reach its statement as it is.")
        self.keys: Sequence[UUID] = ()

    def chain(self) -> "_Statement":
        """Return one to be filled; the queryset calls this for each copy of itself."""
        return copy(self)

    def get_compiler(self, using: str, **_options: Any) -> SQLCompiler:
        """Return the compiler as if it had just made the statement, on this thread's connection."""
        ready = copy(self._compiler)
        ready.connection = connections[using]
        values = [
            given if place is None else self.keys[place]
            for given, place in zip(self._params, self._places, strict=True)
        ]
        ready.as_sql = lambda *_args, **_options: (self._sql, values)  # type: ignore[method-assign,assignment]
        return ready
