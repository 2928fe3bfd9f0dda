"""Cards that say nearly the same must say when not to use them.

Likeness is of words; in a process that has the sentence vectors loaded, of meaning too. They are not loaded
for this: a page's process stays small.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from django.utils.translation import gettext as _

from activities.checks.problem import Look, Problem
from activities.discovery.embedder import Embedder, EmbedderUnavailable, loaded_embedder
from activities.models.activity import PhraseKind
from agentapp.kernel.text import fold, words

#: Share of the smaller card's words that the other has, from which two cards are alike.
WORDS_ALIKE = 0.8
#: Cosine of their vectors.
MEANING_ALIKE = 0.85
#: Words of so few letters say nothing of what an activity is about.
SHORT = 3


@dataclass(frozen=True)
class _Card:
    look: Look
    text: str
    words: frozenset[str]
    aliases: frozenset[str]

    @property
    def is_told_apart(self) -> bool:
        return bool(self.look.activity.when_not_to_use)


def between_cards(looks: list[Look]) -> Iterator[Problem]:
    """Two cards alike both say when not to use them."""
    cards = [card for look in looks if look.activity.entry for card in _cards(look)]
    told: set[str] = set()
    for one, other in _alike(cards, loaded_embedder()):
        for card, against in ((one, other), (other, one)):
            if not card.is_told_apart and card.look.key not in told:
                told.add(card.look.key)
                sentence = _("Its card is nearly that of “%(other)s”. Say when not to use it.")
                yield Problem(card.look.key, sentence % {"other": against.look.key})


def _cards(look: Look) -> Iterator[_Card]:
    """Yield the card of each language, without what tells it apart."""
    for language, summary in look.activity.summary.items():
        aliases = [
            row.text
            for row in look.activity.phrases.all()
            if row.language == language and row.kind == PhraseKind.ALIAS
        ]
        text = " ".join((summary, ", ".join(aliases)))
        said = frozenset(word for word in words(text) if len(word) > SHORT)
        yield _Card(look, text, said, frozenset(fold(alias).strip() for alias in aliases))


def _alike(cards: list[_Card], embedder: Embedder | None) -> Iterator[tuple[_Card, _Card]]:
    near = _near_in_meaning(cards, embedder)
    for (i, one), (j, other) in combinations(enumerate(cards), 2):
        if one.look is other.look or (one.is_told_apart and other.is_told_apart):
            continue
        if one.aliases & other.aliases or _in_words(one, other) or (i, j) in near:
            yield one, other


def _in_words(one: _Card, other: _Card) -> bool:
    smaller = min(len(one.words), len(other.words))
    return smaller > 2 and len(one.words & other.words) / smaller >= WORDS_ALIKE


def _near_in_meaning(cards: list[_Card], embedder: Embedder | None) -> set[tuple[int, int]]:
    if embedder is None or len(cards) < 2:
        return set()
    try:
        vectors = embedder.encode([card.text for card in cards])
    except EmbedderUnavailable:
        return set()
    likeness = vectors @ vectors.T
    rows, columns = (likeness >= MEANING_ALIKE).nonzero()
    return {(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if i < j}
