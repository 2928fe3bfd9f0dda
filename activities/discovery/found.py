"""What is searched, and what a search gives back."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class CataloguePart:
    """A part of the catalogue: any of these admits a card. With all of them empty it admits nothing.

    `groups` are keys of the workspace's tool groups, `sources` are as contracts name them.
    """

    keys: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.keys or self.tags or self.groups or self.sources)


@dataclass(frozen=True)
class FoundCard:
    """One card of a result. `dense` is None where no vectors took part; scores lie between 0 and 1."""

    key: str
    position: int
    lexical: float
    dense: float | None
    score: float


@dataclass(frozen=True)
class Found:
    """The result of one search. With the verdict "none", `cards` are what came nearest, for the log only.

    `permitted` counts the cards left after the permission filter; `rewritten` is the second query, when
    there was one; `degraded` is a sentence saying why no vectors took part, or empty; `clauses` are the
    parts of the request that were searched apart.
    """

    cards: tuple[FoundCard, ...]
    permitted: int
    verdict: str  #: "found", "weak" or "none"
    query: str
    rewritten: str = ""
    degraded: str = ""
    milliseconds: float = 0.0
    clauses: tuple[str, ...] = field(default=())
