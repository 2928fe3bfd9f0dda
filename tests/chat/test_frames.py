"""What a browser may say over its socket. Anything else is nothing."""

import json
from uuid import uuid4

import pytest

from runs.chat.frames import MAX_CHARACTERS, Hello, Ping, read_frame

RUN = str(uuid4())


def test_the_two_frames_are_read() -> None:
    text = {"type": "hello", "composer": "c", "runs": {RUN: {"version": 3, "digests": {"run-x-steps": "ab"}}}}
    hello = read_frame(json.dumps(text))
    assert isinstance(hello, Hello)
    assert [seen.version for seen in hello.seen().values()] == [3]
    assert isinstance(read_frame('{"type": "ping"}'), Ping)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "confirm",
        '{"type": "confirm", "confirmation": "x", "decision": "confirm"}',
        '{"type": "ping", "decision": "confirm"}',
        '{"type": "hello"}',
        '{"type": "hello", "composer": "", "runs": {"not-an-id": {"version": 1, "digests": {}}}}',
        f'{{"type": "hello", "composer": "", "runs": {{"{RUN}": {{"version": -1, "digests": {{}}}}}}}}',
        f'{{"type": "hello", "composer": "", "runs": {{"{RUN}": {{"version": 1e99, "digests": {{}}}}}}}}',
        f'{{"type": "hello", "composer": "{"c" * 17}", "runs": {{}}}}',
        '{"type": "ping"} {"type": "ping"}',
        '{"type": "ping"' + " " * MAX_CHARACTERS + "}",
        "[" * 100_000,
        '{"HEADERS": {"HX-Request": "true"}, "decision": "confirm"}',
    ],
)
def test_anything_else_is_nothing(text: str) -> None:
    assert read_frame(text) is None
