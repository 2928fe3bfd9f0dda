"""What a model may write as arguments, and what is never guessed from it."""

from decimal import Decimal
from typing import Any

import pytest

from runs.arguments import BadArguments, parse_arguments
from runs.llm.scripted import calls
from tests.support.blueprints import activity, use
from tests.support.ends import comes_to_an_end
from tests.support.stage import stage
from tests.support.world import World, act, calls_of, final, refusals_of

BAD = {
    "empty": "",
    "spaces": "  ",
    "null": "null",
    "list": "[]",
    "list of one": '[{"number": 1}]',
    "number": "1",
    "text": '"number"',
    "half": '{"number": 1',
    "half key": '{"num',
    "two objects": '{"number": 1}{"number": 2}',
    "trailing": '{"number": 1} and more',
    "double encoded": '"{\\"number\\": 1}"',
    "duplicate": '{"number": 1, "number": 2}',
    "duplicate below": '{"number": 1, "text": {"a": 1, "a": 2}}',
    "nan": '{"number": 1, "amount": NaN}',
    "infinity": '{"number": 1, "amount": Infinity}',
    "minus infinity": '{"number": 1, "amount": -Infinity}',
    "5,000 digits": '{"number": ' + "9" * 5_000 + "}",
    "5,000 decimals": '{"number": 1, "amount": 0.' + "3" * 5_000 + "}",
    "huge exponent": '{"number": 1, "amount": 1e999999999}',
    "tiny exponent": '{"number": 1, "amount": 1e-999999999}',
    "huge integer by exponent": '{"number": 1e999999}',
    "depth bomb": '{"number": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "deep object": '{"a":' * 30 + "1" + "}" * 30,
    "too long": '{"text": "' + "x" * 200_001 + '"}',
    "single quotes": "{'number': 1}",
    "comment": '{"number": 1 /* one */}',
    "python": '{"number": True}',
    "fence": '```json\n{"number": 1}\n```',
    "xml": "<number>1</number>",
}
WRONG: dict[str, Any] = {
    "missing": {},
    "null for required": {"number": None},
    "extra": {"number": 1, "colour": "red"},
    "prototype": {"number": 1, "__proto__": {"admin": True}},
    "float for integer": {"number": 1.5},
    "boolean text": {"number": "yes"},
    "object for text": {"number": 1, "text": {"a": 1}},
    "text for list": {"number": 1, "parts": "a,b"},
    "too many": {"number": 1, "parts": list("abcdef")},
    "text is no number": {"number": "one"},
    "amount in words": {"number": 1, "amount": "ten"},
    "huge exponent as text": {"number": 1, "amount": "1e999999999"},
    "nan as text": {"number": 1, "amount": "NaN"},
    "nested": {"number": {"value": 1}},
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_what_is_not_one_plain_object_is_refused_quickly(text: str) -> None:
    with comes_to_an_end(), pytest.raises(BadArguments):
        parse_arguments(text)


def test_numbers_are_exact() -> None:
    parsed = parse_arguments('{"a": 1234567890123456.78, "b": 9007199254740993, "c": 0.1, "d": 1e3}')
    assert parsed == {
        "a": Decimal("1234567890123456.78"),
        "b": 9007199254740993,
        "c": Decimal("0.1"),
        "d": Decimal("1e3"),
    }
    assert {type(value) for value in parsed.values()} == {Decimal, int}


def test_text_is_made_storable() -> None:
    assert parse_arguments('{"a\\u0000": "b\\u0000\\ud83d\\u202ec"}') == {"a": "b\ufffdc"}


def test_no_bad_call_reaches_the_tool_and_each_is_told_why(world: World) -> None:
    """All of them in one reply: every one refused, none called with defaults."""
    world.publish(activity(use("measure"), guardrails={"max_tool_calls": 200}))
    pairs = [("store_measure", text) for text in (*BAD.values(), *WRONG.values())]
    run = world.run(calls(*pairs), act("measure", {"number": 1, "amount": None, "text": None, "parts": None}))
    codes = refusals_of(run)
    names = [*BAD, *WRONG]
    wrong = {
        name: code
        for name, code in zip(names, codes, strict=False)
        if code not in ("invalid_arguments", "not_agent_controlled")
    }
    assert wrong == {}
    assert stage.calls == ["measure"]
    assert run.outcome == "succeeded"
    assert all(call.error_message for call in calls_of(run)[:-1])


@pytest.mark.parametrize(
    ("written", "number", "amount"),
    [
        (
            '{"number": 9007199254740993, "amount": 1234567890123456.78}',
            "9007199254740993",
            "1234567890123456.78",
        ),
        (
            '{"number": "9007199254740993", "amount": "1234567890123456.78"}',
            "9007199254740993",
            "1234567890123456.78",
        ),
        (
            '{"number": -9007199254740993, "amount": 0.30000000000000004}',
            "-9007199254740993",
            "0.30000000000000004",
        ),
        ('{"number": 7, "amount": 0.1}', 7, "0.1"),
        ('{"number": 7, "amount": 1e2}', 7, "100"),
    ],
)
def test_numbers_stay_exact_from_the_model_to_the_answer(
    world: World, written: str, number: object, amount: str
) -> None:
    world.publish(
        activity(use("measure"), template={"en": "{{ facts.measure.number }} / {{ facts.measure.amount }}"})
    )
    run = world.run(act("measure", written))
    assert final(calls_of(run)[0])["number"] == number
    assert final(calls_of(run)[0])["amount"] == amount
    assert run.facts.get().data["number"] == number
    assert run.facts.get().data["amount"] == amount
    assert run.answer == f"{number} / {amount}"


@pytest.mark.parametrize("priority", ["HIGH", "High", " high", "urgent", 1, True, ["high"]], ids=repr)
def test_an_enumeration_is_matched_exactly(world: World, priority: object) -> None:
    world.publish(activity(use("order")))
    order = {"item": "A-100", "amount": "5", "note": None}
    run = world.run(
        act("order", {**order, "priority": priority}), act("order", {**order, "priority": "high"})
    )
    assert refusals_of(run) == ["invalid_arguments", ""]
    assert final(calls_of(run)[1])["priority"] == "high"
