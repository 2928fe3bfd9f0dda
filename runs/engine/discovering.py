"""Which tools of an open step to show: all where they are few, the group that fits, else what a search finds.

Only what this person may use is counted, scored or shown. What an opening cannot make usable is left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.conf import settings

from activities.discovery.found import CataloguePart, Found, FoundCard
from activities.discovery.parts import tool_cards
from activities.discovery.search import Rewrite, search
from activities.models import ToolGroupEntry
from activities.models.discovery import ToolsShown
from activities.models.openings import OpeningKind
from activities.openings import StepTools, part_of
from activities.tools import ToolContract, registry
from agentapp.kernel.canonical import dumps
from runs.guardrails import limits_of
from runs.models import RunStep
from runs.specs import function_schema
from runs.step_tools import step_tools
from runs.view import RunView

#: Of what was searched, so many candidates for each one shown are looked at and kept in the log.
CANDIDATES_FOR_ONE = 4
#: At least so many are shown; beyond them only what comes near the best.
LEAST_SHOWN = 3
NEAR_THE_BEST = 0.6
#: Hits from this share of the best one's score on say which group is meant.
_AS_GOOD = 0.85


@dataclass(frozen=True)
class Candidate:
    """A permitted tool as it was found: its contract of then, its scores, whether it is shown."""

    key: str
    contract_hash: str
    shown: bool
    lexical: float | None = None
    dense: float | None = None
    score: float | None = None


@dataclass(frozen=True)
class Looked:
    """What a search for tools came to. `query` is as it was searched, protected values being tokens in it."""

    query: str
    decision: ToolsShown
    permitted: int
    candidates: tuple[Candidate, ...] = ()
    rewritten: str = ""
    degraded: str = ""
    milliseconds: int = 0

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple(each.key for each in self.candidates if each.shown)


@dataclass
class _Look:
    """One search: for whom, in which step, over what."""

    view: RunView
    step: RunStep
    tools: StepTools = field(init=False)
    permissions: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.tools = step_tools(self.view, self.step)
        self.permissions = self.view.rights().permissions

    @property
    def part(self) -> CataloguePart:
        return part_of(self.tools.openings)

    def named(self) -> int:
        """Count the tools that the step names and the person may use."""
        contracts = registry.many(self.tools.named).values()
        return sum(1 for each in contracts if each.permission in self.permissions)

    def usable(self, keys: Iterable[str]) -> dict[str, ToolContract]:
        """Return those of `keys` that the step's openings make usable, with their contracts, in order."""
        return {
            contract.key: contract
            for contract, _binding in self.tools.opened(registry.many(keys).values())
            if contract.permission in self.permissions
        }

    def few(self) -> dict[str, ToolContract] | None:
        """Return all that is open and usable; None when these are more than a step's group may be."""
        most = settings.DISCOVERY_GROUP_UP_TO
        cards = tool_cards(self.view.run.workspace, self.part, self.permissions)
        keys = list(cards.order_by("key").values_list("key", flat=True)[: 2 * most + 1])
        if len(keys) > 2 * most:
            return None
        usable = self.usable(keys)
        return usable if len(usable) + self.named() <= most else None

    def fitting(self, contracts: Mapping[str, ToolContract]) -> list[str]:
        """Return the first of these whose schemas fit half of what a request may carry; at least one."""
        left = limits_of(self.view.activity).max_context_bytes // 2
        kept: list[str] = []
        for contract, binding in self.tools.opened(contracts.values()):
            left -= len(dumps(function_schema(contract, binding)))
            if left < 0 and kept:
                break
            kept.append(contract.key)
        return kept

    def search(self, query: str, rewrite: Rewrite | None) -> Found:
        view = self.view
        return search(
            user=view.run.user,
            workspace=view.run.workspace,
            permissions=self.permissions,
            query=query,
            language=view.language,
            part=self.part,
            limit=CANDIDATES_FOR_ONE * settings.DISCOVERY_SHOWN,
            rewrite=rewrite,
        )


def look(view: RunView, step: RunStep, query: str, rewrite: Rewrite) -> Looked:
    """Find what to show first in an open step. `rewrite` gives other words where nothing is near."""
    looking = _Look(view, step)
    few = looking.few()
    if few is None:
        return _searched(looking, query, looking.search(query, rewrite))
    if len(few) + looking.named() < settings.DISCOVERY_ALL_BELOW and len(looking.fitting(few)) == len(few):
        return _whole(query, few, ToolsShown.ALL, few)
    found = looking.search(query, None)
    scores = {card.key: card for card in found.cards}
    nearest_first = sorted(_group(view, few, _best(found, few)), key=lambda key: _place(scores, key))
    chosen = looking.fitting({key: few[key] for key in nearest_first})
    decision = ToolsShown.GROUP if len(chosen) < len(few) else ToolsShown.ALL
    whole = _whole(query, few, decision, chosen, scores)
    return replace(whole, degraded=found.degraded, milliseconds=round(found.milliseconds))


def look_again(view: RunView, step: RunStep, words: str) -> Looked:
    """Find more, by words that the model gave."""
    looking = _Look(view, step)
    return _searched(looking, words, looking.search(words, None))


def _whole(
    query: str,
    few: Mapping[str, ToolContract],
    decision: ToolsShown,
    chosen: Iterable[str],
    scores: Mapping[str, FoundCard] | None = None,
) -> Looked:
    shown, scored = set(chosen), scores or {}
    keys = sorted(few, key=lambda key: (key not in shown, _place(scored, key)))
    candidates = tuple(_candidate(few[key], key in shown, scored.get(key)) for key in keys)
    return Looked(query, decision, len(few), candidates)


def _place(scores: Mapping[str, FoundCard], key: str) -> int:
    return scores[key].position if key in scores else len(scores)


def _searched(looking: _Look, query: str, found: Found) -> Looked:
    usable = looking.usable(card.key for card in found.cards)
    cards = [card for card in found.cards if card.key in usable]
    decision = ToolsShown(found.verdict) if cards else ToolsShown.NONE
    near = [] if decision is ToolsShown.NONE else [card.key for card in _nearest(cards)]
    shown = looking.fitting({key: usable[key] for key in near})
    return Looked(
        query=query,
        decision=decision,
        permitted=found.permitted,
        candidates=tuple(_candidate(usable[card.key], card.key in shown, card) for card in cards),
        rewritten=found.rewritten,
        degraded=found.degraded,
        milliseconds=round(found.milliseconds),
    )


def _nearest(cards: Sequence[FoundCard]) -> list[FoundCard]:
    """Return the few to show: the first ones, then those that are near the best."""
    most = settings.DISCOVERY_SHOWN
    enough = NEAR_THE_BEST * cards[0].score
    return [card for place, card in enumerate(cards[:most]) if place < LEAST_SHOWN or card.score >= enough]


def _candidate(contract: ToolContract, shown: bool, card: FoundCard | None) -> Candidate:
    if card is None:
        return Candidate(contract.key, contract.hash, shown)
    return Candidate(contract.key, contract.hash, shown, card.lexical, card.dense, card.score)


def _best(found: Found, few: Mapping[str, ToolContract]) -> list[str]:
    """Return the hits that say which group is meant; none where nothing was clearly found."""
    cards = [card for card in found.cards if card.key in few]
    if found.verdict != ToolsShown.FOUND or not cards:
        return []
    return [card.key for card in cards if card.score >= _AS_GOOD * cards[0].score]


def _group(view: RunView, few: Mapping[str, ToolContract], best: Sequence[str]) -> list[str]:
    """Return the tools that share a tag, a tool group or a server with one of the best hits.

    What all of the tools share tells nothing apart. Where a hit has nothing of its own, all are shown.
    """
    labels = _labels(view, few)
    shared = frozenset.intersection(*labels.values()) if labels else frozenset()
    own = [labels[key] - shared for key in best]
    if not own or not all(own):
        return list(few)
    wanted = frozenset.union(*own)
    return [key for key in few if labels[key] & wanted]


def _labels(view: RunView, few: Mapping[str, ToolContract]) -> dict[str, frozenset[str]]:
    entries = ToolGroupEntry.objects.filter(group__workspace=view.run.workspace, tool_key__in=list(few))
    groups: dict[str, set[str]] = {key: set() for key in few}
    for key, group in entries.values_list("tool_key", "group__key"):
        groups[key].add(f"{OpeningKind.GROUP}:{group}")
    return {
        key: frozenset(
            {
                *groups[key],
                *(f"{OpeningKind.TAG}:{tag}" for tag in contract.tags),
                f"source:{contract.source}",
            }
        )
        for key, contract in few.items()
    }
