"""Learned words at the desk: shown beside each revision, taken over into a draft, taken back."""

import pytest
from django.test import Client

from accounts import access
from activities.actions import revision_draft_from, revision_publish
from activities.actions.aliases import alias_add
from activities.models import Activity, Card, CardPhrase, Revision
from activities.portable import revision_export
from tests.desk.conftest import at
from tests.learning.asking import publish
from tests.support.world import World


@pytest.fixture
def taught(world: World) -> Revision:
    publish(world)
    for key, text in (("look", "who has lamps"), ("look", "lampes à voir"), ("order", "get me one")):
        card = Card.objects.get(kind="activity", key=f"store.{key}")
        alias_add(card, workspace=world.workspace, language="en", text=text, actor=world.designer)
    assert world.revision is not None
    return world.revision


def card(revision: Revision, key: str = "look") -> Activity:
    return revision.activities.get(key=key)


def aliases(activity: Activity) -> list[str]:
    return list(activity.phrases.filter(kind="alias").order_by("position").values_list("text", flat=True))


def test_they_are_shown_beside_what_is_published(taught: Revision, desk: Client) -> None:
    text = desk.get(at("desk_section", card(taught).pk, "card")).content.decode()
    assert "who has lamps" in text
    assert "get me one" not in text
    assert "Take them over" not in text, "it is frozen"
    assert "3 aliases" in desk.get(at("desk_revision", taught.pk)).content.decode()
    assert "who has lamps" not in revision_export(taught)


def test_a_new_draft_offers_to_take_them_over(taught: Revision, world: World, desk: Client) -> None:
    draft = revision_draft_from(taught, actor=world.designer)
    assert "Take them over" in desk.get(at("desk_revision", draft.pk)).content.decode()
    desk.post(at("desk_learned", card(draft).pk), {"version": draft.version})
    assert aliases(card(draft)) == ["look around", "who has lamps", "lampes à voir"]
    assert aliases(card(draft, "order")) == ["order"]
    draft.refresh_from_db()
    desk.post(at("desk_learned_all", draft.pk), {"version": draft.version})
    assert aliases(card(draft, "order")) == ["order", "get me one"]
    text = desk.get(at("desk_section", card(draft).pk, "card")).content.decode()
    assert "in this card" in text
    assert "Take them over" not in text
    assert "Learned words" not in desk.get(at("desk_revision", draft.pk)).content.decode()
    revision_publish(draft, actor=world.designer)
    assert CardPhrase.objects.filter(learned=True).count() == 3


def test_an_older_page_takes_nothing_over(taught: Revision, world: World, desk: Client) -> None:
    draft = revision_draft_from(taught, actor=world.designer)
    desk.post(at("desk_learned_all", draft.pk), {"version": draft.version + 1})
    desk.post(at("desk_learned_all", taught.pk), {"version": taught.version})
    assert aliases(card(draft)) == ["look around"]
    assert aliases(card(taught)) == ["look around"]


def test_they_are_taken_back_by_who_designs_the_agent(taught: Revision, world: World, desk: Client) -> None:
    phrase = CardPhrase.objects.get(text="who has lamps")
    foreign = CardPhrase.objects.get(text="get me one")
    address = at("desk_learned_back", card(taught).pk, phrase.pk)
    assert desk.post(at("desk_learned_back", card(taught).pk, foreign.pk)).status_code == 404
    access.grant("activities.design_activity", world.owner, card(taught).identity)
    world.owner.is_staff = True
    world.owner.save()
    partner = Client()
    partner.force_login(world.owner)
    partner.post(address)
    assert CardPhrase.objects.filter(pk=phrase.pk).exists(), "one activity is not the agent"
    desk.post(address)
    assert not CardPhrase.objects.filter(pk=phrase.pk).exists()
