"""The scripted model: it answers what is written, and a script that does not fit fails."""

import threading

import pytest

from agentapp.kernel.errors import ModelUnavailable
from runs.llm import get_model
from runs.llm.base import Purpose, TextDelta, drain
from runs.llm.scripted import ScriptedModel, ScriptError, call, calls, cut, fail, say
from tests.runs.llm.samples import request

pytest_plugins = ["tests.runs.llm.fixtures"]


def ask(model, **changes):
    return drain(model.stream(request(**changes)), model.name)


def test_each_line_answers_one_request():
    with ScriptedModel(
        [say("a"), call("f", {"x": 1}, text="b"), calls(("f", None), ("g", '{"to":'))]
    ) as model:
        replies = [ask(model) for _ in range(3)]

    assert [reply.text for reply in replies] == ["a", "b", ""]
    assert [[(made.name, made.arguments) for made in reply.calls] for reply in replies] == [
        [],
        [("f", '{"x": 1}')],
        [("f", "{}"), ("g", '{"to":')],
    ]
    assert [reply.finish_reason for reply in replies] == ["stop", "tool_calls", "tool_calls"]
    assert len(model.requests) == 3


def test_a_line_left_over_fails():
    with pytest.raises(ScriptError, match="never asked for"), ScriptedModel([say("a"), say("b")]) as model:
        ask(model)


def test_a_missing_line_fails_where_it_is_missed_and_at_the_end():
    model = ScriptedModel()

    with pytest.raises(ScriptError, match="has no line"):
        ask(model)
    with pytest.raises(ScriptError, match="has no line"):
        model.finish()


def test_another_purpose_fails():
    model = ScriptedModel([say("a", purpose=Purpose.ROUTE)])

    with pytest.raises(ScriptError, match="for step"):
        ask(model, purpose=Purpose.STEP)
    with pytest.raises(ScriptError):
        model.finish()


def test_a_failed_check_fails_at_the_end_even_when_it_was_caught():
    def wants_another(asked):
        assert asked.max_output_tokens == 1

    model = ScriptedModel([say("a").but(check=wants_another)])

    with pytest.raises(AssertionError):
        ask(model)
    with pytest.raises(ScriptError, match="failed its check"):
        model.finish()


def test_failures_before_and_after_text():
    with ScriptedModel([fail(), fail(after_text="Hel")]) as model:
        with pytest.raises(ModelUnavailable):
            ask(model)
        deltas = model.stream(request())
        assert next(deltas) == TextDelta("Hel")
        with pytest.raises(ModelUnavailable):
            next(deltas)


def test_a_slow_line_waits_for_its_event():
    go_on = threading.Event()
    with ScriptedModel([say("a").but(until=go_on)]) as model:
        deltas = model.stream(request())
        assert next(deltas) == TextDelta("a")
        go_on.set()
        assert list(deltas)


def test_a_cut_reply_has_no_calls():
    with ScriptedModel([cut("f")]) as model:
        reply = ask(model)

    assert (reply.calls, reply.finish_reason) == ((), "length")


def test_the_fixture_is_the_model_of_this_process(scripted_model):
    scripted_model.add(say("a"))

    assert get_model() is scripted_model
    assert ask(get_model()).text == "a"
