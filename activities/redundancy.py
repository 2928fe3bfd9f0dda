"""Which cards a workspace has that can be confused: what is published, what is in hand, and its tools.

What has no vector yet is compared by its words alone, and counted.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.db.models import QuerySet
from django.utils.translation import get_language

from accounts.models import Workspace
from activities.likeness import Alike, Likened, Pair, alike, of_activity, of_tool
from activities.likeness.vectors import prune, vectors_due, vectors_of
from activities.models import Activity, CardKind, CardPhrase, Revision, RevisionState
from activities.models.fields import in_language
from activities.tools import registry

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors

Identity = tuple[str, str]


@dataclass(frozen=True)
class Compared:
    """Cards beside each other, with the vectors of those that have one, by their place."""

    cards: Sequence[Likened]
    vectors: Mapping[int, "Vectors"] = field(default_factory=dict)

    @property
    def by_words_alone(self) -> int:
        """How many cards were compared by their words only."""
        having = {self.cards[place].identity for place in self.vectors}
        return len({card.identity for card in self.cards} - having)

    def alike(self, about: frozenset[Identity] | None = None) -> Alike:
        return alike(self.cards, self.vectors, about)


def activity_key(activity: Activity) -> str:
    """Return the key by which its card is known in the workspace."""
    return f"{activity.revision.agent.key}.{activity.key}"


def of_workspace(workspace: Workspace) -> Compared:
    """Return all cards of a workspace: published activities that may be asked for, and tools."""
    activities = _published(workspace)
    tools = registry.of(workspace.pk)
    cards = [*likened(activities), *(card for contract in tools for card in of_tool(contract))]
    return Compared(cards, vectors_of(cards))


def of_draft(activities: Sequence[Activity]) -> Compared:
    """Return entry activities of one revision beside what else the workspace has published."""
    agent = activities[0].revision.agent
    others = [each for each in _published(agent.workspace) if each.revision.agent_id != agent.pk]
    cards = [*likened(activities), *likened(others)]
    return Compared(cards, vectors_of(cards))


def alike_to(activity: Activity) -> list[Pair]:
    """Return what is nearly the same as this activity: in its revision, and what else is published."""
    entries = activity.revision.activities.filter(entry=True)
    own = list(entries.select_related("revision__agent").prefetch_related("phrases"))
    if activity.pk not in {each.pk for each in own}:
        return []
    about = frozenset({(CardKind.ACTIVITY.value, activity_key(activity))})
    return list(of_draft(own).alike(about).pairs)


def vectors_due_of(revision: Revision) -> None:
    """Have the vectors made that a draft's cards lack, in the current transaction."""
    entries = revision.activities.filter(entry=True)
    vectors_due(likened(entries.select_related("revision__agent").prefetch_related("phrases")))


def vectors_prune() -> int:
    """Forget the vectors of texts that no card says any more, and return how many."""
    return prune(_texts_said)


def _texts_said() -> Iterator[str]:
    """Yield the texts of what is published or in hand, of all tools, and what people taught."""
    current = Activity.objects.filter(entry=True).exclude(revision__state=RevisionState.RETIRED)
    yield from (card.text for card in likened(_whole(current)))
    yield from (card.text for contract in registry for card in of_tool(contract))
    yield from CardPhrase.objects.filter(learned=True).values_list("text", flat=True)


def published_cards() -> list[Likened]:
    """Return the cards of everything that people may ask for, in every workspace."""
    return likened(_published(None))


def _published(workspace: Workspace | None) -> list[Activity]:
    found = Activity.objects.filter(revision__state=RevisionState.PUBLISHED, entry=True)
    if workspace is not None:
        found = found.filter(revision__agent__workspace=workspace)
    return list(_whole(found))


def _whole(found: QuerySet[Activity]) -> QuerySet[Activity]:
    return found.select_related("revision__agent").prefetch_related("phrases")


def likened(activities: Iterable[Activity]) -> list[Likened]:
    """Return the cards of activities, in each of their languages."""
    language = (get_language() or "en")[:2]
    return [
        card
        for each in activities
        for card in of_activity(each, activity_key(each), in_language(each.name, language) or each.key)
    ]
