"""The words of a set of cards, weighted: what tells one card from the others.

A card's `when_not_to_use` is left out on purpose: its words describe the neighbours.
"""

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from agentapp.kernel.text import words
from runs.llm.base import CardSpec
from runs.llm.builtin.language import content_stems
from runs.llm.builtin.masking import mask

#: What a word of the name is worth, and so on: the nearer to a title, the more it says.
NAME, ALIAS, EXAMPLE, SUMMARY = 1.0, 0.95, 0.75, 0.6


@dataclass(frozen=True)
class CardWords:
    """One card's stems with their weights, and its masked texts for comparing whole sentences."""

    key: str
    weights: dict[str, float]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class CardSet:
    """Cards prepared for ranking; `rarity` is the inverse document frequency of a stem over them."""

    cards: tuple[CardWords, ...]
    rarity: dict[str, float]
    names: frozenset[str]  #: folded words of the titles: never masked in a message
    unknown: float  #: rarity of a word that no card has

    def rarity_of(self, stem: str) -> float:
        return self.rarity.get(stem, self.unknown)


@lru_cache(maxsize=64)
def card_set(cards: tuple[CardSpec, ...]) -> CardSet:
    """Prepare `cards`; kept, because the same person's cards come back with every message."""
    names = frozenset(word for card in cards for text in _titles(card) for word in words(text))
    prepared = tuple(_card_words(card, names) for card in cards)
    counts = Counter(stem for card in prepared for stem in card.weights)
    total = len(cards)
    rarity = {stem: math.log(1 + total / count) for stem, count in counts.items()}
    return CardSet(prepared, rarity, names, math.log(1 + max(total, 2)))


def _titles(card: CardSpec) -> tuple[str, ...]:
    return (card.name, card.summary, *card.aliases)


def _card_words(card: CardSpec, names: frozenset[str]) -> CardWords:
    examples = tuple(mask(text, names) for text in card.examples)
    weights: dict[str, float] = {}
    weighed = [
        (card.name, NAME),
        (card.key.rsplit(".", 1)[-1].replace("_", " "), ALIAS),
        (card.summary, SUMMARY),
    ]
    weighed += [(text, ALIAS) for text in card.aliases] + [(text, EXAMPLE) for text in examples]
    for text, weight in weighed:
        for stem in content_stems(words(text)):
            weights[stem] = max(weight, weights.get(stem, 0.0))
    texts = dict.fromkeys(
        text for text in (card.name, *card.aliases, *examples, card.summary) if text.strip()
    )
    return CardWords(card.key, weights, tuple(texts))
