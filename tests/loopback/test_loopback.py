"""The model server itself: what it refuses, and that it is strict about being asked what was expected."""

import json
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from tests.loopback import ModelServer, rules, turns
from tests.loopback.answers import TableModel, least
from tests.loopback.strict import schema_problems

GOOD = {
    "type": "object",
    "properties": {
        "name": {"type": ["string", "null"], "description": "x"},
        "amount": {"type": "string", "pattern": r"^\d+$"},
        "when": {"anyOf": [{"$ref": "#/$defs/period"}, {"type": "null"}]},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "lines": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1},
    },
    "required": ["name", "amount", "when", "kind", "lines"],
    "additionalProperties": False,
    "$defs": {
        "period": {
            "type": "object",
            "properties": {"start": {"type": "string", "format": "date"}},
            "required": ["start"],
            "additionalProperties": False,
        }
    },
}


def nested(levels: int) -> dict:
    schema: dict = {"type": "string"}
    for _ in range(levels):
        schema = {
            "type": "object",
            "properties": {"x": schema},
            "required": ["x"],
            "additionalProperties": False,
        }
    return schema


def of(**properties) -> dict:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "schema", [GOOD, of(), nested(10), of(self={"anyOf": [{"$ref": "#"}, {"type": "null"}]})]
)
def test_strict_mode_accepts(schema):
    assert schema_problems(schema) == []


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({**of(x={"type": "string"}), "required": []}, "Missing ['x']"),
        ({**of(x={"type": "string"}), "additionalProperties": True}, "additionalProperties"),
        ({"type": "object", "properties": {}, "required": []}, "additionalProperties"),
        (of(x={"type": "string", "default": "y"}), "'default' is not permitted"),
        (of(x={"type": "string", "maxLength": 3}), "'maxLength' is not permitted"),
        (of(x={"oneOf": [{"type": "string"}]}), "'oneOf' is not permitted"),
        (of(x={"allOf": [{"type": "string"}]}), "'allOf' is not permitted"),
        (of(x={"type": "object", "additionalProperties": {"type": "string"}}), "additionalProperties"),
        (of(x={"type": "string", "format": "uri"}), "not a valid format"),
        (of(x={"type": "array"}), "missing items"),
        (of(x={"$ref": "#/$defs/nothing"}), "can not be resolved"),
        (of(x={}), "must have a 'type'"),
        ({"anyOf": [of()], **of()}, "without 'anyOf'"),
        ({"type": "array", "items": {"type": "string"}}, "must be a JSON Schema of"),
        (nested(12), "levels of nesting"),
        (of(x={"type": "string", "enum": [str(number) for number in range(1001)]}), "enum values"),
        ("no schema", "must be an object"),
    ],
)
def test_strict_mode_refuses(schema, words):
    assert any(words in problem for problem in schema_problems(schema))


def test_every_least_value_has_the_form_of_its_schema():
    assert least(GOOD) == {"name": None, "amount": "x", "when": None, "kind": "a", "lines": [1]}


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "tool", "tool_call_id": "a", "content": ""}],
        [{"role": "assistant", "tool_calls": [{"id": "a"}]}],
        [{"role": "assistant", "tool_calls": [{"id": "a"}]}, {"role": "user", "content": "x"}],
        [{"role": "robot", "content": "x"}],
    ],
)
def test_a_history_that_does_not_pair_is_refused(messages):
    assert rules.pairing({"messages": messages})


def post(url: str, payload: object) -> tuple[int, bytes]:
    asked = urllib.request.Request(f"{url}/chat/completions", json.dumps(payload).encode(), method="POST")
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


ASKED = {"model": "m", "messages": [{"role": "user", "content": "x"}]}


def test_turns_left_over_fail():
    with pytest.raises(AssertionError, match="never asked for"), ModelServer(turns.text("x")):
        pass


def test_a_missing_turn_fails():
    with pytest.raises(AssertionError, match="no turn"), ModelServer() as server:
        post(server.base_url, ASKED)


def test_a_refused_request_uses_up_no_turn():
    with ModelServer(turns.text("x")) as server:
        assert post(server.base_url, {"model": "m", "messages": []})[0] == 400
        assert post(server.base_url, ASKED)[0] == 200


def test_the_table_answers_what_was_not_called_yet():
    tools = [{"type": "function", "function": {"name": name, "parameters": of()}} for name in ("a", "b")]
    model = TableModel({"b": {"x": 1}})
    called = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "b"}}]}

    first = model({**ASKED, "tools": tools}).bytes
    second = model({"messages": [called], "tools": tools}).bytes
    last = model(ASKED).bytes

    assert b'"name": "b"' in first
    assert b'"name": "a"' in second
    assert b"Done." in last


@pytest.mark.processes
def test_it_runs_on_its_own():
    command = [sys.executable, "-m", "tests.loopback"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = process.stdout.readline().strip().removeprefix("OPENAI_BASE_URL=")
            with urllib.request.urlopen(f"{url}/models", timeout=10) as answer:
                assert turns.MODEL in answer.read().decode()
            assert post(url, ASKED)[0] == 200
        finally:
            process.terminate()
        assert process.wait(10) == 0
