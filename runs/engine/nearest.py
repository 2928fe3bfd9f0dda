"""The activities that come near a message, where they are too many for a model to read all their cards."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from activities.discovery.found import CataloguePart, Found
from activities.discovery.search import search
from activities.models import Activity, CardKind, DiscoveryCandidate, DiscoveryLog
from activities.models.discovery import DiscoveryStage
from agentapp.kernel.rows import insert
from runs.engine.rewriting import QUERY_CHARACTERS, rewritten
from runs.specs import card_key
from runs.view import RunView

#: A message may ask for several things: so many activities for each one of a step's tools are read.
_FOR_ONE = 2


@dataclass(frozen=True)
class Nearest:
    """What a model chooses from: all that was `offered`, or, of many, what a search `found`."""

    activities: list[Activity]
    offered: int
    query: str
    found: Found | None = None


def nearest(view: RunView, offered: list[Activity]) -> Nearest:
    """Return the activities to choose from. No transaction may be open.

    A trial reads all cards: those of a draft are in no index.
    """
    query = view.projected_words(view.words)
    if len(offered) <= settings.DISCOVERY_GROUP_UP_TO or view.run.trial:
        return Nearest(offered, len(offered), query)
    by_key = {card_key(activity): activity for activity in offered}
    found = search(
        user=view.run.user,
        workspace=view.run.workspace,
        permissions=view.rights().permissions,
        query=query[:QUERY_CHARACTERS],
        language=view.language,
        part=CataloguePart(keys=frozenset(by_key)),
        kind=CardKind.ACTIVITY,
        limit=_FOR_ONE * settings.DISCOVERY_SHOWN,
        rewrite=lambda words: rewritten(view, words),
    )
    near = [by_key[card.key] for card in found.cards if card.key in by_key]
    return Nearest(near or offered, len(offered), query, found)


def log_routing(
    view: RunView, near: Nearest, decision: str, chosen: Activity | None, milliseconds: int
) -> None:
    """Write the search down, in the current transaction. A trial's is in no log."""
    if view.run.trial:
        return
    log = DiscoveryLog(
        workspace=view.run.workspace,
        user=view.run.user,
        run_id=view.run.pk,
        agents=sorted({activity.revision.agent.key for activity in near.activities}),
        stage=DiscoveryStage.ROUTE,
        query=view.vault.hide(near.query),
        language=view.language,
        permitted=near.offered,
        shown=len(near.activities),
        rewritten_query=view.vault.hide(near.found.rewritten) if near.found else "",
        degraded=near.found.degraded if near.found else "",
        decision=decision[:40],
        chosen_key=card_key(chosen) if chosen else "",
        milliseconds=milliseconds,
    )
    insert([log])
    insert(_candidates(log, near, chosen))


def _candidates(log: DiscoveryLog, near: Nearest, chosen: Activity | None) -> Sequence[DiscoveryCandidate]:
    scores = {card.key: card for card in near.found.cards} if near.found else {}
    rows = []
    for position, activity in enumerate(near.activities):
        key = card_key(activity)
        row = DiscoveryCandidate(log=log, position=position, key=key, shown=True, called=activity is chosen)
        if key in scores:
            found = scores[key]
            row.lexical, row.dense, row.score = found.lexical, found.dense, found.score
        rows.append(row)
    return rows
