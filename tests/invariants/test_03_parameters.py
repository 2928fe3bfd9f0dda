"""Invariant 3: the model sees only agent-controlled parameters; another it supplies is refused, on record."""

from typing import Any

import pytest

from runs.selectors import events_of
from tests.support.blueprints import activity, fixed, from_input, text_input, use
from tests.support.stage import effects, stage
from tests.support.world import World, act, calls_of, final, pending, refusals_of

BOUND = activity(
    use("order", to=from_input("supplier"), priority=fixed("high")),
    inputs=[text_input("supplier")],
)
SUPPLIER = "lamps@store.example"
GOOD = {"item": "A-100", "amount": "5", "note": None}


def test_bound_parameters_are_not_shown(world: World) -> None:
    world.publish(BOUND)
    world.run(act("order", GOOD), supplier=SUPPLIER)
    function = next(item for item in world.requests()[0].functions if item.name == "store_order")
    assert set(function.parameters["properties"]) == {"item", "amount", "note"}
    assert function.parameters["additionalProperties"] is False
    assert "priority" not in str(function.parameters)


def test_bound_values_are_merged_by_the_gate(world: World) -> None:
    world.publish(BOUND)
    run = world.run(act("order", GOOD), supplier=SUPPLIER)
    assert final(calls_of(run)[0]) == {
        "item": "A-100",
        "amount": "5",
        "to": SUPPLIER,
        "priority": "high",
        "note": None,
    }
    origins = {item.name: (item.provenance, item.origin) for item in calls_of(run)[0].arguments.all()}
    assert origins["to"] == ("input", "words")
    assert origins["priority"] == ("fixed", "fixed")
    assert origins["item"] == ("agent", "words")


@pytest.mark.parametrize(
    "extra",
    [
        {"to": "thief@evil.example"},
        {"to": SUPPLIER},
        {"priority": "low"},
        {"to": None},
        {"admin": True},
        {"item ": "A-200"},
        {"Item": "A-200"},
    ],
    ids=str,
)
def test_what_is_not_the_agents_is_refused_never_merged(world: World, extra: dict[str, Any]) -> None:
    world.publish(BOUND)
    run = world.run(act("order", {**GOOD, **extra}), act("order", GOOD), supplier=SUPPLIER)
    assert refusals_of(run) == ["not_agent_controlled", ""]
    refused = next(event for event in events_of(run) if event.type == "call.refused")
    assert refused.data["code"] == "not_agent_controlled"
    assert "evil" not in refused.data["message"]
    assert len(pending(run)) == 1
    assert pending(run)[0].preview["recipient"] == SUPPLIER
    assert stage.sent == []


def test_the_designers_limits_bind_the_agent(world: World) -> None:
    limited = {"source": "agent", "minimum": 1, "maximum": 3}
    world.publish(activity(use("reserve", quantity=limited)))
    run = world.run(
        act("reserve", {"item": "A-100", "quantity": 4}),
        act("reserve", {"item": "A-100", "quantity": 0}),
        act("reserve", {"item": "A-100", "quantity": 3}),
    )
    assert refusals_of(run) == ["outside_limits", "outside_limits", ""]
    assert effects() == ["reserve A-100 x3"]


def test_the_designers_choices_and_pattern_bind_the_agent(world: World) -> None:
    choices = {"source": "agent", "choices": ["low"]}
    pattern = {"source": "agent", "pattern": "A-1.*"}
    world.publish(activity(use("order", priority=choices, item=pattern)))
    run = world.run(
        act("order", {**GOOD, "priority": "high"}),
        act("order", {**GOOD, "item": "A-200"}),
        act("order", GOOD),
    )
    assert refusals_of(run) == ["outside_limits", "outside_limits", ""]
    schema = next(item for item in world.requests()[0].functions if item.name == "store_order").parameters
    assert schema["properties"]["priority"]["enum"] == ["low", None]


def test_null_leaves_an_optional_value_out(world: World) -> None:
    world.publish(activity(use("reserve")))
    run = world.run(act("reserve", {"item": "A-100", "quantity": None}))
    assert final(calls_of(run)[0])["quantity"] == 1
    assert calls_of(run)[0].arguments.get(name="quantity").origin == "default"
