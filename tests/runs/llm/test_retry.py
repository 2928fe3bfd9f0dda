"""When a call is tried again and how long it waits."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from agentapp.kernel.errors import ModelUnavailable
from runs.llm.retry import MAX_PAUSE_SECONDS, pause_before_retry, retry_after
from tests.loopback import ModelServer, turns
from tests.loopback.turns import Turn, text
from tests.runs.llm.samples import ask, model_at, request

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("3", 3),
        ("0", 0),
        (" 1.5 ", 1.5),
        ("999999999999999", 999999999999),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
        ("٣", None),
        (format_datetime(NOW + timedelta(seconds=9), usegmt=True), 9),
        (format_datetime(NOW - timedelta(days=9), usegmt=True), 0),
        ("Sun, 99 Mar 2026 12:00:00 GMT", None),
    ],
)
def test_it_reads_seconds_and_dates(value, seconds):
    assert retry_after({"retry-after": value}, NOW) == seconds


def test_no_header_asks_for_nothing():
    assert retry_after({}) is None


def error(**data) -> ModelUnavailable:
    return ModelUnavailable("x", **{"retryable": True, "retry_after": None, **data})


def test_pauses_grow_and_end_after_two_retries():
    first, second = (pause_before_retry(error(), number, 60) for number in (0, 1))

    assert first is not None
    assert second is not None
    assert 0 < first < second < 1
    assert pause_before_retry(error(), 2, 60) is None


def test_what_cannot_pass_is_not_waited_for():
    assert pause_before_retry(error(retryable=False), 0, 60) is None
    assert pause_before_retry(error(retry_after=MAX_PAUSE_SECONDS + 1), 0, 600) is None
    assert pause_before_retry(error(retry_after=5), 0, 4) is None
    assert pause_before_retry(error(retry_after=5), 0, 6) == 5


def waits_for(*script: Turn, **changes) -> list[float]:
    waited: list[float] = []
    with ModelServer(*script) as server, model_at(server.base_url, wait=waited.append) as model:
        assert ask(model, request(**changes)).text == "Hello"
    return waited


def test_it_waits_as_long_as_the_endpoint_asks():
    in_five = format_datetime(datetime.now(UTC) + timedelta(seconds=5), usegmt=True)

    [first, second] = waits_for(
        turns.status(429, retry_after="2"), turns.status(503, retry_after=in_five), text("Hello")
    )

    assert first == 2
    assert 3 < second <= 5


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_a_failure_that_passes_is_not_seen(status):
    assert len(waits_for(turns.status(status), text("Hello"))) == 1


def test_half_a_stream_that_was_not_shown_is_asked_again():
    half = turns.half(turns.call("find_order", {"words": "x"}), 3, whole=False)

    assert len(waits_for(half, Turn(drop=True), text("Hello"))) == 2


def test_a_pause_longer_than_the_call_is_told_instead():
    with (
        ModelServer(turns.status(429, retry_after="15")) as server,
        model_at(server.base_url) as model,
        pytest.raises(ModelUnavailable) as caught,
    ):
        ask(model, request(timeout_seconds=3.0))

    assert (caught.value.data["retry_after"], caught.value.data["status"]) == (15, 429)


def test_every_try_sends_the_same_bytes():
    with ModelServer(turns.status(500), text("Hello")) as server, model_at(server.base_url) as model:
        ask(model)
        first, second = server.received

    assert first.body == second.body
