"""Which cards a search is over: the permission filter, written once, as SQL."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from accounts.models import User, Workspace
from activities.discovery.found import CataloguePart
from activities.discovery.parts import admitted, tool_cards
from activities.models import Card, CardKind
from activities.rights import permitted_activities


@dataclass(frozen=True)
class Scope:
    """For whom, where, and in which part of the catalogue is searched. Nothing outside it is ever read."""

    user: User
    workspace: Workspace
    permissions: frozenset[str]
    part: CataloguePart
    kind: str

    def cards(self) -> QuerySet[Card]:
        """Return the cards of the part that the person may use here."""
        if self.kind == CardKind.TOOL:
            return tool_cards(self.workspace, self.part, self.permissions)
        allowed = permitted_activities(self.user, self.workspace).filter(entry=True)
        own = Card.objects.filter(
            kind=self.kind, workspace=self.workspace, available=True, activity__in=allowed
        )
        return own.filter(admitted(self.workspace, self.part)) if self.part else own

    @property
    def is_empty(self) -> bool:
        """True where no query is needed to know that there is nothing."""
        return self.kind == CardKind.TOOL and not (self.part and self.permissions)

    @cached_property
    def signature(self) -> tuple[Any, ...]:
        """What decides which cards these are, apart from the cards themselves."""
        person = self.permissions if self.kind == CardKind.TOOL else self.user.pk
        return self.kind, self.workspace.pk, person, self.part

    @cached_property
    def source(self) -> "Source":
        """`FROM activities_card WHERE …` of the cards, open for one more `AND …`, and its values."""
        if self.kind == CardKind.TOOL:
            return _tools_source(self.workspace.pk, self.permissions, self.part)
        return _source(self.cards())


Source = tuple[str, list[Any]]


@lru_cache(maxsize=256)
def _tools_source(workspace: UUID, permissions: frozenset[str], part: CataloguePart) -> Source:
    """The same rights and part make the same statement: it is built once."""
    return _source(tool_cards(Workspace(pk=workspace), part, permissions))


def _source(cards: QuerySet[Card]) -> Source:
    text, values = cards.order_by().values("id").query.sql_with_params()
    return text[text.index(" FROM ") :], list(values)


def listed(ids: Iterable[UUID]) -> str:
    """Return `ids` as the database reads an array: psycopg takes milliseconds to write hundreds of them."""
    return "{" + ",".join(map(str, ids)) + "}"
