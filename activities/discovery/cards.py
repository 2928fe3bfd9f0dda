"""A card as the index keeps it: counted word stems, and sentence vectors of its texts.

A card's *when not to use* is left out on purpose: its words describe the neighbours.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING

from activities.discovery.embedder import Embedder
from activities.discovery.language import content_stems, spoken
from activities.discovery.masking import mask
from activities.discovery.phrasing import phrasings
from activities.discovery.samples import Sample, encode_samples, request_sample
from agentapp.kernel.text import words

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors

#: A name's part in the vector of a card's title, beside its summary and the two read together.
_NAME_SHARE = 0.5


class Passage(StrEnum):
    """Where a word of a card stands."""

    NAME = "name"
    ALIAS = "alias"
    SUMMARY = "summary"
    EXAMPLE = "example"
    PARAMETER = "parameter"


#: What an occurrence of a word counts: the nearer to a title, the more it says.
_COUNTS = {
    Passage.NAME: 2.0,
    Passage.ALIAS: 2.0,
    Passage.SUMMARY: 1.0,
    Passage.EXAMPLE: 1.0,
    Passage.PARAMETER: 0.5,
}


@dataclass(frozen=True)
class CardText:
    """What a tool or activity is called and asked for with, in every language together.

    `names` and `summaries` stand in the same order of languages. `parameters` are "name: description" of a
    tool's parameters: words only, the least of all.
    """

    key: str
    names: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    writes: bool = False
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class IndexedCard:
    """A card prepared for ranking.

    `weights`: stem → how often it occurs, weighted by where. `card_vectors`: unit rows of the titles (one a
    language) and the aliases; `example_vectors`: unit rows of the examples. Both are float32 of shape
    (n, dimensions), with no rows when the card was prepared without an embedder. `card_phrasings` and
    `example_phrasings` are the wording of the same rows, as :mod:`activities.discovery.phrasing` has it.
    """

    key: str
    weights: Mapping[str, float]
    card_vectors: "Vectors"
    example_vectors: "Vectors"
    card_phrasings: bytes = b""
    example_phrasings: bytes = b""
    writes: bool = False

    @cached_property
    def length(self) -> float:
        """How many words the card has, weighted as they are."""
        return sum(self.weights.values())


def prepare_card(text: CardText, embedder: Embedder | None) -> IndexedCard:
    """Prepare one card. Raises EmbedderUnavailable; with `embedder` None the card has words only."""
    titles, examples = title_samples(text), example_samples(text)
    return IndexedCard(
        text.key,
        count_stems(text),
        encode_samples(embedder, titles),
        encode_samples(embedder, examples),
        phrasings(titles) if embedder else b"",
        phrasings(examples) if embedder else b"",
        text.writes,
    )


def title_samples(text: CardText) -> tuple[Sample, ...]:
    """What `card_vectors` are made of, in their order: the titles, one a language, then the aliases.

    A title is the name, the summary, and the two read together.
    """
    found: list[Sample] = []
    for name, summary in zip_longest(map(spoken, text.names), text.summaries, fillvalue=""):
        if name and summary:
            found.append(((name, _NAME_SHARE), (summary, 1.0), (f"{name}: {summary}", 1.0)))
        elif name or summary:
            found.append(((name or summary, 1.0),))
    found += [((alias, 1.0),) for alias in text.aliases if alias.strip()]
    return tuple(dict.fromkeys(found))


def example_samples(text: CardText) -> tuple[Sample, ...]:
    """What `example_vectors` are made of, in their order."""
    names = title_words(text)
    found = (request_sample(example, names) for example in text.examples if example.strip())
    return tuple(dict.fromkeys(found))


def title_words(text: CardText) -> frozenset[str]:
    """The folded words of the titles: never masked, though written with a capital."""
    titles = (*map(spoken, text.names), *text.aliases, *text.summaries)
    return frozenset(word for title in titles for word in words(title))


def count_stems(text: CardText) -> dict[str, float]:
    """Return the stems of a card, each with its weighted number of occurrences."""
    counts: dict[str, float] = {}
    for passage, part in passages(text):
        for stem in content_stems(words(part)):
            counts[stem] = counts.get(stem, 0.0) + _COUNTS[passage]
    return counts


def passages(text: CardText) -> Iterator[tuple[Passage, str]]:
    """Yield the texts whose words count, examples without whom and what they name."""
    names = title_words(text)
    yield from ((Passage.NAME, spoken(name)) for name in text.names)
    yield from ((Passage.ALIAS, alias) for alias in text.aliases)
    yield from ((Passage.SUMMARY, summary) for summary in text.summaries)
    yield from ((Passage.EXAMPLE, mask(example, names)) for example in text.examples)
    yield from ((Passage.PARAMETER, spoken(parameter)) for parameter in text.parameters)
