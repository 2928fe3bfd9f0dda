"""A set as a catalogue of the product: indexed in a scratch database, searched as a person would."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from accounts.models import User, Workspace
from activities.discovery.cards import CardText
from activities.discovery.found import CataloguePart
from activities.discovery.index.texts import CardContent, Phrase
from activities.discovery.index.upkeep import bring_up
from activities.discovery.index.vectors import embed_due
from activities.discovery.search import search
from activities.models import Card
from activities.models.activity import PhraseKind

_PERMISSION = "bench.use_tools"
_SHOWN = 5


class Catalogue:
    """The cards of a set, in a workspace of somebody who may use them all."""

    def __init__(self, user: User, workspace: Workspace, name: str) -> None:
        self._user, self._workspace, self._name = user, workspace, name

    def found(self, text: str, language: str = "en") -> list[int]:
        """Return the places of the five best cards."""
        best = search(
            user=self._user,
            workspace=self._workspace,
            permissions=frozenset([_PERMISSION]),
            query=text,
            language=language,
            part=CataloguePart(tags=frozenset([self._name])),
            limit=_SHOWN,
        )
        return [int(card.key.rsplit(".", 1)[-1]) for card in best.cards]


@contextmanager
def indexed(
    name: str, cards: Sequence[Mapping[str, Any]], examples: Sequence[Sequence[str]]
) -> Iterator[Catalogue]:
    """Index the cards with their examples, and remove them afterwards."""
    user, _made = User.objects.get_or_create(email="bench@example.com", defaults={"full_name": "Bench"})
    workspace, _made = Workspace.objects.get_or_create(slug="bench", defaults={"name": "Bench"})
    contents = [
        _content(name, place, card_text(place, card, some))
        for place, (card, some) in enumerate(zip(cards, examples, strict=True))
    ]
    rows = Card.objects.filter(tags__contains=[name])
    bring_up(rows, contents)
    embed_due()
    try:
        yield Catalogue(user, workspace, name)
    finally:
        rows.delete()


def card_text(place: int, card: Mapping[str, Any], examples: Sequence[str]) -> CardText:
    parameters = (f"{name}: {said}" for name, said in (card.get("params") or {}).items())
    return CardText(
        key=f"bench.tool.{place}",
        names=(card["name"],),
        summaries=(card["description"],) if card.get("description") else (),
        examples=tuple(examples),
        parameters=tuple(parameters),
    )


def _content(name: str, place: int, text: CardText) -> CardContent:
    return CardContent(
        kind="tool",
        workspace_id=None,
        key=f"bench.{name}.{place}",
        name={"en": text.names[0]},
        summary={"en": text.summaries[0]} if text.summaries else {},
        when_not_to_use="",
        phrases=tuple(Phrase(PhraseKind.EXAMPLE, "en", example[:300]) for example in text.examples),
        source="bench",
        permission=_PERMISSION,
        tags=(name,),
        parameters=text.parameters,
    )
