"""Choosing an activity by the ranking of discovery, with "unclear" and "none" as full answers."""

import logging
from dataclasses import replace

from activities.discovery.embedder import Embedder, EmbedderUnavailable
from activities.discovery.queries import prepare_query
from activities.discovery.ranking import Fit, Ranking, rank
from activities.discovery.reading import Reading
from runs.llm.base import SEVERAL, CardSpec, RouteTask
from runs.llm.builtin.cards import card_set
from runs.llm.builtin.leading import likeness_of_beginning
from runs.llm.builtin.several import pieces
from runs.llm.builtin.smalltalk import asks_about_the_past, forbids, instructs_interpreter, is_pleasantry

logger = logging.getLogger(__name__)
_warned: set[str] = set()

#: A lead below this share of the best score leaves the choice to the person.
_MARGIN = 0.1
#: The same for a request that begins with a word less than `_ALIKE` to those that the best is asked for with:
#: only a clear lead stands.
_STRANGE_MARGIN, _ALIKE = 0.5, 0.63
_MAX_ALTERNATIVES = 3


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
    return _decided(task.message, task.cards, embedder)


def _certain(text: str, task: RouteTask, embedder: Embedder) -> str | None:
    """Return the card that `text` certainly asks for, None when there is a doubt."""
    if forbids(Reading.of(text)):
        return None
    key = _decided(text, task.cards, embedder)["activity"]
    return str(key) if key else None


def _decided(text: str, cards: tuple[CardSpec, ...], embedder: Embedder) -> dict[str, object]:
    ranking = ranked(text, cards, embedder)
    decision = _decide(ranking)
    return _doubted(decision, text, ranking, cards, embedder) if decision["activity"] else decision


def _doubted(
    decision: dict[str, object],
    text: str,
    ranking: Ranking,
    cards: tuple[CardSpec, ...],
    embedder: Embedder,
) -> dict[str, object]:
    """Ask where a request begins as none for the best card does, and others are not far.

    By words alone this is not told.
    """
    near = _near(ranking, ranking.cards[0].score * _STRANGE_MARGIN)
    if len(near) < 2:
        return decision
    best = next(card for card in cards if card.key == near[0])
    try:
        likeness = likeness_of_beginning(text, best, embedder, prepare_query(text, embedder).spread)
    except EmbedderUnavailable:
        return decision
    return decision if likeness >= _ALIKE else _decision("unclear", alternatives=near)


def ranked(text: str, cards: tuple[CardSpec, ...], embedder: Embedder | None) -> Ranking:
    """Rank the cards for `text`; by words alone, and saying so once, where there are no vectors."""
    try:
        return _ranked_with(text, cards, embedder)
    except EmbedderUnavailable as error:
        _warn_once(error)
        return _ranked_with(text, cards, None)


def _ranked_with(text: str, cards: tuple[CardSpec, ...], embedder: Embedder | None) -> Ranking:
    known = card_set(cards, embedder)
    return rank(prepare_query(text, embedder, known.names), known.cards, known.statistics)


def _warn_once(error: EmbedderUnavailable) -> None:
    if error.message not in _warned:
        _warned.add(error.message)
        logger.warning("Choosing activities by words alone: %s", error)


def _decide(ranking: Ranking) -> dict[str, object]:
    if ranking.verdict is Fit.NONE:
        return _decision("none")
    rivals = rivals_of(ranking)
    if len(rivals) > 1:
        return _decision("unclear", alternatives=rivals)
    return _decision("activity", ranking.cards[0].key) if ranking.verdict is Fit.FOUND else _decision("none")


def rivals_of(ranking: Ranking) -> list[str]:
    """What the person has to choose between: all near the best; for a guess, at least the two best."""
    least = max(ranking.thresholds.floor, ranking.cards[0].score * (1 - _MARGIN))
    near = _near(ranking, least)
    if len(near) < 2 and ranking.verdict is Fit.WEAK:
        near = [card.key for card in ranking.cards[:2]]
    return near


def _near(ranking: Ranking, least: float) -> list[str]:
    return [card.key for card in ranking.cards if card.score >= least][:_MAX_ALTERNATIVES]


def _decision(
    decision: str, activity: str | None = None, alternatives: list[str] | None = None
) -> dict[str, object]:
    return {"decision": decision, "activity": activity, "alternatives": alternatives or []}
