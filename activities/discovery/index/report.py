"""What a designer and an operator want to know of the index: is it up to date, which cards need a hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from accounts.models import Workspace
from activities.checks.cards import MAX_TOKENS
from activities.discovery.embedding.chosen import search_embedder
from activities.discovery.embedding.troubles import sentence
from activities.models import Card, CardPhrase, EmbedderState
from activities.models.activity import PhraseKind

#: So many cards of each kind are told.
MOST = 50


@dataclass(frozen=True)
class Listed:
    """The first of some cards, and how many more there are."""

    cards: Sequence[Card]
    more: int


@dataclass(frozen=True)
class IndexReport:
    """The cards of a workspace and those of all workspaces.

    `waiting` counts the cards whose vectors are still to be made; `trouble` is a sentence, or empty.
    """

    embedder: str
    cards: int
    waiting: int
    trouble: str
    since: datetime | None
    without_alias: Listed
    too_long: Listed
    limit: int = MAX_TOKENS


def index_report(workspace: Workspace) -> IndexReport:
    """Return the state of the index as it is now."""
    embedder = search_embedder().name
    cards = Card.objects.filter(Q(workspace=None) | Q(workspace=workspace), available=True)
    made = Q(embedder=embedder, embedded_digest=F("digest"))
    aliases = CardPhrase.objects.filter(card=OuterRef("pk"), kind=PhraseKind.ALIAS, learned=False)
    state = EmbedderState.objects.filter(pk=embedder).exclude(trouble="").first()
    return IndexReport(
        embedder=embedder,
        cards=cards.count(),
        waiting=cards.exclude(made).count(),
        trouble=sentence(state.trouble) if state else "",
        since=state.since if state else None,
        without_alias=_listed(cards.exclude(Exists(aliases))),
        too_long=_listed(cards.filter(tokens__gt=MAX_TOKENS)),
    )


def _listed(cards: QuerySet[Card]) -> Listed:
    first = list(cards.defer("words", "weights").order_by("key")[: MOST + 1])
    return Listed(first[:MOST], cards.count() - MOST if len(first) > MOST else 0)
