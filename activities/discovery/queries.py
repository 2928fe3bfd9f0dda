"""A request as it is compared with cards: whole and in its clauses, masked, as stems and as vectors."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from activities.discovery.background import BACKGROUND
from activities.discovery.clauses import clauses
from activities.discovery.embedder import Embedder
from activities.discovery.language import content_stems
from activities.discovery.masking import mask
from activities.discovery.reading import Reading
from agentapp.kernel.text import words

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors

_MAX_CLAUSES = 6


@dataclass(frozen=True, eq=False)
class PreparedQuery:
    """A request prepared for ranking. The masked whole comes first among `variants`, then its clauses.

    `stems`: a list per variant. `vectors`: a unit row per variant; None without an embedder. `elsewhere` is
    the nearest cosine to a general request that no card answers (0 without vectors).
    """

    text: str
    variants: tuple[str, ...]
    stems: tuple[tuple[str, ...], ...]
    vectors: "Vectors | None"
    elsewhere: float = 0.0


def prepare_query(text: str, embedder: Embedder | None, keep: Collection[str] = ()) -> PreparedQuery:
    """Prepare what a person wrote. Raises EmbedderUnavailable; with `embedder` None there are words only.

    `keep`: folded words to spare from masking although they are written with a capital.
    """
    reading = Reading.of(text)
    variants = _variants(reading, keep)
    stems = tuple(tuple(content_stems(words(variant))) for variant in variants)
    if embedder is None:
        return PreparedQuery(reading.text, variants, stems, None)
    vectors = embedder.encode(variants)
    background = embedder.encode(_background())
    return PreparedQuery(reading.text, variants, stems, vectors, float((vectors @ background.T).max()))


@cache
def _background() -> tuple[str, ...]:
    return tuple(mask(sentence) for sentence in BACKGROUND)


def _variants(reading: Reading, keep: Collection[str]) -> tuple[str, ...]:
    """The masked request whole, and its clauses: a reason given must not drown the request."""
    parts = [reading.cut(span) for span in clauses(reading)[:_MAX_CLAUSES]]
    asked = [reading.text, *(part for part in parts if len(part.split()) >= 2)]
    return tuple(dict.fromkeys(filter(None, (mask(part, keep) for part in asked)))) or ("",)
