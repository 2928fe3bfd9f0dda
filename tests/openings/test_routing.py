"""Routing among many activities: those that come near are read, the others are not."""

from typing import Any

import pytest

from activities.models import DiscoveryLog
from runs.llm.base import Purpose, RouteTask
from runs.llm.scripted import Line, call
from tests.openings.opened import rewrite
from tests.support.blueprints import Json, activity, use
from tests.support.catalogue import SOME, names
from tests.support.world import World, act, text_of


def about(name: str) -> Json:
    return activity(
        use("find_items"),
        key=name.replace(" ", "_"),
        name={"en": name.capitalize()},
        summary={"en": f"Tells the {name}."},
        aliases={"en": [f"know the {name}"]},
        when_not_to_use="for another thing",
    )


def choose(key: str | None) -> Line:
    given = {"decision": "activity" if key else "none", "activity": key, "alternatives": [], "several": []}
    return call("choose_activity", given, purpose=Purpose.ROUTE)


FIND = act("find_items", {"words": "chair"})


@pytest.mark.parametrize(("count", "read"), [(5, 5), (6, 4)])
def test_of_many_activities_the_nearest_are_read(world: World, settings: Any, count: int, read: int) -> None:
    settings.DISCOVERY_SHOWN = 2
    world.publish(*map(about, names(count)))
    run = world.play(world.post("Tell me the price of chairs"), choose("store.price_of_chairs"), FIND)
    task = world.requests()[0].task
    log = DiscoveryLog.objects.get(run_id=run.pk)
    assert run.outcome == "succeeded"
    assert isinstance(task, RouteTask)
    assert len(task.cards) == read
    assert "store.price_of_chairs" in {card.key for card in task.cards}
    assert (log.permitted, log.shown, log.chosen_key) == (count, read, "store.price_of_chairs")


def test_an_activity_that_was_not_read_cannot_be_chosen(world: World, settings: Any) -> None:
    settings.DISCOVERY_SHOWN = 1
    world.publish(*map(about, SOME))
    run = world.play(world.post("Tell me the price of chairs"), choose("store.recycling_of_lamps"))
    assert "recycling_of_lamps" not in text_of(world.requests()[0])
    assert run.outcome == "declined"


def test_where_nothing_is_near_other_words_are_tried_and_none_is_an_answer(world: World) -> None:
    world.publish(*map(about, SOME))
    run = world.play(
        world.post("Xyzzy qwijibo"), rewrite("weight of lamps"), choose("store.weight_of_lamps"), FIND
    )
    assert run.outcome == "succeeded"
    assert DiscoveryLog.objects.get(run_id=run.pk).rewritten_query == "weight of lamps"
    other = world.play(world.post("Xyzzy qwijibo"), rewrite("frobnicate"), choose(None))
    assert other.outcome == "declined"


def test_what_another_person_may_use_is_in_no_search(world: World) -> None:
    world.publish(*map(about, SOME))
    run = world.post("Tell me the price of chairs", user=world.member)
    run = world.play(run)
    assert run.outcome == "declined"
    assert world.requests() == []
