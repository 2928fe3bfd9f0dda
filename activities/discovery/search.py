"""The right few cards for a request, out of those this person may use here."""

from collections.abc import Callable
from time import perf_counter

from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import F, QuerySet

from accounts.models import User, Workspace
from activities.discovery.found import CataloguePart, Found, FoundCard
from activities.discovery.index.words import folded
from activities.discovery.parts import admitted, tool_cards
from activities.models import Card, CardKind
from activities.rights import permitted_activities
from agentapp.kernel.text import clean_text

Rewrite = Callable[[str], str | None]
_MAX_WORDS = 64


def search(
    *,
    user: User,
    workspace: Workspace,
    permissions: frozenset[str],
    query: str,
    language: str,
    part: CataloguePart,
    kind: str = CardKind.TOOL,
    limit: int = 5,
    rewrite: Rewrite | None = None,
) -> Found:
    """Return the best `limit` cards of `part` for `query`, among those permitted; never raises for a query.

    `permissions` are the person's own, as `Standing` has them. For activities, rights on their rows decide,
    and an empty `part` is all of them. `rewrite` gives another wording when nothing is near, or None.
    """
    started = perf_counter()
    cards = permitted(user, workspace, permissions, part, kind)
    words = [word for word in folded(clean_text(query)) if len(word) > 2][:_MAX_WORDS]
    found = _ranked(cards, words)[:limit] if words else []
    results = tuple(
        FoundCard(key, position, lexical, None, lexical) for position, (key, lexical) in enumerate(found)
    )
    verdict = "found" if results else "none"
    milliseconds = (perf_counter() - started) * 1000
    return Found(results, cards.count(), verdict, query, milliseconds=milliseconds)


def permitted(
    user: User, workspace: Workspace, permissions: frozenset[str], part: CataloguePart, kind: str
) -> QuerySet[Card]:
    """Return the cards of `part` that `user` may use here, filtered in SQL."""
    if kind == CardKind.TOOL:
        return tool_cards(workspace, part, permissions)
    allowed = permitted_activities(user, workspace).filter(entry=True)
    own = Card.objects.filter(kind=kind, workspace=workspace, available=True, activity__in=allowed)
    return own.filter(admitted(workspace, part)) if part else own


def _ranked(cards: QuerySet[Card], words: list[str]) -> list[tuple[str, float]]:
    wanted = SearchQuery(" | ".join(f"'{word}'" for word in words), config="simple", search_type="raw")
    found = cards.filter(words=wanted).annotate(rank=SearchRank(F("words"), wanted, normalization=32))
    return list(found.order_by("-rank", "key").values_list("key", "rank"))
