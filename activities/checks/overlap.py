"""Cards that say nearly the same: one of two says when not to use it, or nothing is published.

Likeness is of words, and of meaning where the vectors are there: they are made in the background once a
card is saved, so that a page's process needs no model.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from activities.checks.problem import Look, Problem
from activities.likeness import Alike, Likened, Pair, alike, of_tool
from activities.likeness.vectors import vectors_by_text
from activities.models import CardKind, Step
from activities.redundancy import activity_key, of_draft

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors

#: A step that is open to more tools has them compared by their words alone.
MOST_BY_MEANING = 300


def between_cards(looks: list[Look]) -> Iterator[Problem]:
    """Of two activities alike one says when not to use it: here, and among what else is published."""
    entries = [look.activity for look in looks if look.activity.entry]
    if not entries:
        return
    keys = {activity_key(each): each.key for each in entries}
    about = frozenset((CardKind.ACTIVITY.value, key) for key in keys)
    order = list(keys)
    told: set[str] = set()
    for pair in of_draft(entries).alike(about).pairs:
        own = sorted((card.key for card in (pair.one, pair.other) if card.key in keys), key=order.index)
        if not pair.is_told_apart and own[-1] not in told:
            told.add(own[-1])
            other = pair.one.key if pair.other.key == own[-1] else pair.other.key
            sentence = _("Its card is nearly that of “%(other)s”. Say when not to use one of them.")
            yield Problem(keys[own[-1]], sentence % {"other": keys.get(other, other)})


def between_tools(looks: list[Look]) -> Iterator[Problem]:
    """Of two tools alike that one step offers, one says when not to use it."""
    offered = {(look, step): _offered(look, step) for look in looks for step in look.steps}
    few = {card for cards in offered.values() if len(cards) <= MOST_BY_MEANING for card in cards}
    made = vectors_by_text(few)
    for (look, step), cards in offered.items():
        found = [pair for pair in _tools_alike(cards, made).pairs if not pair.is_told_apart]
        if found:
            yield Problem(look.place(step.key), _tools(found))


def _offered(look: Look, step: Step) -> tuple[Likened, ...]:
    """Return the cards of the tools that a step names or is open to; none where it offers one."""
    named = [each for row in step.tools.all() if (each := look.contracts.get(row.tool_key)) is not None]
    contracts = {each.key: each for each in (*named, *look.opened(step))}.values()
    return tuple(card for each in contracts for card in of_tool(each)) if len(contracts) > 1 else ()


def _tools_alike(cards: tuple[Likened, ...], made: Mapping[str, "Vectors"]) -> Alike:
    """Compare the tools of one step. Of very many, words alone are compared."""
    vectors = {place: made[card.text] for place, card in enumerate(cards) if card.text in made}
    return alike(cards, vectors) if vectors and len(cards) <= MOST_BY_MEANING else _alike_in_words(cards)


@lru_cache(maxsize=32)
def _alike_in_words(cards: tuple[Likened, ...]) -> Alike:
    """Remembered: a page of a draft asks it of the same tools each time."""
    return alike(cards)


def _tools(found: list[Pair]) -> str:
    names = {"one": found[0].one.key, "other": found[0].other.key}
    told = _("Its tools “%(one)s” and “%(other)s” have nearly the same card.") % names
    more = [_("So have %(count)d more pairs.") % {"count": len(found) - 1}] if len(found) > 1 else []
    remedy = _("Have one of them say when not to use it, or take it out of the step.")
    return " ".join((told, *more, remedy))
