"""What a search is measured against: plain BM25, and plain nearness of sentence vectors."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from activities.discovery.embedding.chosen import local_embedder

_K1, _B = 1.2, 0.75
_WORD = re.compile(r"[^\W_]+")


class Bm25:
    """Okapi BM25 over the lower-cased words of a card's texts, joined."""

    def __init__(self, cards: Sequence[Sequence[str]]) -> None:
        documents = [Counter(_words(" ".join(texts))) for texts in cards]
        lengths = [sum(document.values()) for document in documents]
        mean = sum(lengths) / len(lengths)
        self._count = len(cards)
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for place, document in enumerate(documents):
            damping = _K1 * (1 - _B + _B * lengths[place] / mean)
            for word, count in document.items():
                self._postings.setdefault(word, []).append((place, count * (_K1 + 1) / (count + damping)))

    def scores(self, text: str) -> Any:
        found = np.zeros(self._count)
        for word in set(_words(text)):
            postings = self._postings.get(word, [])
            rarity = math.log(1 + (self._count - len(postings) + 0.5) / (len(postings) + 0.5))
            for place, weight in postings:
                found[place] += rarity * weight
        return found


class Dense:
    """The cosine of the nearest of a card's texts."""

    def __init__(self, cards: Sequence[Sequence[str]]) -> None:
        self._starts = np.cumsum([0, *(len(texts) for texts in cards[:-1])])
        self._rows = local_embedder().encode([text for texts in cards for text in texts])

    def scores(self, text: str) -> Any:
        return np.maximum.reduceat(self._rows @ local_embedder().encode([text])[0], self._starts)


def texts_of(card: Mapping[str, Any], examples: Sequence[str]) -> list[str]:
    return [f"{card['name']}: {card.get('description') or card['name']}", *examples]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
