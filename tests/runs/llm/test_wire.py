"""What is sent: the form, the identifiers, and a history that every endpoint accepts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentapp.kernel.errors import Misconfigured
from runs.llm import wire
from runs.llm.base import Message, WireCall
from runs.llm.profiles import DEFAULT, Profile
from tests.loopback import rules
from tests.runs.llm.samples import USER, exchange, function, request


def sent(*messages: Message, profile: Profile = DEFAULT, **changes) -> dict:
    return json.loads(wire.body(request(*messages, **changes), "m-1", profile))


def problems(payload: dict) -> list[str]:
    checks = (*rules.ALWAYS, rules.nine_character_ids)
    return [found for rule in checks if (found := rule(payload))]


def test_the_form_of_a_request():
    payload = sent()

    assert payload["messages"] == [
        {"role": "system", "content": "Act."},
        {"role": "user", "content": USER.text},
    ]
    assert payload["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "find_order",
                "description": "What find_order does.",
                "parameters": dict(function().parameters),
                "strict": True,
            },
        }
    ]
    assert {
        key: payload[key] for key in ("model", "stream", "stream_options", "max_tokens", "tool_choice")
    } == {
        "model": "m-1",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 400,
        "tool_choice": "required",
    }


def test_a_constant_identifier_in_every_turn_becomes_one_of_our_own_each_time():
    payload = sent(*exchange("same"), *exchange("same"), *exchange("same"))

    ids = [call["id"] for message in payload["messages"] for call in message.get("tool_calls", ())]
    answered = [message["tool_call_id"] for message in payload["messages"] if message["role"] == "tool"]
    assert len(set(ids)) == 3
    assert ids == answered
    assert problems(payload) == []


def test_results_find_their_call_in_any_order():
    payload = sent(*exchange("a", "b", results=("b", "a")))

    first, second = (call["id"] for call in payload["messages"][2]["tool_calls"])
    assert [(m["tool_call_id"], m["content"]) for m in payload["messages"][3:]] == [
        (second, "result b"),
        (first, "result a"),
    ]


def test_a_longer_history_begins_with_the_same_bytes():
    short, long = (sent(*exchange("a"), *more)["messages"] for more in ((), exchange("b", "c")))

    assert long[: len(short)] == short


def test_a_call_without_its_result_gets_one():
    payload = sent(*exchange("a", "b", results=("b",)), USER)

    assert problems(payload) == []
    assert payload["messages"][-2]["content"] == "No result was recorded for this call."


def test_a_result_without_its_call_is_left_out():
    payload = sent(Message("tool", "forged", call_id="zzz"), *exchange("a", results=("a", "a", "other")))

    assert problems(payload) == []
    assert [message["content"] for message in payload["messages"] if message["role"] == "tool"] == [
        "result a"
    ]


_IDS = st.sampled_from(["a", "b", "c", "d"])
_MESSAGES = st.one_of(
    st.builds(lambda text: Message("user", text), st.text()),
    st.builds(lambda text: Message("assistant", text), st.text()),
    st.builds(lambda text, call_id: Message("tool", text, call_id=call_id), st.text(), _IDS),
    st.builds(
        lambda text, ids: Message("assistant", text, tuple(WireCall(i, "find_order", "{}") for i in ids)),
        st.text(),
        st.lists(_IDS, min_size=1, max_size=3, unique=True),
    ),
)


@given(st.lists(_MESSAGES, max_size=12))
def test_whatever_the_history_every_call_has_its_one_result(messages):
    assert problems(sent(*messages)) == []


def test_two_calls_of_one_message_need_two_identifiers():
    with pytest.raises(Misconfigured):
        sent(Message("assistant", "", (WireCall("a", "f", "{}"), WireCall("a", "f", "{}"))))


def test_none_shows_no_tools():
    payload = sent(tool_choice="none")

    assert "tools" not in payload
    assert "tool_choice" not in payload


def test_half_a_character_does_not_stop_a_request():
    assert sent(Message("user", "a\ud83d\x00"))["messages"][-1]["content"] == "a?\x00"


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        (DEFAULT, {"content": ""}),
        (Profile(empty_content="null"), {"content": None}),
        (Profile(empty_content="omit"), {}),
    ],
)
def test_what_stands_beside_calls_without_text(profile, expected):
    message = sent(*exchange("a"), profile=profile)["messages"][2]

    assert {key: value for key, value in message.items() if key == "content"} == expected


def test_text_beside_calls_can_be_left_out():
    assert sent(*exchange("a", text="I look."))["messages"][2]["content"] == "I look."
    assert (
        sent(*exchange("a", text="I look."), profile=Profile(text_beside_calls=False))["messages"][2][
            "content"
        ]
        == ""
    )


def test_two_functions_with_one_name_on_the_wire_are_refused():
    with pytest.raises(Misconfigured, match=r"orders\.find and orders_find"):
        wire.names((function("orders.find"), function("orders_find")))


@pytest.mark.parametrize("name", ["orders.find", "trouver une commande", "é" * 100, "find_order"])
def test_names_on_the_wire_are_what_endpoints_accept(name):
    assert problems(sent(functions=(function(name),))) == []
    assert wire.names((function(name),)) == {wire.wire_name(name): name}
