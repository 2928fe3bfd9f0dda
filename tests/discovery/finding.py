"""Searching as one of the store's people."""

from collections.abc import Iterable
from typing import Any

from accounts.models import User
from accounts.standing import standing
from activities.discovery.found import CataloguePart, Found
from activities.discovery.search import search
from tests.support.world import World

READING = CataloguePart(tags=frozenset(["reading"]))


def find(world: World, query: str, *, user: User | None = None, **more: Any) -> Found:
    """Search the reading tools for `query`, as the owner unless somebody else is named."""
    person, workspace = user or world.owner, more.pop("workspace", world.workspace)
    asked = {"part": READING, "language": "en", **more}
    permissions = standing(person, workspace).permissions
    return search(user=person, workspace=workspace, permissions=permissions, query=query, **asked)


def keys(found: Found | Iterable[Any]) -> list[str]:
    return [card.key for card in (found.cards if isinstance(found, Found) else found)]
