"""How well cards are found on public sets, the product's own way, beside plain BM25 and plain vectors.

Sets of tools are indexed in a scratch database and searched as a person would; sets of intents are ranked as
the interpreter ranks the activities of a message. Test splits only: docs/discovery.md says what was tuned on.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from activities.discovery.cards import prepare_card
from activities.discovery.embedding.chosen import local_embedder
from activities.discovery.queries import prepare_query
from activities.discovery.ranking import Statistics, rank
from benchmarks.indexed import card_text, indexed
from benchmarks.plain import Bm25, Dense, texts_of
from benchmarks.scale import scratch_database
from benchmarks.sets import Asked, Labelled, read_set

_SHOWN = 5
_KEPT = 0.95
Scores = Callable[[str], Any]
#: (the places of the five best, the relevant ones) → what the request counts.
Measure = Callable[[Sequence[int], frozenset[int]], float]


@dataclass(frozen=True)
class Figure:
    """One line of the table: what was measured, by whom, and the goal."""

    name: str
    product: float
    bm25: float
    dense: float
    goal: float
    requests: int


def measure(sample: int = 0) -> list[Figure]:
    """Return every figure; with `sample`, over so many requests of each split. Raises SetMissing.

    It takes some minutes: each figure is told on standard error when it is there.
    """
    figures = []
    for figure in _figures(sample):
        sys.stderr.write(f"{figure.name}: {figure.product:.3f}\n")
        figures.append(figure)
    return figures


def _figures(sample: int) -> Iterator[Figure]:
    metatool, sealtools, home = read_set("metatool"), read_set("sealtools"), read_set("ha_intents")
    clinc, banking = read_set("clinc150"), read_set("banking77")
    with scratch_database():
        asked = _some(metatool.asked("test"), sample)
        bare = [()] * len(metatool.cards)
        yield _searched("MetaTool, recall@5, cards only", metatool, bare, asked, share, 0.88)
        known = metatool.examples("train")
        yield _searched("MetaTool, recall@5, 10 examples a card", metatool, known, asked, share, 0.95)
        asked = _some(sealtools.asked("test_in_domain", "test_out_domain"), sample)
        bare = [()] * len(sealtools.cards)
        yield _searched("Seal-Tools, all found in 5", sealtools, bare, asked, all_of, 0.85)
        known = home.examples("train", "en", "fr")
        for language, title, goal in (("en", "English", 0.995), ("fr", "French", 0.99)):
            asked = _some(home.asked("test", language=language), sample)
            named = f"Home-assistant intents, recall@5, {title}"
            yield _searched(named, home, known, asked, share, goal, language)
    yield from _routed("CLINC150", clinc, sample, 0.95)
    yield from _routed("BANKING77", banking, sample, 0.90)


def share(best: Sequence[int], relevant: frozenset[int]) -> float:
    return len(relevant & set(best)) / len(relevant)


def all_of(best: Sequence[int], relevant: frozenset[int]) -> float:
    return float(relevant <= set(best))


def _searched(
    name: str,
    labelled: Labelled,
    examples: Sequence[Sequence[str]],
    asked: Sequence[Asked],
    measure_one: Measure,
    goal: float,
    language: str = "en",
) -> Figure:
    asked = [one for one in asked if one.relevant]
    with indexed(name.split(",")[0], labelled.cards, examples) as catalogue:
        found = [measure_one(catalogue.found(one.text, language), one.relevant) for one in asked]
    plain = [
        _mean(measure_one(_best(scores(one.text)), one.relevant) for one in asked)
        for scores in _plain(labelled, examples)
    ]
    return Figure(name, _mean(found), *plain, goal, len(asked))


def _routed(name: str, labelled: Labelled, sample: int, goal: float) -> Iterator[Figure]:
    """Accuracy with ten examples an intent and, where the set has them, requests that are out of scope."""
    examples = labelled.examples("train_10")
    inside, outside = _some(labelled.asked("test"), sample), _some(labelled.asked("oos_test"), sample)
    measured = [
        ([scores(one.text) for one in inside], [float(scores(one.text).max()) for one in outside])
        for scores in (_ranked(labelled, examples), *_plain(labelled, examples))
    ]
    right = [
        _mean(float(int(s.argmax()) in o.relevant) for s, o in zip(ins, inside, strict=True))
        for ins, _outs in measured
    ]
    yield Figure(f"{name}, accuracy, 10 examples an intent", *right, goal, len(inside))
    if outside:
        tops = [(np.array([float(s.max()) for s in ins]), np.array(outs)) for ins, outs in measured]
        kept = f"{name}, out of scope declined at {_KEPT:.0%} in scope kept"
        yield Figure(kept, *(declined(*top) for top in tops), 0.93, len(outside))
        yield Figure(f"{name}, out of scope, AUROC", *(auroc(*top) for top in tops), 0.985, len(outside))


def _ranked(labelled: Labelled, examples: Sequence[Sequence[str]]) -> Scores:
    """The interpreter's way: every card is ranked for every request."""
    embedder = local_embedder()
    texts = [card_text(place, *pair) for place, pair in enumerate(zip(labelled.cards, examples, strict=True))]
    cards = [prepare_card(text, embedder) for text in texts]
    statistics, places = Statistics.of(cards), {card.key: place for place, card in enumerate(cards)}

    def scores(text: str) -> Any:
        found = np.zeros(len(cards))
        for card in rank(prepare_query(text, embedder), cards, statistics).cards:
            found[places[card.key]] = card.score
        return found

    return scores


def _plain(labelled: Labelled, examples: Sequence[Sequence[str]]) -> tuple[Scores, Scores]:
    texts = [texts_of(card, some) for card, some in zip(labelled.cards, examples, strict=True)]
    return Bm25(texts).scores, Dense(texts).scores


def declined(inside: Any, outside: Any) -> float:
    """Return the share of `outside` below the score that 95 % of `inside` reach."""
    return float((outside < np.quantile(inside, 1 - _KEPT)).mean())


def auroc(inside: Any, outside: Any) -> float:
    """Return how often one of `inside` scores above one of `outside`, draws counting for half."""
    ordered = np.sort(outside)
    below = np.searchsorted(ordered, inside, "left") + np.searchsorted(ordered, inside, "right")
    return float(below.mean() / 2 / len(outside))


def _best(scores: Any) -> list[int]:
    return [int(place) for place in np.argsort(-scores, kind="stable")[:_SHOWN]]


def _some(asked: list[Asked], sample: int) -> list[Asked]:
    return Random(1).sample(asked, sample) if 0 < sample < len(asked) else asked  # noqa: S311


def _mean(values: Iterator[float] | Sequence[float]) -> float:
    return float(np.mean(list(values)))
