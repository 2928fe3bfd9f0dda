"""How near a request's meaning is to a card's texts, by sentence vectors."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from activities.discovery.embedder import Embedder, EmbedderUnavailable
from runs.llm.builtin.cards import CardSet
from runs.llm.builtin.masking import mask
from runs.llm.builtin.smalltalk import PROTOTYPES

logger = logging.getLogger(__name__)
_warned: set[str] = set()


@dataclass(frozen=True)
class DenseScores:
    """Cosines: per card, and the nearest of the prototypes that no activity answers."""

    cards: list[float]
    elsewhere: float


def dense_scores(embedder: Embedder, cards: CardSet, variants: Sequence[str]) -> DenseScores | None:
    """Compare `variants` of a request (whole, and its parts) with every card. None without vectors."""
    try:
        queries = embedder.encode(list(variants))
        prototypes = embedder.encode(_prototypes())
        scores = [_card_score(queries, embedder.encode(card.texts)) for card in cards.cards]
    except EmbedderUnavailable as error:
        _warn_once(error)
        return None
    return DenseScores(scores, float((queries @ prototypes.T).max()))


@cache
def _prototypes() -> tuple[str, ...]:
    return tuple(mask(text) for text in PROTOTYPES)


def _card_score(queries: Any, texts: Any) -> float:
    """The nearest text counts most; the next ones tell a chance hit from a familiar request."""
    if not len(texts):
        return 0.0
    ranked = sorted((queries @ texts.T).max(axis=0).tolist(), reverse=True)[:3]
    return float(0.75 * ranked[0] + 0.25 * sum(ranked) / len(ranked))


def _warn_once(error: EmbedderUnavailable) -> None:
    if error.message not in _warned:
        _warned.add(error.message)
        logger.warning("Choosing activities by words alone: %s", error)
