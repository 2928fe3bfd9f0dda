"""Words people used, taught to a card by a designer: they count in one workspace, beside every revision."""

from collections.abc import Mapping
from uuid import UUID

from django.db.models import QuerySet

from accounts.models import Workspace
from activities.models import CardPhrase


def learned_in(workspace: Workspace | UUID) -> QuerySet[CardPhrase]:
    """Return the phrases learned in a workspace, the newest first, with their cards."""
    return CardPhrase.objects.filter(learned=True, workspace=workspace).select_related("card").order_by("-id")


def learned_phrases(workspace: Workspace | UUID, kind: str) -> Mapping[str, tuple[str, ...]]:
    """Return the learned words of every card of this kind, by its key, the newest first. One query."""
    found: dict[str, tuple[str, ...]] = {}
    for key, text in learned_in(workspace).filter(card__kind=kind).values_list("card__key", "text"):
        found[key] = (*found.get(key, ()), text)
    return found
