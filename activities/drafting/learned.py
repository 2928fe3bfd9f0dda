"""Taking words that a card learned beside its revisions over into a draft of it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.models import User
from activities.actions import revision_change
from activities.discovery.learned import learned_in
from activities.models import Activity, ActivityPhrase, CardKind, CardPhrase, Revision
from activities.models.activity import PhraseKind
from agentapp.kernel.errors import Conflict
from agentapp.kernel.text import fold


@dataclass(frozen=True)
class Learned:
    """A word learned for an activity; `taken`: the activity has it as an alias of its own."""

    activity: Activity
    phrase: CardPhrase
    taken: bool


def learned_words(revision: Revision, only: Activity | None = None) -> list[Learned]:
    """Return what the cards of a revision's activities learned, the newest first. Three queries."""
    activities = [only] if only is not None else list(revision.activities.prefetch_related("phrases"))
    agent = revision.agent
    by_key = {f"{agent.key}.{each.key}": each for each in activities}
    rows = learned_in(agent.workspace_id).filter(card__kind=CardKind.ACTIVITY, card__key__in=by_key)
    own = {key: _aliases(activity) for key, activity in by_key.items()}
    return [
        Learned(by_key[row.card.key], row, fold(row.text) in own[row.card.key])
        for row in rows.select_related("added_by")
    ]


def _aliases(activity: Activity) -> frozenset[str]:
    return frozenset(fold(row.text) for row in activity.phrases.all() if row.kind == PhraseKind.ALIAS)


def learned_take_over(
    revision: Revision, *, actor: User, version: int, activity_id: UUID | None = None
) -> int:
    """Add what was learned to the aliases of a draft, of one activity or of all; return how many words.

    Raises as `revision_change`, Conflict where there is nothing to take over.
    """
    with revision_change(revision, actor=actor, expected_version=version) as locked:
        words = [
            each
            for each in learned_words(locked)
            if not each.taken and (activity_id is None or each.activity.pk == activity_id)
        ]
        if not words:
            raise Conflict(_("There is nothing left to take over."))
        ActivityPhrase.objects.bulk_create(_aliases_of(words))
    return len(words)


def _aliases_of(words: Iterable[Learned]) -> list[ActivityPhrase]:
    """Return rows that follow the aliases each activity has; the oldest word first, each once."""
    places: dict[UUID, int] = defaultdict(int)
    seen: set[tuple[UUID, str]] = set()
    found = []
    for each in reversed(list(words)):
        activity, said = each.activity, (each.activity.pk, fold(each.phrase.text))
        if said in seen:
            continue
        seen.add(said)
        place = places[activity.pk] = max(places[activity.pk], len(activity.phrases.all())) + 1
        found.append(
            ActivityPhrase(
                activity=activity,
                kind=PhraseKind.ALIAS,
                language=each.phrase.language,
                text=each.phrase.text,
                position=place,
            )
        )
    return found
