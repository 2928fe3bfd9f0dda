"""An open step over real HTTP: requests that a strict endpoint accepts, searches replayed in their order."""

from tests.loopback.turns import call
from tests.openings.opened import open_activity, wire
from tests.runs.llm.test_runs_at_an_endpoint import driven
from tests.support.catalogue import SOME, catalogue, reading
from tests.support.stage import stage
from tests.support.world import World


def test_a_model_at_an_endpoint_rewrites_searches_and_calls(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        world.publish(open_activity(passes_when="facts.weight_of_lamps.what != ''"))
        run = driven(
            world,
            call("search_words", {"words": "price of chairs"}),
            call(wire("price of chairs"), {"note": None}),
            call("find_tools", {"words": "weight of lamps"}),
            call(wire("weight of lamps"), {"note": None}),
            queued=world.start("Xyzzy frobnicate qwijibo"),
        )
    assert run.outcome == "succeeded"
    assert stage.calls == ["price of chairs", "weight of lamps"]
    assert run.model_calls == 4
