"""The built-in interpreter in the place of an endpoint that gives no answer."""

import pytest

from agentapp.kernel.errors import ModelUnavailable
from runs.llm.base import drain
from runs.llm.fallback import REST_SECONDS, FallbackModel
from runs.llm.scripted import Line, ScriptedModel, fail, say
from tests.runs.llm.samples import request


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Pair:
    """Two scripted models, one in front of the other."""

    def __init__(self, first: list[Line], second: list[Line]) -> None:
        self.first, self.second, self.clock = ScriptedModel(first), ScriptedModel(second), Clock()
        self.first.name, self.second.name = "endpoint", "interpreter"
        self.model = FallbackModel(self.first, self.second, clock=self.clock)

    def ask(self):
        return drain(self.model.stream(request()), self.model.name)

    def finish(self) -> None:
        self.first.finish()
        self.second.finish()


def test_the_endpoint_answers_while_it_can():
    pair = Pair([say("mine")], [])

    assert (pair.ask().text, pair.model.name) == ("mine", "endpoint")
    pair.finish()


def test_the_other_answers_and_is_named():
    pair = Pair([fail()], [say("other")])

    reply = pair.ask()

    assert (reply.text, reply.model) == ("other", "interpreter")
    pair.finish()


def test_an_answer_that_broke_off_is_not_continued_by_the_other():
    pair = Pair([fail(after_text="Hel")], [])

    with pytest.raises(ModelUnavailable):
        pair.ask()
    pair.finish()


def test_an_endpoint_that_is_down_is_left_alone_for_a_while():
    pair = Pair([fail(), say("back")], [say("1"), say("2")])

    said = [pair.ask().text, pair.ask().text]
    pair.clock.now += REST_SECONDS
    said.append(pair.ask().text)

    assert said == ["1", "2", "back"]
    pair.finish()


def test_a_request_that_cannot_be_accepted_says_nothing_about_the_next():
    pair = Pair([fail(retryable=False), say("mine")], [say("other")])

    assert [pair.ask().text, pair.ask().text] == ["other", "mine"]
    pair.finish()
