"""The right few cards for a request, out of those this person may use here."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from accounts.models import User, Workspace
from activities.discovery.census import Census, census
from activities.discovery.embedder import Embedder, EmbedderUnavailable
from activities.discovery.embedding import troubles
from activities.discovery.embedding.chosen import search_embedder
from activities.discovery.found import CataloguePart, Found, FoundCard
from activities.discovery.index import state
from activities.discovery.learned import named_in, taught_apart, with_taught
from activities.discovery.permitted import Scope
from activities.discovery.pool import by_vectors, by_words
from activities.discovery.prepared import prepared_cards
from activities.discovery.rarities import rarity_of
from activities.models import CardKind
from agentapp.kernel.text import clean_text, words

if TYPE_CHECKING:
    from uuid import UUID

    from activities.discovery.cards import IndexedCard
    from activities.discovery.queries import PreparedQuery
    from activities.discovery.ranking import Ranking

Rewrite = Callable[[str], str | None]
#: What is read of a request: nobody's wish is longer.
MAX_QUERY = 2_000
#: With fewer of the permitted cards embedded, comparing them by vectors would favour those that are.
_ENOUGH_EMBEDDED = 0.95


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
    and an empty `part` is all of them. Where nothing fits well the request is searched once more as `rewrite`
    words it, if it does. `language` is the person's.
    """
    started = perf_counter()
    scope = Scope(user, workspace, frozenset(permissions), part, kind)
    text = clean_text(query[: MAX_QUERY * 2])[:MAX_QUERY]
    first = _once(scope, text)
    best, rewritten = _better(first, scope, text, rewrite)
    return Found(
        cards=_found(best.ranking, limit),
        permitted=first.permitted,
        verdict=str(best.ranking.verdict),
        query=text,
        rewritten=rewritten,
        degraded=best.degraded,
        milliseconds=(perf_counter() - started) * 1000,
        clauses=best.clauses,
    )


@dataclass(frozen=True)
class _Round:
    """One search of one wording."""

    ranking: "Ranking"
    permitted: int
    degraded: str = ""
    clauses: tuple[str, ...] = ()


def _better(first: _Round, scope: Scope, text: str, rewrite: Rewrite | None) -> tuple[_Round, str]:
    """Search again in other words where the first did not find; return the better one and those words."""
    from activities.discovery.ranking import Fit

    if rewrite is None or first.ranking.verdict == Fit.FOUND or not first.permitted or not words(text):
        return first, ""
    other = clean_text((rewrite(text) or "")[:MAX_QUERY]).strip()
    if not other or other == text:
        return first, ""
    second = _once(scope, other)
    return (second if _is_better(second.ranking, first.ranking) else first), other


def _is_better(one: "Ranking", other: "Ranking") -> bool:
    from activities.discovery.ranking import Fit

    order = (Fit.NONE, Fit.WEAK, Fit.FOUND)
    return order.index(one.verdict) > order.index(other.verdict)


def _once(scope: Scope, text: str) -> _Round:
    embedder = search_embedder()
    if scope.is_empty or not words(text):
        return _Round(_nothing(), 0 if scope.is_empty else census(scope, embedder.name).permitted)
    counted = census(scope, embedder.name)
    query, degraded = _prepared(text, embedder, counted)
    ids = counted.few if counted.few is not None else _pool(scope, counted, query, embedder)
    taught = taught_apart(scope.workspace, scope.kind)
    ids = {*ids, *named_in(taught, _stems(query))}
    cards = with_taught(prepared_cards(scope, ids, embedder.name, embedder.dimensions), taught, embedder.name)
    ranking = _ranked(query, cards, scope, counted)
    return _Round(ranking, counted.permitted, degraded, query.variants[1:])


def _prepared(text: str, embedder: Embedder, counted: Census) -> tuple["PreparedQuery", str]:
    """Prepare the request; without vectors, and with a sentence why, where there are none to compare."""
    from activities.discovery.queries import prepare_query

    if counted.embedded < counted.permitted * _ENOUGH_EMBEDDED:
        return prepare_query(text, None), _("The cards' vectors are still being made: found by words alone.")
    try:
        query = prepare_query(text, embedder)
    except EmbedderUnavailable as error:
        state.note_trouble(embedder.name, error)
        reason = troubles.sentence(troubles.code_of(error))
        return prepare_query(text, None), _("Found by words alone. %(reason)s") % {"reason": reason}
    state.note_working(embedder.name)
    return query, ""


def _pool(scope: Scope, counted: Census, query: "PreparedQuery", embedder: Embedder) -> "Collection[UUID]":
    found = set(by_words(scope, counted.permitted, query.stems, rarity_of(scope, counted)))
    if query.vectors is not None:
        found |= by_vectors(scope, counted, embedder.name, query.vectors)
    return found


def _stems(query: "PreparedQuery") -> list[str]:
    return [stem for variant in query.stems for stem in variant]


def _ranked(
    query: "PreparedQuery", cards: "Sequence[IndexedCard]", scope: Scope, counted: Census
) -> "Ranking":
    from activities.discovery.ranking import Statistics, rank

    whole = counted.few is not None
    statistics = Statistics.of(cards) if whole else Statistics(rarity_of(scope, counted))
    return rank(query, cards, statistics)


def _nothing() -> "Ranking":
    from activities.discovery.queries import prepare_query
    from activities.discovery.ranking import Statistics, rank

    return rank(prepare_query("", None), (), Statistics.of(()))


def _found(ranking: "Ranking", limit: int) -> tuple[FoundCard, ...]:
    return tuple(
        FoundCard(card.key, position, card.lexical, card.dense, card.score)
        for position, card in enumerate(ranking.cards[:limit])
    )
