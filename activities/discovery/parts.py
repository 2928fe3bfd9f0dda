"""Which cards belong to a part of the catalogue, in SQL; what search, rights and the desk all ask."""

from collections.abc import Collection

from django.db.models import Q, QuerySet

from accounts.models import Workspace
from activities.discovery.found import CataloguePart
from activities.models import Card, CardKind, ToolGroupEntry


def admitted(workspace: Workspace, part: CataloguePart) -> Q:
    """Return what a card of `part` fulfils; an empty part admits nothing."""
    wanted = Q(pk__in=[])
    if part.keys:
        wanted |= Q(key__in=part.keys)
    if part.tags:
        wanted |= Q(tags__overlap=sorted(part.tags))
    if part.sources:
        wanted |= Q(source__in=part.sources)
    if part.groups:
        entries = ToolGroupEntry.objects.filter(group__workspace=workspace, group__key__in=part.groups)
        wanted |= Q(key__in=entries.values("tool_key"))
    return wanted


def tool_cards(
    workspace: Workspace, part: CataloguePart, permissions: Collection[str] | None = None
) -> QuerySet[Card]:
    """Return the cards of the available tools of `part` here: all, or those these permissions allow."""
    here = Q(workspace=None) | Q(workspace=workspace)
    cards = Card.objects.filter(here, admitted(workspace, part), kind=CardKind.TOOL, available=True)
    return cards if permissions is None else cards.filter(permission__in=permissions)
