"""Replies a step cannot use: cut, empty, talkative, or with the exits in them."""

import pytest

from runs.llm.base import Purpose
from runs.llm.scripted import Line, call, calls, cut, fail, say
from runs.models import ModelCall
from tests.support.blueprints import activity, step, text_input, use
from tests.support.stage import effects, stage
from tests.support.world import World, act, event_types, refusals_of, states_of

GOOD = act("reserve", {"item": "A-100", "quantity": 1})


@pytest.fixture
def reserving(world: World) -> World:
    world.publish(activity(use("reserve")))
    return world


def test_a_reply_cut_in_its_arguments_is_discarded_whole(reserving: World) -> None:
    run = reserving.run(cut("store_reserve", '{"item": "A-100", "quantity": 1}'), GOOD)
    assert states_of(run) == ["succeeded"]
    assert effects() == ["reserve A-100 x1"]
    first = ModelCall.objects.filter(run=run).first()
    assert first is not None
    assert (first.error_code, first.finish_reason) == ("cut", "length")
    assert all(not message.calls for message in reserving.requests()[1].messages)


@pytest.mark.parametrize(
    "line", [say(""), say("Sure!"), Line(finish="content_filter"), Line(finish="")], ids=repr
)
def test_a_reply_without_a_call_counts_as_an_attempt(reserving: World, line: Line) -> None:
    run = reserving.run(line, GOOD)
    assert run.outcome == "succeeded"
    assert run.steps.get().attempts == 1


def test_calls_in_a_reply_that_says_stop_are_calls(reserving: World) -> None:
    run = reserving.run(GOOD.but(finish="stop"))
    assert states_of(run) == ["succeeded"]


def test_an_exit_among_calls_wins_and_nothing_runs(reserving: World) -> None:
    run = reserving.run(
        calls(("store_reserve", {"item": "A-100", "quantity": 1}), ("escalate", {"reason": "unsure"}))
    )
    assert run.state == "escalated"
    assert effects() == []


@pytest.mark.parametrize(
    "arguments", ["", "null", "[]", "{broken", {"question": None}, {"question": {"a": [1]}}, {}], ids=repr
)
def test_a_question_that_cannot_be_read_is_still_a_question(reserving: World, arguments: object) -> None:
    run = reserving.run(call("ask_person", arguments))
    assert run.state == "needs_input"
    assert run.questions.get().state == "open"


def test_a_long_question_with_control_characters_is_stored(reserving: World) -> None:
    run = reserving.run(call("ask_person", {"parameter": "p" * 500, "question": "a\x00\ud83d " * 5_000}))
    assert len(run.questions.get().text) <= 500
    assert "\x00" not in run.questions.get().text


def test_a_model_that_fails_in_the_middle_of_its_text(reserving: World) -> None:
    run = reserving.run(fail(after_text="I will now res"))
    assert (run.outcome, run.error_code) == ("failed", "model_unavailable")
    assert "model.failed" in event_types(run)
    assert effects() == []


def test_a_bug_in_the_model_side_ends_the_run_on_record(reserving: World) -> None:
    run = reserving.start()

    def broken(_request: object) -> None:
        raise ValueError("a bug")

    line = say("x").but(check=broken)
    run = reserving.play(run, line)
    assert (run.outcome, run.error_code) == ("failed", "internal")
    assert "went wrong on our side" in run.answer
    assert "a bug" not in run.answer


ROUTES = [
    {"decision": "activity", "activity": "store.other", "alternatives": []},
    {"decision": "activity", "activity": None, "alternatives": []},
    {"decision": "activity", "activity": {"key": "store.handle"}, "alternatives": []},
    {"decision": "activity", "activity": "Store.Handle", "alternatives": []},
    {"decision": "unclear", "activity": None, "alternatives": []},
    {"decision": "unclear", "activity": None, "alternatives": ["store.handle"]},
    {"decision": "unclear", "activity": None, "alternatives": ["store.handle", "store.handle"]},
    {"decision": "unclear", "activity": None, "alternatives": [{"a": 1}, 5, None]},
    {"decision": "unclear", "activity": None, "alternatives": 5},
    {"decision": "ACTIVITY", "activity": "store.handle", "alternatives": []},
    {"decision": None},
    {},
]


@pytest.mark.parametrize("answer", ROUTES, ids=str)
def test_a_route_to_nothing_offered_is_declined(reserving: World, answer: object) -> None:
    run = reserving.play(reserving.post(), call("choose_activity", answer, purpose=Purpose.ROUTE))
    assert run.outcome == "declined"
    assert "Handle" in run.answer
    assert run.activity is None


@pytest.mark.parametrize(
    "line",
    [
        call("choose_activity", "{half"),
        calls(("choose_activity", {}), ("choose_activity", {})),
        call("store_reserve", {"item": "A-100"}),
        cut("choose_activity"),
    ],
    ids=["half", "twice", "tool", "cut"],
)
def test_a_route_that_cannot_be_read_is_asked_again_three_times(reserving: World, line: Line) -> None:
    run = reserving.play(reserving.post(), line, line, line)
    assert (run.outcome, run.error_code) == ("failed", "model_unusable")
    assert effects() == []
    # A model without chance in it would answer the same to the same: each time it is told what was wrong.
    told = [request.messages[-1].text for request in reserving.requests()]
    assert "could not be used" not in told[0]
    assert all("could not be used" in text and "choose_activity" in text for text in told[1:])


def test_what_keeps_an_escalated_step_open_is_said_in_the_tools_names(reserving: World) -> None:
    run = reserving.run(call("escalate", {"reason": "I cannot."}))
    assert run.outcome == ""
    gap = run.escalations.get().gap
    assert "Reserve" in gap
    assert "facts." not in gap + run.answer


def test_inputs_are_only_what_the_words_say(world: World) -> None:
    reference = {"name": "item", "type": "reference", "reference": "store.item", "label": {"en": "Item"}}
    note = text_input("note", required=False)
    item = {"source": "input", "input": "item"}
    world.publish(activity(use("reserve", item=item), inputs=[reference, note]))
    run = world.start("Reserve the blue lamp please")
    filled = {"item": "Oak table", "note": "an invented reason nobody gave", "extra": 1}
    run = world.play(run, call("fill_inputs", filled, purpose=Purpose.INPUTS))
    assert run.state == "needs_input"
    assert [field.name for field in run.questions.get().fields.all()] == ["item"]
    assert not run.inputs.exists()


@pytest.mark.parametrize(
    "value",
    [[], {}, {"a": 1}, 5, True, ["Blue lamp", 7], "x" * 100_000, "a\x00b"],
    ids=lambda v: repr(v)[:20],
)
def test_an_input_of_another_shape_is_asked(world: World, value: object) -> None:
    reference = {"name": "item", "type": "reference", "reference": "store.item", "label": {"en": "Item"}}
    world.publish(activity(use("reserve", item={"source": "input", "input": "item"}), inputs=[reference]))
    run = world.play(world.start("Do it"), call("fill_inputs", {"item": value}, purpose=Purpose.INPUTS))
    assert run.state == "needs_input", run.error_code


def test_a_step_that_may_act_and_does_not(world: World) -> None:
    world.publish(
        activity(use("find_items"), steps=[step("find_items", tool_choice="auto", passes_when="true")])
    )
    run = world.run(say("Nothing to look up."))
    assert run.outcome == "succeeded"
    assert stage.calls == []
    assert refusals_of(run) == []


def test_an_agent_that_looks_and_gives_up_at_once_looks_first(world: World) -> None:
    world.publish(activity(use("find_items")))
    both = calls(("store_find_items", {"words": "A-100"}), ("escalate", {"reason": "It is not there."}))
    run = world.run(both)
    assert (run.outcome, states_of(run)) == ("succeeded", ["succeeded"])
    assert "escalation.put_off" in event_types(run)


@pytest.mark.parametrize("name", ["store_find_items", "store_nothing"])
def test_a_tool_of_elsewhere_is_not_looked_at_first_whether_it_exists_or_not(
    reserving: World, name: str
) -> None:
    run = reserving.run(calls((name, {"words": "A-100"}), ("escalate", {"reason": "It is not there."})))
    assert run.state == "escalated"
    assert "escalation.put_off" not in event_types(run)


def test_an_agent_that_acts_and_gives_up_at_once_does_not_act(reserving: World) -> None:
    both = calls(("store_reserve", {"item": "A-100", "quantity": 1}), ("escalate", {"reason": "Unsure."}))
    run = reserving.run(both)
    assert run.state == "escalated"
    assert effects() == []
