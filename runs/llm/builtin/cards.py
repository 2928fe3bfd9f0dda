"""The cards of a task prepared for ranking, and kept: a person's cards come back with every message."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from activities.discovery.cards import CardText, IndexedCard, prepare_card, title_words
from activities.discovery.comparing import Statistics
from activities.discovery.embedder import Embedder
from runs.llm.base import CardSpec


@dataclass(frozen=True)
class CardSet:
    """Cards with what is counted over them; `names` are the words of their titles."""

    cards: tuple[IndexedCard, ...]
    statistics: Statistics
    names: frozenset[str]


@lru_cache(maxsize=64)
def card_set(cards: tuple[CardSpec, ...], embedder: Embedder | None) -> CardSet:
    """Prepare `cards`. Raises EmbedderUnavailable; with `embedder` None they are compared by words."""
    texts = [_text(card) for card in cards]
    prepared = tuple(prepare_card(text, embedder) for text in texts)
    return CardSet(prepared, Statistics.of(prepared), _names(texts))


def _text(card: CardSpec) -> CardText:
    return CardText(card.key, (card.name,), card.aliases, (card.summary,), card.examples, card.writes)


def _names(texts: Sequence[CardText]) -> frozenset[str]:
    return frozenset[str]().union(*(title_words(text) for text in texts))
