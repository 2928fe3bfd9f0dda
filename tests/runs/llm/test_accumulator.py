"""The accumulator against every way of cutting a reply in pieces."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from agentapp.kernel.errors import ModelUnavailable
from runs.llm import exact
from runs.llm.base import ModelReply, drain
from runs.llm.deltas import ReplyBuilder
from runs.llm.spoken import SpokenText, whole_characters
from runs.llm.sse import EventReader
from tests.loopback.turns import DONE, chunk, event, fragment, usage

_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)
_NAME = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=8)
_CALLS = st.lists(
    st.tuples(_NAME, st.dictionaries(_NAME, st.one_of(_TEXT, st.integers(), st.none()), max_size=3)),
    max_size=4,
)


def read(pieces: list[bytes]) -> ModelReply:
    """What the pieces of a body say."""
    reader, builder = EventReader(), ReplyBuilder(max_characters=100_000)

    def deltas():
        for piece in pieces:
            for data in reader.feed(piece):
                if data == "[DONE]":
                    builder.done()
                else:
                    yield from builder.feed(exact.loads(data))
        yield from builder.finish()

    return drain(deltas(), "m")


def said(reply: ModelReply) -> tuple:
    return (
        reply.text,
        [(made.name, made.arguments) for made in reply.calls],
        reply.finish_reason,
        reply.output_tokens,
    )


def cut(data, whole, label: str) -> list:
    """`whole` cut in pieces at places the test data choose."""
    places = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=12), label=label))
    return [whole[start:end] for start, end in zip([0, *places], [*places, len(whole)], strict=True)]


def body_of(data, text: str, calls: list) -> bytes:
    chunks = [chunk({"content": part}) for part in cut(data, text, "text")]
    for index, (name, arguments) in enumerate(calls):
        chunks.append(chunk(fragment(index, name, "", f"call_{index}")))
        chunks += [
            chunk(fragment(index, None, part)) for part in cut(data, json.dumps(arguments), "arguments")
        ]
    ends = [chunk(finish="tool_calls" if calls else "stop"), usage(3, 4)]
    # Escaped, so that half a character can be sent at all.
    return b"".join(event(json.dumps(item)) for item in chunks + ends) + DONE


@given(st.data(), _TEXT, _CALLS)
@settings(deadline=None, max_examples=150)
def test_every_fragmentation_gives_the_same_reply(data, text, calls):
    body = body_of(data, text, calls)

    reply = read(cut(data, body, "bytes"))

    spoken = SpokenText()
    expected = spoken.feed(text) + spoken.end()
    assert said(reply) == (
        expected,
        [(name, json.dumps(arguments)) for name, arguments in calls],
        "tool_calls" if calls else "stop",
        4,
    )


@given(st.data(), _TEXT, _CALLS)
@settings(deadline=None, max_examples=100)
def test_a_reply_cut_off_anywhere_is_none_or_all_of_it(data, text, calls):
    body = body_of(data, text, calls)
    whole = read([body])
    kept = data.draw(st.integers(0, len(body)))

    try:
        reply = read([body[:kept]])
    except ModelUnavailable:
        return
    assert said(reply)[:3] == said(whole)[:3]


_FRAGMENTS = st.builds(
    fragment,
    st.sampled_from([..., None, 0, 1]),
    st.sampled_from([None, "", "a", "b"]),
    st.sampled_from([None, "", "{", "}", '{"x":1}', '{"x":', "1}"]),
    st.sampled_from([None, "", "i", "j"]),
)


@given(st.lists(_FRAGMENTS, max_size=8))
def test_no_two_identifiers_or_names_ever_share_a_call(fragments):
    builder = ReplyBuilder(max_characters=100_000)
    for number, delta in enumerate(fragments):
        function = delta["tool_calls"][0]["function"]
        if function.get("arguments"):
            # Who wrote what stays visible in the arguments.
            function["arguments"] = f"<{number}>{function['arguments']}"
        list(builder.feed(chunk(delta)))
    list(builder.feed(chunk(finish="tool_calls")))
    made = [delta for delta in builder.finish() if hasattr(delta, "arguments")]

    for proposed in made:
        parts = [
            delta["tool_calls"][0]
            for number, delta in enumerate(fragments)
            if f"<{number}>" in proposed.arguments
        ]
        assert len({part["id"] for part in parts if part.get("id")}) <= 1
        assert len({name for part in parts if (name := part["function"].get("name"))}) <= 1


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), _TEXT, st.floats()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_NAME, inner, max_size=4)),
    max_leaves=12,
)
_KEYS = st.sampled_from(
    (
        "choices",
        "delta",
        "message",
        "content",
        "tool_calls",
        "function",
        "arguments",
        "name",
        "id",
        "index",
        "usage",
        "finish_reason",
        "refusal",
        "role",
        "function_call",
        "model",
        "prompt_tokens",
        "error",
    )
)
_ODD_CHUNKS = st.recursive(
    _JSON,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=20,
)


@given(st.lists(_ODD_CHUNKS, max_size=4))
def test_no_chunk_raises_anything_but_unavailable(chunks):
    builder = ReplyBuilder(max_characters=1_000)
    try:
        for odd in chunks:
            list(builder.feed(odd))
        list(builder.feed({"choices": odd} for odd in chunks))
        list(builder.finish())
    except ModelUnavailable:
        pass


@given(
    st.data(),
    st.lists(
        st.sampled_from(["<think>", "</think>", "<thinking>", "</thinking>", "<", "th", " a ", "\n", ">"])
    ),
)
def test_where_the_text_is_cut_changes_nothing(data, words):
    text = "".join(words)
    whole, pieces = SpokenText(), SpokenText()

    assert "".join(map(pieces.feed, cut(data, text, "text"))) + pieces.end() == whole.feed(text) + whole.end()


@given(_TEXT)
def test_text_always_has_whole_characters(text):
    whole = whole_characters(text)

    assert whole.encode("utf-8").decode("utf-8") == whole
    assert "\ud83d" not in whole_characters("\ud83d" + text)


@given(_JSON.filter(lambda value: json.dumps(value).find("NaN") < 0 and "Infinity" not in json.dumps(value)))
def test_numbers_keep_every_digit(value):
    assert exact.loads(exact.dumps(exact.loads(json.dumps(value)))) == exact.loads(json.dumps(value))


def test_exact_json():
    assert exact.dumps(exact.loads('{"a":0.10,"b":[1E+2,12345678901234567890.123456789]}')) == (
        '{"a":0.10,"b":[1E+2,12345678901234567890.123456789]}'
    )
