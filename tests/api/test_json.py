"""What a body may be."""

from decimal import Decimal

import pytest

from agentapp.api_errors import BodyTooLarge, NotJson
from agentapp.api_json import MAX_BYTES, MAX_DEPTH, loads


def test_it_keeps_numbers_exact():
    value = loads(b'{"id": 9007199254740993, "amount": 1234567890123456.78, "tenth": 0.1}')
    assert value == {
        "id": 9007199254740993,
        "amount": Decimal("1234567890123456.78"),
        "tenth": Decimal("0.1"),
    }


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"to":',
        b"hello",
        b"'a'",
        b'{"a": 1,}',
        b'{"a": 1} {"b": 2}',
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": -Infinity}',
        b'{"a": "\xff"}',
        b'\xef\xbb\xbf{"a": 1}',
        '{"a": 1}'.encode("utf-16"),
        b'{"decision": "refuse", "decision": "confirm"}',
        b'{"a": {"b": 1, "b": 2}}',
        b'{"a": ' + b"9" * 5_000 + b"}",
        b'{"a": 1e999999999}',
        b'{"a": 1e-999999999}',
        b'{"a": 0.' + b"1" * 5_000 + b"}",
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
        b'{"a\x00": 1}',
        b'{"a\\u0000": 1}',
        b'{"a\\ud83d": 1}',
    ],
)
def test_it_refuses(body):
    with pytest.raises(NotJson):
        loads(body)


def test_it_takes_what_is_just_deep_enough():
    depth = MAX_DEPTH - 1
    assert loads(b"[" * depth + b"]" * depth)


def test_it_refuses_a_large_body():
    with pytest.raises(BodyTooLarge):
        loads(b'"' + b"a" * MAX_BYTES + b'"')
