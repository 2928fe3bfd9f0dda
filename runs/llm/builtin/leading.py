"""Whether a request begins as those do that a card is made for: "refund …" is no beginning of "list …".

Two activities about the same records share most of their words; what is asked of the records stands in the
first word that carries meaning. Where the right activity is not among the cards, that word is strange to the
one that is nearest.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from activities.discovery.clauses import clauses
from activities.discovery.embedder import Embedder
from activities.discovery.language import STOP_WORDS, content_stems, stem, word_set
from activities.discovery.lexical import one_edit
from activities.discovery.masking import mask
from activities.discovery.reading import Reading
from agentapp.kernel.text import words
from runs.llm.base import CardSpec
from runs.llm.builtin.several import POLITE

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors

_MOST_CLAUSES, _SHORTEST = 8, 5
#: A question begins with what it is about, not with what is to be done.
_QUESTIONS = word_set(
    """
    how what which who whom whose when where why is are was were do does did has have
    comment quel quelle quels quelles combien qui que quoi quand ou pourquoi est sont y
    """
)


@dataclass(frozen=True, eq=False)
class _Beginnings:
    """The first words of a card's own requests, their stems and vectors, and the stems of all its words."""

    stems: frozenset[str]
    vectors: "Vectors"
    known: frozenset[str]


def likeness_of_beginning(text: str, card: CardSpec, embedder: Embedder, spread: float) -> float:
    """Return how near a clause of `text` begins to how requests for `card` do: 1 for a word that it knows.

    Questions tell nothing by their beginning: 1 as well. `spread` stretches distances, as
    :class:`PreparedQuery` has it. Raises EmbedderUnavailable.
    """
    reading = Reading.of(text)
    firsts = (first_word(reading.cut(span)) for span in clauses(reading)[:_MOST_CLAUSES])
    said, own = [word for word in firsts if word], _beginnings(card, embedder)
    if not said or not len(own.vectors) or reading.words[0].folded in _QUESTIONS:
        return 1.0
    if _is_known(stem(said[0]), own.known) or any(stem(word) in own.stems for word in said[1:]):
        return 1.0
    cosines = embedder.encode(said) @ own.vectors.T
    return 1 - spread * (1 - float(cosines.max()))


def _is_known(one: str, known: frozenset[str]) -> bool:
    """A typing error is forgiven; a short word is too easily another one."""
    return one in known or (len(one) >= _SHORTEST and any(one_edit(one, other) for other in known))


def first_word(text: str) -> str:
    """Return the first word of `text` that carries meaning and names nobody; empty when there is none."""
    small = STOP_WORDS | POLITE
    return next((word for word in words(mask(text)) if word not in small and len(word) > 1), "")


@lru_cache(maxsize=1024)
def _beginnings(card: CardSpec, embedder: Embedder) -> _Beginnings:
    texts = (card.name, *card.aliases, *card.examples)
    first = [word for word in dict.fromkeys(map(first_word, texts)) if word]
    known = frozenset(one for text in texts for one in content_stems(words(mask(text))))
    return _Beginnings(frozenset(map(stem, first)), embedder.encode(first), known)
