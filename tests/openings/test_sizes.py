"""How many schemas a step sends: all of few, the group that fits, else what a search found."""

from dataclasses import replace

import pytest

from activities.models import DiscoveryLog
from agentapp.kernel.canonical import dumps
from tests.openings.opened import EXITS, ask_for, open_activity, shown, wire
from tests.support.blueprints import use
from tests.support.catalogue import catalogue, names, reading
from tests.support.world import World

CHAIRS = "Tell me the price of chairs"


@pytest.fixture(autouse=True)
def ten_are_many() -> None:
    """The sizes are those of the settings."""


@pytest.mark.parametrize("count", [9])
def test_few_tools_are_all_shown_and_nothing_is_searched(world: World, count: int) -> None:
    with catalogue(*map(reading, names(count))):
        world.publish(open_activity())
        run = world.run(ask_for("price of chairs"), text=CHAIRS)
    assert run.outcome == "succeeded"
    assert shown(world.requests()[0]) == set(map(wire, names(count)))
    assert DiscoveryLog.objects.get(run_id=run.pk).decision == "all"


@pytest.mark.parametrize("count", [10, 30])
def test_the_group_of_the_best_hit_is_shown_of_some_tools(world: World, count: int) -> None:
    """What shares a label with the best hit; the tag that all of them have says nothing."""
    contracts = [reading(name, tags=("reading", name.rsplit(" ", 1)[1])) for name in names(count)]
    contracts[-1] = reading(names(count)[-1], tags=("reading", "odd"))
    with catalogue(*contracts):
        world.publish(open_activity())
        run = world.run(ask_for("price of chairs"), text=CHAIRS)
    group = {name for name in names(count)[:-1] if name.endswith("chairs")}
    assert run.outcome == "succeeded"
    assert shown(world.requests()[0]) == {*map(wire, group), "find_tools"}
    assert DiscoveryLog.objects.get(run_id=run.pk).decision == "group"


def test_where_nothing_tells_a_group_apart_all_are_shown(world: World) -> None:
    with catalogue(*map(reading, names(30))):
        world.publish(open_activity())
        world.run(ask_for("price of chairs"), text=CHAIRS)
    assert shown(world.requests()[0]) == set(map(wire, names(30)))


@pytest.mark.parametrize("count", [31, 500])
def test_of_many_tools_a_search_shows_three_to_five(world: World, count: int) -> None:
    """Of five hundred, the schemas and the search function cost under three percent of sending all."""
    with catalogue(*map(reading, names(count))):
        world.publish(open_activity())
        run = world.run(ask_for("price of chairs"), text=CHAIRS)
    sent = [each for each in world.requests()[0].functions if each.name not in EXITS]
    found = shown(world.requests()[0]) - {"find_tools"}
    assert run.outcome == "succeeded"
    assert wire("price of chairs") in found
    assert 3 <= len(found) <= 5
    log = DiscoveryLog.objects.get(run_id=run.pk)
    assert (log.decision, log.permitted, log.shown) == ("found", count, len(found))
    sizes = {each.name: len(dumps([each.name, each.description, each.parameters])) for each in sent}
    if count == 500:
        assert sum(sizes.values()) < 0.03 * count * sizes[wire("price of chairs")]


def test_what_the_step_names_counts_and_always_stays(world: World) -> None:
    with catalogue(*map(reading, names(30))):
        world.publish(open_activity(use("find_items")))
        world.run(ask_for("price of chairs"), text=CHAIRS)
    found = shown(world.requests()[0])
    assert {"store_find_items", "find_tools"} < found
    assert len(found) <= 7, "thirty-one tools are searched"


def test_schemas_too_large_for_a_request_are_left_to_a_search(world: World) -> None:
    """A server may describe its tools at any length: what does not fit is not sent, and can be found."""
    huge = {"type": ["string", "null"], "description": "x" * 1_500}
    contracts = []
    for contract in map(reading, names(6)):
        param = replace(contract.params[0], schema=huge)
        contracts.append(replace(contract, params=(param,)))
    with catalogue(*contracts):
        world.publish(open_activity(guardrails={"max_context_bytes": 10_000}))
        run = world.run(ask_for("price of chairs"), text=CHAIRS)
    found = shown(world.requests()[0])
    assert run.outcome == "succeeded"
    assert "find_tools" in found
    assert 1 < len(found - {"find_tools"}) < 6
