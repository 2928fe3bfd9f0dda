"""What missed cards are called: as the reader says it, in whatever language they were missed."""

from collections.abc import Collection, Iterable

from django.db.models import Q

from accounts.models import Workspace
from activities.admin.page import name_of
from activities.models import Card
from runs.models import Missed


def name_now(rows: Iterable[Missed], workspace: Workspace) -> None:
    """Label the rows in the reader's language; a card that is gone keeps the name it was read by."""
    rows = list(rows)
    names = card_names({row.key for row in rows}, workspace)
    for row in rows:
        row.label = names.get(row.key, row.label)


def card_names(keys: Collection[str], workspace: Workspace) -> dict[str, str]:
    """Return the names of these cards of the workspace, in the reader's language. One query."""
    cards = Card.objects.filter(Q(workspace=workspace) | Q(workspace=None), key__in=keys)
    return {key: name_of(name, key) for key, name in cards.values_list("key", "name")}
