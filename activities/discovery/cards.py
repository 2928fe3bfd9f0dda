"""A card as the index keeps it: weighted word stems, and sentence vectors of its texts.

A card's *when not to use* is left out on purpose: its words describe the neighbours.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from activities.discovery.embedder import Embedder
from activities.discovery.language import content_stems
from activities.discovery.masking import mask
from agentapp.kernel.text import words

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors

#: What a word of the name is worth, and so on: the nearer to a title, the more it says.
NAME, ALIAS, EXAMPLE, SUMMARY = 1.0, 0.95, 0.75, 0.6


@dataclass(frozen=True)
class CardText:
    """What a tool or activity is called and asked for with, in every language together."""

    key: str
    names: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    writes: bool = False


@dataclass(frozen=True, eq=False)
class IndexedCard:
    """A card prepared for ranking.

    `weights`: stem → what it is worth, 0 to 1. `card_vectors`: unit rows of names, aliases and summaries;
    `example_vectors`: unit rows of the masked examples. Both are float32 of shape (n, dimensions), with no
    rows when the card was prepared without an embedder.
    """

    key: str
    weights: Mapping[str, float]
    card_vectors: "Vectors"
    example_vectors: "Vectors"
    writes: bool = False


def prepare_card(text: CardText, embedder: Embedder | None) -> IndexedCard:
    """Prepare one card. Raises EmbedderUnavailable; with `embedder` None the card has words only."""
    examples = masked_examples(text)
    return IndexedCard(
        text.key,
        weigh(text, examples),
        _encode(embedder, title_texts(text)),
        _encode(embedder, examples),
        text.writes,
    )


def title_texts(text: CardText) -> tuple[str, ...]:
    """The texts behind `card_vectors`, in their order."""
    titles = (*text.names, *text.aliases, *text.summaries)
    return tuple(dict.fromkeys(title for title in titles if title.strip()))


def masked_examples(text: CardText) -> tuple[str, ...]:
    """The texts behind `example_vectors`, in their order: what the examples ask, without whom and what."""
    names = title_words(text)
    masked = (mask(example, names) for example in text.examples)
    return tuple(dict.fromkeys(example for example in masked if example.strip()))


def title_words(text: CardText) -> frozenset[str]:
    """The folded words of the titles: never masked, though written with a capital."""
    titles = (*text.names, *text.aliases, *text.summaries)
    return frozenset(word for title in titles for word in words(title))


def weigh(text: CardText, examples: Collection[str]) -> dict[str, float]:
    """Return the stems of a card with their weights; `examples` are masked already."""
    weights: dict[str, float] = {}
    for title, weight in _weighed(text, examples):
        for stem in content_stems(words(title)):
            weights[stem] = max(weight, weights.get(stem, 0.0))
    return weights


def _weighed(text: CardText, examples: Collection[str]) -> list[tuple[str, float]]:
    handle = text.key.rsplit(".", 1)[-1].replace("_", " ")
    return [
        *((name, NAME) for name in text.names),
        (handle, ALIAS),
        *((summary, SUMMARY) for summary in text.summaries),
        *((alias, ALIAS) for alias in text.aliases),
        *((example, EXAMPLE) for example in examples),
    ]


def _encode(embedder: Embedder | None, texts: Sequence[str]) -> "Vectors":
    if embedder is None or not texts:
        return np.empty((0, embedder.dimensions if embedder else 0), dtype=np.float32)
    return embedder.encode(texts)
