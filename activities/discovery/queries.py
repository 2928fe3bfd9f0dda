"""A request as it is compared with cards: whole and in its parts, as stems and as vectors."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from activities.discovery.background import BACKGROUND
from activities.discovery.clauses import long_clauses, sentences
from activities.discovery.embedder import Embedder
from activities.discovery.language import content_stems
from activities.discovery.masking import mask
from activities.discovery.phrasing import phrasings
from activities.discovery.reading import Reading
from activities.discovery.samples import Sample, encode_samples, request_sample
from agentapp.kernel.text import words

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors

#: What a word counts that looks like somebody's or something's name.
_NAMED = 0.4
#: Mean cosine of two general requests by the built-in encoder, which the thresholds were set with.
_UNRELATED = 0.1359
#: An embedder to which all requests are alike tells nothing; it is not stretched beyond this.
_ALIKE = 0.05


@dataclass(frozen=True, eq=False)
class PreparedQuery:
    """A request prepared for ranking. The whole comes first among `variants`, then its parts.

    `stems`: for each variant its stems with what each counts, up to 1. `vectors`: a unit row per variant;
    None without an embedder. `phrasings`: how each variant is worded; nothing without an embedder.
    `background`: for each variant the nearest cosine to a general request that no card answers (0 without
    vectors). `asks_apart`: the parts are sentences, each of which may ask for something of its own; else they
    are clauses, of which one asks and the others say why. `spread`: what the embedder's distances have to be
    stretched by to be those that the thresholds were set for.
    """

    text: str
    variants: tuple[str, ...]
    stems: tuple[Mapping[str, float], ...]
    vectors: "Vectors | None"
    phrasings: tuple[bytes, ...]
    background: tuple[float, ...]
    asks_apart: bool = False
    spread: float = 1.0


def prepare_query(text: str, embedder: Embedder | None, keep: Collection[str] = ()) -> PreparedQuery:
    """Prepare what a person wrote. Raises EmbedderUnavailable; with `embedder` None there are words only.

    `keep`: folded words that are no names although they are written with a capital.
    """
    reading = Reading.of(text)
    asked = sentences(reading)
    apart = len(asked) > 1
    variants = tuple(dict.fromkeys((reading.text, *(asked if apart else long_clauses(reading)))))
    stems = tuple(_stems(variant, keep) for variant in variants)
    if embedder is None:
        return PreparedQuery(reading.text, variants, stems, None, (), (0.0,) * len(variants), apart)
    samples = [request_sample(variant, keep) for variant in variants]
    vectors = encode_samples(embedder, samples)
    general = encode_samples(embedder, _background())
    spread = _spread(general)
    nearest = 1 - spread * (1 - (vectors @ general.T).max(axis=1))
    worded = tuple(phrasings([sample]) for sample in samples)
    background = tuple(nearest.tolist())
    return PreparedQuery(reading.text, variants, stems, vectors, worded, background, apart, spread)


def _spread(general: "Vectors") -> float:
    """Compare how far apart this embedder sees unrelated requests with how far the built-in one does."""
    count = len(general)
    total = float((general @ general.T).sum())
    unrelated = (total - count) / (count * (count - 1))
    return (1 - _UNRELATED) / max(1 - unrelated, _ALIKE)


@cache
def _background() -> tuple[Sample, ...]:
    return tuple(request_sample(sentence) for sentence in BACKGROUND)


def _stems(variant: str, keep: Collection[str]) -> dict[str, float]:
    meant = dict.fromkeys(content_stems(words(mask(variant, keep))), 1.0)
    return dict.fromkeys(content_stems(words(mask(variant, keep, names=False))), _NAMED) | meant
