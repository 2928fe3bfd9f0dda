"""Cards follow the tools and the published activities; what has not changed is not touched."""

from dataclasses import replace

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from activities.actions import revision_retire
from activities.discovery.found import CataloguePart
from activities.discovery.index import refresh
from activities.discovery.index.jobs import EMBED
from activities.discovery.index.vectors import embed_due
from activities.discovery.index.words import stems
from activities.models import Card, CardKind, CardPhrase, CardVector
from tests.discovery.finding import find, keys
from tests.support.blueprints import activity, use
from tests.support.catalogue import catalogue, key_of, names, reading, replaced
from tests.support.world import World

pytestmark = pytest.mark.usefixtures("embeddings")


def jobs() -> int:
    return ProcrastinateJob.objects.filter(task_name=EMBED).count()


def test_only_what_changed_is_indexed_again(world: World) -> None:
    tools = [reading(name) for name in names(4)]
    with catalogue(*tools):
        refresh()
        embed_due()
        before = dict(Card.objects.values_list("key", "updated_at"))
        deferred = jobs()
        assert refresh() == 0
        assert jobs() == deferred
        replaced(replace(tools[0], summary="Tells what chairs cost."))
        after = dict(Card.objects.values_list("key", "updated_at"))
        assert [key for key in after if after[key] != before[key]] == [tools[0].key]
        assert jobs() == deferred + 1
        assert embed_due() == 1


def test_rights_and_tags_change_without_new_vectors(world: World) -> None:
    tool = reading("price of chairs")
    with catalogue(tool):
        embed_due()
        replaced(replace(tool, permission="store.write", tags=("selling",)))
        card = Card.objects.get(key=tool.key)
        assert (card.permission, card.tags) == ("store.write", ["selling"])
        assert CardVector.objects.get(card=card).permission == "store.write"
        assert embed_due() == 0


def test_a_tool_that_is_gone_is_found_by_nobody_and_comes_back_with_its_words(world: World) -> None:
    tool = replace(reading("price of chairs"), workspace_id=world.workspace.pk)
    with catalogue(tool):
        CardPhrase.objects.create(
            card=Card.objects.get(key=tool.key), kind="alias", language="fr", text="combien pour s'asseoir",
            learned=True, added_by=world.designer, workspace=world.workspace,
        )  # fmt: skip
        refresh(keys=[tool.key])
        assert find(world, "combien pour s'asseoir").cards[0].lexical > 0
    refresh(keys=[tool.key])
    assert Card.objects.get(key=tool.key).available is False
    assert find(world, "combien pour s'asseoir").permitted == 0
    with catalogue(tool):
        assert find(world, "combien pour s'asseoir").cards[0].lexical > 0


def test_activities_are_there_from_publishing_to_retiring(world: World) -> None:
    world.publish(activity(use("find_items"), key="tell"))
    card = Card.objects.get(kind=CardKind.ACTIVITY)
    assert (card.key, card.workspace, card.available) == ("store.tell", world.workspace, True)
    asked = {"query": card.summary["en"], "kind": CardKind.ACTIVITY, "part": CataloguePart()}
    assert keys(find(world, **asked)) == ["store.tell"]
    assert find(world, **asked, user=world.member).permitted == 0
    revision_retire(world.revision, actor=world.designer)
    assert not Card.objects.get(kind=CardKind.ACTIVITY).available


def test_a_card_knows_what_it_costs_and_which_words_it_has(world: World) -> None:
    tool = replace(
        reading("price of chairs"),
        title="Œuvres d’été",
        aliases={"en": ("cost of seats",), "fr": ("prix des sièges",)},
        examples={"en": ("How much is the Windsor chair?",)},
    )
    with catalogue(tool):
        card = Card.objects.get(key=key_of("price of chairs"))
        assert 5 <= card.tokens <= 50
        weights = dict(part.split(":1") for part in card.words.replace("'", "").split())
        letters = {
            word: weights.get(stems(word)[0], "D") for word in ("oeuvres", "sièges", "tells", "Windsor")
        }
        assert letters == {"oeuvres": "A", "sièges": "B", "tells": "C", "Windsor": "D"}
        assert stems("Windsor")[0] not in weights  # a name in an example tells nothing
