"""Choosing an activity: words and vectors together, with "unclear" and "none" as full answers.

The thresholds were set on the requests in the tests (several domains, two languages) and checked on
domains that took no part in setting them.
"""

from dataclasses import dataclass, replace

from activities.discovery.embedder import Embedder
from agentapp.kernel.text import words
from runs.llm.base import SEVERAL, RouteTask
from runs.llm.builtin.cards import CardSet, card_set
from runs.llm.builtin.clauses import clauses
from runs.llm.builtin.dense import DenseScores, dense_scores
from runs.llm.builtin.language import content_stems
from runs.llm.builtin.lexical import lexical_scores
from runs.llm.builtin.masking import mask
from runs.llm.builtin.reading import Reading
from runs.llm.builtin.several import pieces
from runs.llm.builtin.smalltalk import asks_about_the_past, forbids, instructs_interpreter, is_pleasantry

#: Weight of the vectors beside the words.
_DENSE = 0.6
#: Weight of the nearest general question: an activity has to be somewhat nearer, its words counting too.
_ELSEWHERE = 0.69
#: A lead below this leaves the choice to the person.
_MARGIN = 0.06
_MAX_CLAUSES = 6
_MAX_ALTERNATIVES = 3


@dataclass(frozen=True)
class Thresholds:
    """Below `floor` nothing fits; below `certain` the best is a guess, which the person has to confirm."""

    floor: float
    certain: float


_TOGETHER = Thresholds(floor=0.34, certain=0.42)
_WORDS_ALONE = Thresholds(floor=0.45, certain=0.55)


@dataclass(frozen=True)
class Ranked:
    key: str
    score: float


@dataclass(frozen=True)
class Ranking:
    """Cards best first. `elsewhere` is the score of "something no activity does"."""

    cards: tuple[Ranked, ...]
    thresholds: Thresholds
    elsewhere: float


def choose(task: RouteTask, embedder: Embedder) -> dict[str, object]:
    """Answer a RouteTask with the arguments of CHOOSE_ACTIVITY."""
    reading = Reading.of(task.message)
    if not task.cards or is_pleasantry(reading) or instructs_interpreter(reading) or forbids(reading):
        return _decision("none")
    if asks_about_the_past(reading):
        task = replace(task, cards=tuple(card for card in task.cards if not card.writes))
        if not task.cards:
            return _decision("none")
    parts = pieces(task, lambda text: _certain(text, task, embedder))
    if parts:
        return {**_decision(SEVERAL), "several": [part.as_json() for part in parts]}
    return _decide(rank(reading, card_set(task.cards), embedder))


def _certain(text: str, task: RouteTask, embedder: Embedder) -> str | None:
    """Return the card that `text` certainly asks for, None when there is a doubt."""
    reading = Reading.of(text)
    if forbids(reading):
        return None
    key = _decide(rank(reading, card_set(task.cards), embedder))["activity"]
    return str(key) if key else None


def rank(reading: Reading, cards: CardSet, embedder: Embedder) -> Ranking:
    """Score every card for what `reading` asks."""
    variants = _variants(reading, cards) or [""]
    lexical = lexical_scores(cards, [content_stems(words(text)) for text in variants])
    dense = dense_scores(embedder, cards, variants)
    return _by_words(cards, lexical) if dense is None else _combined(cards, lexical, dense)


def _variants(reading: Reading, cards: CardSet) -> list[str]:
    """The masked request whole, and its clauses: a reason given must not drown the request."""
    whole = mask(reading.text, cards.names)
    parts = [reading.cut(span) for span in clauses(reading)[:_MAX_CLAUSES]]
    masked = [mask(part, cards.names) for part in parts if len(part.split()) >= 2]
    return list(dict.fromkeys(text for text in (whole, *masked) if text))


def _by_words(cards: CardSet, lexical: list[float]) -> Ranking:
    return Ranking(_sorted(cards, lexical), _WORDS_ALONE, 0.0)


def _combined(cards: CardSet, lexical: list[float], dense: DenseScores) -> Ranking:
    scores = [(1 - _DENSE) * words + _DENSE * near for words, near in zip(lexical, dense.cards, strict=True)]
    return Ranking(_sorted(cards, scores), _TOGETHER, _ELSEWHERE * dense.elsewhere)


def _sorted(cards: CardSet, scores: list[float]) -> tuple[Ranked, ...]:
    ranked = [Ranked(card.key, score) for card, score in zip(cards.cards, scores, strict=True)]
    return tuple(sorted(ranked, key=lambda entry: (-entry.score, entry.key)))


def _decide(ranking: Ranking) -> dict[str, object]:
    best, limits = ranking.cards[0], ranking.thresholds
    if best.score < max(limits.floor, ranking.elsewhere):
        return _decision("none")
    rivals = _rivals(ranking)
    if len(rivals) > 1:
        return _decision("unclear", alternatives=rivals)
    return _decision("activity", best.key) if best.score >= limits.certain else _decision("none")


def _rivals(ranking: Ranking) -> list[str]:
    """What the person has to choose between: all near the best; for a guess, at least the two best."""
    best, limits = ranking.cards[0], ranking.thresholds
    near = [entry.key for entry in ranking.cards if entry.score >= max(limits.floor, best.score - _MARGIN)]
    if len(near) < 2 and best.score < limits.certain:
        near = [entry.key for entry in ranking.cards[:2]]
    return near[:_MAX_ALTERNATIVES]


def _decision(
    decision: str, activity: str | None = None, alternatives: list[str] | None = None
) -> dict[str, object]:
    return {"decision": decision, "activity": activity, "alternatives": alternatives or []}
