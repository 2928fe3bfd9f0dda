"""Cards that say nearly the same: one of two says when not to use it, or nothing is published.

Likeness is of words, and of meaning where the vectors are there: they are made in the background once a
card is saved, so that a page's process needs no model.
"""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from activities.checks.problem import Look, Problem
from activities.likeness import Pair, alike, of_tool
from activities.models import CardKind
from activities.redundancy import activity_key, of_draft
from activities.tools import ToolContract


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


def between_tools(look: Look) -> Iterator[Problem]:
    """Of two tools alike in one step, one says when not to use it."""
    for step in look.steps:
        contracts = [
            each for row in step.tools.all() if (each := look.contracts.get(row.tool_key)) is not None
        ]
        found = tools_alike(contracts)
        if found:
            yield Problem(look.place(step.key), _tools(found))


def tools_alike(contracts: list[ToolContract]) -> list[Pair]:
    """Return the pairs of these tools that nothing tells apart."""
    cards = [card for contract in contracts for card in of_tool(contract)]
    return [pair for pair in alike(cards).pairs if not pair.is_told_apart] if len(contracts) > 1 else []


def _tools(found: list[Pair]) -> str:
    names = {"one": found[0].one.key, "other": found[0].other.key}
    told = _("Its tools “%(one)s” and “%(other)s” have nearly the same card.") % names
    more = [_("So have %(count)d more pairs.") % {"count": len(found) - 1}] if len(found) > 1 else []
    remedy = _("Have one of them say when not to use it, or take it out of the step.")
    return " ".join((told, *more, remedy))
