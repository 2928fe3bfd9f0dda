"""Whole runs over real HTTP: whatever the endpoint does, a run ends, says so, and never claims success."""

import json

import pytest

from runs import jobs
from runs.llm import use_model
from runs.llm.fallback import FallbackModel
from runs.llm.scripted import ScriptedModel
from runs.models import Run
from runs.states import DRIVEN_RUN_STATES
from tests.loopback import ModelServer, turns
from tests.loopback.turns import Turn, call, calls, chunk, fragment, stream, text
from tests.runs.llm.samples import model_at
from tests.support.blueprints import activity, use
from tests.support.stage import effects
from tests.support.world import World, act, calls_of

RESERVE = {"item": "A-100", "quantity": 1}
WHOLE = call("store_reserve", RESERVE)


def driven(world: World, *script: Turn, answer: Turn | None = None, queued: Run | None = None) -> Run:
    """A run driven to its next pause by these turns; `answer` is given once they are used up."""
    repeated = None if answer is None else lambda payload: answer
    with (
        ModelServer(*script, answer=repeated) as server,
        model_at(server.base_url) as model,
        use_model(model),
    ):
        run = jobs.run_drain((queued or world.start()).pk)
    assert server.refused == []
    return run


@pytest.fixture
def reserving(world: World, settings) -> World:
    settings.OPENAI_TIMEOUT_SECONDS = 5.0
    world.publish(activity(use("reserve")))
    return world


def test_a_whole_reply_does_what_it_says(reserving):
    run = driven(reserving, WHOLE)

    assert run.outcome == "succeeded"
    assert effects() == ["reserve A-100 x1"]


BROKEN = {
    "down": Turn(drop=True),
    "401": turns.status(401),
    "403": turns.status(403),
    "404": turns.status(404),
    "400": turns.status(400),
    "429": turns.status(429),
    "500": turns.status(500),
    "html": turns.html(),
    "error with 200": turns.document({"error": {"message": "no"}}),
    "error in the stream": stream(*WHOLE.pieces[:-3], {"error": {"message": "no"}}),
    "half a stream": turns.half(WHOLE, 4, whole=False),
    "half a stream, closed in order": turns.half(WHOLE, 4),
    "no choices": stream(chunk(choices=[])),
    "cut by gzip": turns.zipped(WHOLE, keep=0.7),
    "silence": text("x").but(header_pace=0.2),
}


@pytest.mark.parametrize("turn", BROKEN.values(), ids=BROKEN)
def test_no_answer_ends_the_run_and_does_nothing(reserving, settings, turn):
    settings.OPENAI_TIMEOUT_SECONDS = 1.0
    run = driven(reserving, answer=turn)

    assert run.outcome == "failed"
    assert run.answer
    assert effects() == []
    assert not calls_of(run)


USELESS = {
    "empty": stream(chunk(finish="stop")),
    "a claim": text("Done! A-100 is reserved."),
    "thinking": text("<think>I reserve A-100.</think>"),
    "an unknown tool": call("delete_everything", {}),
    "a name in other letters": call("Store_Reserve ", RESERVE),
    "a made-up result": stream(chunk({"role": "tool", "content": json.dumps(RESERVE)}), chunk(finish="stop")),
    "broken JSON": call("store_reserve", '{"item": "A-100", "quan'),
    "cut arguments": call("store_reserve", '{"item": "A-100"}', finish="length"),
    "an array": call("store_reserve", "[]"),
    "null": call("store_reserve", "null"),
    "nothing": call("store_reserve", ""),
    "JSON in a string": call("store_reserve", json.dumps(json.dumps(RESERVE))),
    "a key twice": call("store_reserve", '{"item": "A-100", "quantity": 1, "quantity": 2}'),
    "not a number": call("store_reserve", '{"item": "A-100", "quantity": NaN}'),
    "a number of 5,000 digits": call("store_reserve", f'{{"item": "A-100", "quantity": {"9" * 5_000}}}'),
    "very deep": call("store_reserve", '{"item": ' + "[" * 5_000 + "]" * 5_000 + "}"),
    "one parameter too many": call("store_reserve", {**RESERVE, "discount": 1}),
    "two calls at one index": stream(
        chunk(fragment(0, "store_reserve", '{"item": "A-1', "a")),
        chunk(fragment(0, "store_reserve", '00", "quantity": 1}', "b")),
        chunk(finish="tool_calls"),
    ),
    "a refusal": stream(chunk({"refusal": "I can't."}), chunk(finish="stop")),
    "filtered": call("store_reserve", RESERVE, finish="content_filter"),
}


@pytest.mark.parametrize("turn", USELESS.values(), ids=USELESS)
def test_an_answer_of_no_use_does_nothing_and_is_not_success(reserving, turn):
    run = driven(reserving, answer=turn)

    assert run.state not in DRIVEN_RUN_STATES
    assert run.outcome not in ("succeeded", "nothing_to_do")
    assert effects() == []


@pytest.mark.parametrize("turn", USELESS.values(), ids=USELESS)
def test_the_next_answer_is_taken_all_the_same(reserving, turn):
    run = driven(reserving, turn, WHOLE, answer=WHOLE)

    assert run.outcome == "succeeded"
    assert effects()[0] == "reserve A-100 x1"


def test_what_may_pass_is_not_seen_by_the_run(reserving):
    run = driven(reserving, turns.status(503), turns.half(WHOLE, 3, whole=False), WHOLE)

    assert run.outcome == "succeeded"
    assert effects() == ["reserve A-100 x1"]


def test_one_identifier_for_all_calls_loses_none(reserving):
    constant = stream(
        chunk(fragment(0, "store_reserve", '{"item":"A-100","quantity":0}', "same")),
        chunk(fragment(0, "store_reserve", '{"item":"A-200","quantity":0}', "same")),
        chunk(finish="tool_calls"),
    )
    run = driven(reserving, constant, answer=calls(("store_reserve", RESERVE)))

    assert len({tool_call.position for tool_call in calls_of(run)}) >= 2
    assert run.outcome == "succeeded"


def test_the_interpreters_place_is_taken_while_the_endpoint_is_down(reserving):
    with (
        ModelServer(answer=lambda payload: turns.status(500)) as server,
        model_at(server.base_url) as endpoint,
    ):
        other = ScriptedModel([act("reserve", RESERVE)])
        with use_model(FallbackModel(endpoint, other)), other:
            run = jobs.run_drain(reserving.start().pk)

    assert run.outcome == "succeeded"
    assert run.model == "scripted"
