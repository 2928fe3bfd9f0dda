"""Finding the cards that are alike: by an alias they share, by their words, and by meaning where vectors are.

Of many that are like one card only the nearest few are kept; the rest are counted.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from activities.likeness.cards import Likened
from activities.models import CardKind

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors

#: Share of the smaller card's words that the other has, from which two cards are alike.
WORDS_ALIKE = 0.8
#: A card of fewer words is like nothing by its words.
FEWEST_WORDS = 3
#: Cosine of their vectors. Tools say less: “read a file” and “write a file” are nearer than that.
MEANING_ALIKE = {CardKind.ACTIVITY.value: 0.85, CardKind.TOOL.value: 0.9}
#: So many of those that are like one card are kept.
KEPT = 5
#: So many rows of the table of cosines are made at a time.
_BLOCK = 256

Identity = tuple[str, str]


@dataclass(frozen=True)
class Pair:
    """Two cards alike. `cosine` is None where one of them has no vector."""

    one: Likened
    other: Likened
    share: float
    cosine: float | None

    @property
    def words(self) -> list[str]:
        """The words that collide."""
        return sorted(self.one.words & self.other.words)

    @property
    def aliases(self) -> list[str]:
        return sorted(self.one.aliases & self.other.aliases)

    @property
    def nearness(self) -> float:
        called_alike = self.aliases and self.one.kind == CardKind.ACTIVITY
        return 1.0 if called_alike else max(self.share, self.cosine or 0.0)

    @property
    def is_told_apart(self) -> bool:
        """True when one of them says when not to use it."""
        return self.one.is_told_apart or self.other.is_told_apart


@dataclass(frozen=True)
class Alike:
    """The pairs, nearest first; for each card, how many more are like it than were kept."""

    pairs: tuple[Pair, ...]
    more: Mapping[Identity, int] = field(default_factory=dict)


def alike(
    cards: Sequence[Likened],
    vectors: Mapping[int, "Vectors"] | None = None,
    about: Collection[Identity] | None = None,
) -> Alike:
    """Return which of `cards` are alike, of one kind each; with `about`, only what is like one of these.

    `vectors` are unit rows, by the card's place in `cards`: those without one are compared by their words.
    """
    found: dict[frozenset[Identity], Pair] = {}
    more: dict[Identity, int] = {}
    for card, near, count in _near(cards, vectors or {}, about):
        for pair in near:
            both = frozenset((pair.one.identity, pair.other.identity))
            if both not in found or pair.nearness > found[both].nearness:
                found[both] = pair
        if count > len(near):
            more[card.identity] = max(more.get(card.identity, 0), count - len(near))
    return Alike(tuple(sorted(found.values(), key=_order)), more)


def _order(pair: Pair) -> tuple[float, Identity, Identity]:
    return -pair.nearness, pair.one.identity, pair.other.identity


def _near(
    cards: Sequence[Likened], vectors: Mapping[int, "Vectors"], about: Collection[Identity] | None
) -> Iterator[tuple[Likened, list[Pair], int]]:
    """Yield each card with the nearest of those like it, and how many there are."""
    for kind in dict.fromkeys(card.kind for card in cards):
        places = [place for place, card in enumerate(cards) if card.kind == kind]
        ground = _Ground([cards[i] for i in places], [vectors.get(i) for i in places])
        yield from ground.near(about)


class _Ground:
    """The cards of one kind, with the places of their words and aliases, and their vectors."""

    def __init__(self, cards: Sequence[Likened], vectors: Sequence["Vectors | None"]) -> None:
        import numpy as np  # kept out of processes that compare nothing

        self.np, self.cards, self.vectors = np, cards, vectors
        numbers: dict[Identity, int] = {}
        self.identities = np.array([numbers.setdefault(card.identity, len(numbers)) for card in cards])
        self.sizes = np.array([len(card.words) for card in cards])
        nothing = np.full(next((len(row) for row in vectors if row is not None), 0), np.nan, np.float32)
        self.rows = np.stack([nothing if row is None else row for row in vectors])
        self.by_word = self._places((word, i) for i, card in enumerate(cards) for word in card.words)
        self.by_alias = self._places(
            ((card.language, alias), i) for i, card in enumerate(cards) for alias in card.aliases
        )

    def _places(self, said: Iterable[tuple[Any, int]]) -> dict[Any, Any]:
        found: dict[Any, list[int]] = defaultdict(list)
        for what, place in said:
            found[what].append(place)
        return {what: self.np.array(places) for what, places in found.items()}

    def near(self, about: Collection[Identity] | None) -> Iterator[tuple[Likened, list[Pair], int]]:
        chosen = [i for i, card in enumerate(self.cards) if about is None or card.identity in about]
        for start in range(0, len(chosen), _BLOCK):
            block = chosen[start : start + _BLOCK]
            cosines = self._cosines(block)
            for place in block:
                others, count = self._best(self._scores(place, cosines.get(place)), place)
                pairs = [self._pair(place, other, cosines.get(place)) for other in others]
                yield self.cards[place], pairs, count

    def _cosines(self, block: Sequence[int]) -> dict[int, Any]:
        """Return the cosines with all cards, of each card that has a vector: nan for those without one."""
        own = [place for place in block if self.vectors[place] is not None]
        return dict(zip(own, self.rows[own] @ self.rows.T, strict=True)) if own else {}

    def _scores(self, place: int, cosines: Any) -> Any:
        """Return how near every card is to this one, 0 for those that are not alike."""
        np, card = self.np, self.cards[place]
        scores = np.zeros(len(self.cards))
        if len(card.words) >= FEWEST_WORDS:
            shared = np.bincount(
                np.concatenate([self.by_word[word] for word in card.words]), minlength=len(self.cards)
            )
            smaller = np.minimum(self.sizes, len(card.words))
            share = shared / np.maximum(smaller, 1)
            scores = np.where((share >= WORDS_ALIKE) & (smaller >= FEWEST_WORDS), share, 0.0)
        if cosines is not None:
            scores = np.fmax(scores, np.where(cosines >= MEANING_ALIKE[card.kind], cosines, 0.0))
        # People ask for activities by their aliases; a tool is chosen by all its card.
        for alias in card.aliases if card.kind == CardKind.ACTIVITY else ():
            scores[self.by_alias[card.language, alias]] = 1.0
        scores[self.identities == self.identities[place]] = 0.0
        return scores

    def _best(self, scores: Any, place: int) -> tuple[list[int], int]:
        """Return the nearest few, each card in its nearest language, and the number of all."""
        np, hits = self.np, scores.nonzero()[0]
        best: dict[int, int] = {}
        for other in hits[np.argsort(-scores[hits], kind="stable")]:
            best.setdefault(int(self.identities[other]), int(other))
            if len(best) == KEPT:
                break
        return list(best.values()), len(np.unique(self.identities[hits]))

    def _pair(self, place: int, other: int, cosines: Any) -> Pair:
        one, two = self.cards[place], self.cards[other]
        smaller = min(len(one.words), len(two.words))
        share = len(one.words & two.words) / smaller if smaller else 0.0
        cosine = None if cosines is None or self.np.isnan(cosines[other]) else float(cosines[other])
        return Pair(one, two, share, cosine)
