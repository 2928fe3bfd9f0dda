"""Endpoints that give no usable answer: each ends as ModelUnavailable, in time, and never as a reply."""

import logging
import socket
import time

import pytest

from agentapp.kernel.errors import Actor, Misconfigured, ModelUnavailable
from runs.llm import openai as endpoint
from runs.llm import reading
from runs.llm.base import TextDelta
from runs.llm.openai import OpenAIModel
from tests.loopback import ModelServer, turns
from tests.loopback.turns import Turn, call, chunk, event, fragment, stream, text
from tests.runs.llm.samples import KEY, ask, model_at, request

HALF_CALL = stream(
    chunk({"role": "assistant"}),
    chunk(fragment(0, "find_order", '{"words":"x"}', "a")),
    turns.Pace(0),
    done=False,
)


def failure_of(turn: Turn, times: int = 3, **changes) -> ModelUnavailable:
    """The error after every try was answered by the same turn."""
    with (
        ModelServer(*[turn] * times) as server,
        model_at(server.base_url) as model,
        pytest.raises(ModelUnavailable) as caught,
    ):
        ask(model, request(**changes))
    return caught.value


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        (turns.document({"error": {"message": "overloaded"}}), "endpoint_error"),
        (stream({"error": {"message": "overloaded"}}), "endpoint_error"),
        (stream(chunk({"tool_calls": []}), {"error": "overloaded"}), "endpoint_error"),
        (stream(chunk(finish="error")), "endpoint_error"),
        (turns.html(), "not_a_completion"),
        (turns.html().but(content_type="text/event-stream"), "half_stream"),
        (turns.html().but(content_type="application/json"), "not_a_completion"),
        (turns.document([1, 2]), "not_a_completion"),
        (turns.document({"choices": []}), "no_choices"),
        (turns.document({"hello": "world"}), "no_choices"),
        (stream("{broken"), "not_a_completion"),
        (stream("[" * 100_000), "not_a_completion"),
        (stream('{"n":' + "9" * 5_000 + "}"), "not_a_completion"),
        (stream('"text"'), "not_a_completion"),
        (stream(), "no_choices"),
        (stream(chunk(choices=[])), "no_choices"),
        (stream(done=False), "half_stream"),
        (HALF_CALL, "half_stream"),
        (HALF_CALL.but(whole=False), "half_stream"),
        (stream(chunk(fragment(0, "find_order", '{"wor', "a"))), "half_stream"),
        (turns.half(call("find_order", {"words": "x"}), 3, whole=False), "half_stream"),
        (turns.zipped(call("find_order", {"words": "x"}), keep=0.5), "half_stream"),
        (Turn((b"not gzip at all",), headers={"Content-Encoding": "gzip"}), "half_stream"),
        (turns.status(500), "server_error"),
        (turns.status(503), "server_error"),
        (turns.html(502), "server_error"),
        (turns.status(429), "rate_limited"),
        (turns.status(408), "timeout"),
        (Turn(drop=True), "unreachable"),
    ],
)
def test_what_may_pass_is_tried_three_times_and_then_named(turn, reason):
    error = failure_of(turn)

    assert (error.data["reason"], error.data["retryable"], error.actor) == (reason, True, Actor.OPERATOR)


@pytest.mark.parametrize(
    ("turn", "reason", "setting"),
    [
        (turns.status(401, f"Incorrect API key provided: {KEY}"), "unauthorised", "OPENAI_API_KEY"),
        (turns.status(403), "forbidden", "OPENAI_MODEL"),
        (turns.status(404, "The model `m-1` does not exist"), "not_found", "OPENAI_MODEL"),
        (turns.html(404), "not_found", "OPENAI_BASE_URL"),
        (turns.status(400, "something else is wrong"), "refused", "OPENAI_MODEL"),
        (
            turns.status(400, "This model's maximum context length is 8192 tokens."),
            "too_long",
            "OPENAI_MODEL",
        ),
        (turns.status(400, "filtered by the content management policy"), "refused", "OPENAI_MODEL"),
        (turns.status(307, location="http://127.0.0.1:9/v1"), "redirected", "OPENAI_BASE_URL"),
    ],
)
def test_what_will_not_pass_is_tried_once_and_says_what_to_set(turn, reason, setting):
    error = failure_of(turn, times=1)

    assert (error.data["reason"], error.data["retryable"]) == (reason, False)
    assert setting in str(error)


def test_no_message_and_no_log_line_holds_the_key(caplog):
    with caplog.at_level(logging.DEBUG):
        errors = [
            failure_of(turns.status(401, f"Bearer {KEY} is wrong"), times=1),
            failure_of(turns.status(500, KEY)),
        ]

    assert KEY not in caplog.text
    assert all(KEY not in str(error) and KEY not in repr(error.data) for error in errors)


def test_a_port_where_nobody_listens_is_unreachable():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with (
            model_at(f"http://127.0.0.1:{free.getsockname()[1]}/v1") as model,
            pytest.raises(ModelUnavailable) as caught,
        ):
            ask(model)

    assert (caught.value.data["reason"], caught.value.data["retryable"]) == ("unreachable", True)


def test_something_that_is_no_http_server_is_unreachable():
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        model_at(f"http://127.0.0.1:{listener.getsockname()[1]}/v1") as model,
        pytest.raises(ModelUnavailable) as caught,
    ):
        ask(model, request(timeout_seconds=0.4))

    assert caught.value.data["reason"] == "timeout"


@pytest.mark.parametrize(
    "turn",
    [
        turns.drip(text("Hello " * 40), 0.03),
        turns.drip(call("find_order", {"words": "x" * 200}), 0.03),
        turns.drip(turns.status(500, "x" * 500), 0.03),
        text("Hello").but(header_pace=0.03),
        stream(b": keep-alive\n\n", turns.Pace(30)),
        stream(chunk({"content": "Hello"}), turns.Pace(30)),
    ],
    ids=["text", "call", "error", "headers", "silence", "silence after text"],
)
def test_a_server_that_sends_a_byte_now_and_then_holds_no_call_longer_than_it_may(turn):
    begun = time.monotonic()
    error = failure_of(turn, times=1, timeout_seconds=0.5)

    assert error.data["reason"] == "timeout"
    assert time.monotonic() - begun < 10


def test_all_tries_together_take_no_longer_than_one_call_may():
    slow = turns.status(500).but(pieces=(turns.Pace(1.5), b"slow"))
    with (
        ModelServer(answer=lambda payload: slow) as server,
        model_at(server.base_url) as model,
        pytest.raises(ModelUnavailable) as caught,
    ):
        ask(model, request(timeout_seconds=2.5))

    assert caught.value.data["reason"] == "timeout"
    assert len(server.received) == 2


def test_a_stream_that_breaks_after_text_is_not_begun_again():
    broken = turns.half(text("Hello", " world"), 2, whole=False)
    with ModelServer(broken) as server, model_at(server.base_url) as model:
        deltas = model.stream(request())
        assert next(deltas) == TextDelta("Hello")
        with pytest.raises(ModelUnavailable) as caught:
            next(deltas)

    assert caught.value.data["reason"] == "half_stream"
    assert len(server.received) == 1


def test_calls_of_a_stream_that_breaks_are_never_handed_out():
    whole_call = turns.half(call("find_order", {"words": "x"}), 4, whole=True)
    with (
        ModelServer(*[whole_call] * 3) as server,
        model_at(server.base_url) as model,
        pytest.raises(ModelUnavailable),
    ):
        next(model.stream(request()))


@pytest.mark.parametrize(
    "turn",
    [
        stream("x" * 300_000),
        stream(*[b": " + b"x" * 50_000 + b"\n\n"] * 8),
        turns.document({"choices": [], "x": "x" * 300_000}),
        stream(*[chunk(choices=[], junk="x" * 30_000) for _ in range(12)]),
    ],
    ids=["one event", "comments", "document", "chunks"],
)
def test_an_answer_without_an_end_is_left(turn, monkeypatch):
    monkeypatch.setattr(endpoint, "MAX_BYTES", 200_000)

    assert failure_of(turn, times=1).data["reason"] == "too_large"


@pytest.mark.parametrize("turn", [stream("x" * 300_000), turns.document({"x": "x" * 300_000})])
def test_one_event_without_an_end_is_left(turn, monkeypatch):
    monkeypatch.setattr(reading, "MAX_EVENT_BYTES", 200_000)

    assert failure_of(turn, times=1).data["reason"] == "too_large"


def test_an_error_page_is_read_only_as_far_as_it_is_useful():
    endless = Turn(tuple([b"x" * 65_536] * 4 + [turns.Pace(30)]), status=500)
    begun = time.monotonic()

    assert failure_of(endless).data["reason"] == "server_error"
    assert time.monotonic() - begun < 10


def test_an_error_in_the_middle_of_a_reply_is_an_error():
    turn = stream(chunk({"content": "Hello"}), event({"error": {"message": "lost"}}), chunk(finish="stop"))
    with (
        ModelServer(turn) as server,
        model_at(server.base_url) as model,
        pytest.raises(ModelUnavailable) as caught,
    ):
        ask(model)

    assert caught.value.data["reason"] == "endpoint_error"


def test_closing_the_stream_closes_the_connection():
    with (
        ModelServer(stream(chunk({"content": "x"}), turns.Pace(60)), text("y")) as server,
        model_at(server.base_url) as model,
    ):
        deltas = model.stream(request())
        next(deltas)
        deltas.close()
        assert ask(model).text == "y"
        assert server.connections == 2


@pytest.mark.parametrize("key", ["schlüssel", "two\nlines"])
def test_a_key_that_cannot_be_one_is_refused_without_being_shown(key):
    with pytest.raises(Misconfigured, match="OPENAI_API_KEY") as caught:
        OpenAIModel(model="m", api_key=key)

    assert key not in str(caught.value)


def test_a_failed_try_leaves_its_time_to_the_next():
    said_no = stream(chunk(finish="error"), turns.Pace(60), done=False)
    slow = turns.drip(text("Hello"), 0.003)
    with ModelServer(said_no, slow) as server, model_at(server.base_url) as model:
        assert ask(model).text == "Hello"


def test_names_from_outside_are_short_and_clean():
    odd = chunk({"content": "x"}, "r\x00" * 500, model="m\x00" * 500)
    with ModelServer(stream(odd)) as server, model_at(server.base_url) as model:
        reply = ask(model)

    assert (len(reply.model), len(reply.finish_reason)) == (100, 100)
    assert "\x00" not in reply.model + reply.finish_reason
