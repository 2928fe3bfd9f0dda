"""Inputs that a part of a plan takes from the part it builds on."""

from collections.abc import Sequence

from activities.models import ActivityInput
from runs.handover import earlier_records, from_earlier
from runs.inputs import Settled, asked
from runs.models.question import AskedBecause
from runs.models.run import Origin
from runs.questions import Asked, Choice
from runs.references import MAX_CANDIDATES, Eyes
from runs.view import RunView


def with_earlier(
    view: RunView,
    fields: Sequence[ActivityInput],
    settled: Sequence[Settled],
    problems: Sequence[Asked],
    eyes: Eyes,
) -> tuple[list[Settled], list[Asked]]:
    """Take what the words leave open from the part this one builds on; of several, the person chooses."""
    done = {item.name for item in settled}
    named = {item.name: item for item in problems if item.because != AskedBecause.UNKNOWN}
    wanted = [
        field for field in fields if field.required and field.name not in done and field.name not in named
    ]
    records = earlier_records(view.run) if wanted else []
    taken, asks = list(settled), list(problems)
    for field in wanted if records else ():
        offers = from_earlier(field, records, eyes)
        if len(offers) == 1:
            item = offers[0]
            taken.append(Settled(field.name, item.value, item.label, item.path, Origin.HANDED_OVER))
        elif offers:
            choices = tuple(Choice(str(item.value), item.label) for item in offers[:MAX_CANDIDATES])
            asks = [ask for ask in asks if ask.name != field.name]
            asks.append(asked(view, field, AskedBecause.AMBIGUOUS, candidates=choices, words=view.run.words))
    mine = {item.name for item in taken}
    return taken, [ask for ask in asks if ask.name not in mine]
