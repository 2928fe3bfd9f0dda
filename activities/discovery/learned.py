"""Words people used, taught to a card by a designer: they count in one workspace, beside every revision.

What is taught to a workspace's own card is indexed with it. A tool of every workspace is taught by none of
them: there the words join a search of the workspace that learned them, between its pool and its ranking.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from accounts.models import Workspace
from activities.discovery.language import content_stems
from activities.discovery.phrasing import phrasing
from activities.likeness.vectors import made_of
from activities.models import CardPhrase
from agentapp.kernel.text import words

if TYPE_CHECKING:
    from activities.discovery.cards import IndexedCard
    from activities.discovery.embedder import Vectors


_LEARNED = """
    SELECT c.key, p.text FROM activities_cardphrase p JOIN activities_card c ON c.id = p.card_id
    WHERE p.workspace_id = %s AND p.learned AND c.kind = %s ORDER BY p.id DESC
"""
_TAUGHT = """
    SELECT c.id, c.key, p.text FROM activities_cardphrase p JOIN activities_card c ON c.id = p.card_id
    WHERE p.workspace_id = %s AND p.learned AND c.workspace_id IS NULL AND c.kind = %s AND c.available
    ORDER BY p.id
"""


def learned_in(workspace: Workspace | UUID) -> QuerySet[CardPhrase]:
    """Return the phrases learned in a workspace, the newest first, with their cards."""
    return CardPhrase.objects.filter(learned=True, workspace=workspace).select_related("card").order_by("-id")


def learned_phrases(workspace: Workspace, kind: str) -> Mapping[str, tuple[str, ...]]:
    """Return the learned words of every card of this kind, by its key, the newest first.

    One small query, which every request asks.
    """
    found: dict[str, tuple[str, ...]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_LEARNED, [workspace.pk, kind])
        for key, text in cursor.fetchall():
            found[key] = (*found.get(key, ()), text)
    return found


@dataclass(frozen=True)
class Taught:
    """What one workspace taught to a card of every workspace."""

    card_id: UUID
    key: str
    text: str


def taught_apart(workspace: Workspace, kind: str) -> list[Taught]:
    """Return what `workspace` taught to cards of every workspace. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_TAUGHT, [workspace.pk, kind])
        return [Taught(*row) for row in cursor.fetchall()]


def named_in(taught: Iterable[Taught], stems: Collection[str]) -> set[UUID]:
    """Return the cards whose taught words share one with a request. Where they are read, rights are asked."""
    asked = set(stems)
    return {each.card_id for each in taught if asked.intersection(content_stems(words(each.text)))}


def with_taught(
    cards: "Sequence[IndexedCard]", taught: Iterable[Taught], embedder: str
) -> "list[IndexedCard]":
    """Return `cards` with what they were taught; with its vectors where `embedder` made them."""
    by_key: dict[str, list[str]] = defaultdict(list)
    for each in taught:
        by_key[each.key].append(each.text)
    wanted = [text for card in cards for text in by_key.get(card.key, ())]
    if not wanted:
        return list(cards)
    vectors = made_of(wanted, embedder)
    return [_taught(card, by_key[card.key], vectors) if card.key in by_key else card for card in cards]


def _taught(card: "IndexedCard", texts: Sequence[str], vectors: Mapping[str, "Vectors"]) -> "IndexedCard":
    import numpy as np

    from activities.discovery.cards import CardText, count_stems

    more = count_stems(CardText(card.key, names=(), aliases=tuple(texts)))
    weights = {stem: more.get(stem, 0.0) + card.weights.get(stem, 0.0) for stem in {*more, *card.weights}}
    known = [text for text in texts if text in vectors]
    if not known or not len(card.card_vectors):
        return replace(card, weights=weights)
    rows = np.vstack([card.card_vectors, *(vectors[text] for text in known)])
    worded = card.card_phrasings + b"".join(map(phrasing, known))
    return replace(card, weights=weights, card_vectors=rows, card_phrasings=worded)
