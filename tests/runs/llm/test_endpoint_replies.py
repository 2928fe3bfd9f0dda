"""Replies from a real HTTP server, in the shapes that endpoints are known to send."""

import json

import pytest

from runs.llm.base import CallDelta, FinishDelta, ModelReply, TextDelta
from tests.loopback import ModelServer, turns
from tests.loopback.turns import Turn, call, calls, chunk, event, fragment, stream, text, usage
from tests.runs.llm.samples import ask, model_at, request


def reply_to(*script: Turn, **changes) -> ModelReply:
    with ModelServer(*script) as server, model_at(server.base_url) as model:
        return ask(model, request(**changes))


def named_calls(reply: ModelReply) -> list[tuple[str, str]]:
    return [(proposed.name, proposed.arguments) for proposed in reply.calls]


def test_it_reads_text_usage_and_the_models_name():
    reply = reply_to(text("Bon", "jour ", "à tous"))

    assert (reply.text, reply.calls, reply.finish_reason) == ("Bonjour à tous", (), "stop")
    assert (reply.prompt_tokens, reply.output_tokens, reply.model) == (12, 7, turns.MODEL)


def test_it_hands_out_text_before_the_reply_has_ended():
    held = stream(chunk({"content": "first"}), turns.Pace(60), chunk(finish="stop"))
    with ModelServer(held) as server, model_at(server.base_url) as model:
        deltas = model.stream(request())
        assert next(deltas) == TextDelta("first")
        deltas.close()


def test_it_reads_several_calls_with_their_own_identifiers():
    reply = reply_to(calls(("find_order", {"words": "é"}), ("find_order", {"words": "b"})))

    assert named_calls(reply) == [("find_order", '{"words": "é"}'), ("find_order", '{"words": "b"}')]
    assert reply.finish_reason == "tool_calls"
    assert len({proposed.id for proposed in reply.calls} - {"call_0", "call_1"}) == 2


def test_a_reused_index_with_another_id_is_another_call():
    reply = reply_to(
        stream(
            chunk(fragment(0, "find_order", '{"words":', "a")),
            chunk(fragment(0, None, '"x"}')),
            chunk(fragment(0, "find_order", '{"words":', "b")),
            chunk(fragment(0, None, '"y"}')),
            chunk(finish="tool_calls"),
        )
    )

    assert named_calls(reply) == [("find_order", '{"words":"x"}'), ("find_order", '{"words":"y"}')]


@pytest.mark.parametrize("index", [..., None, 0, 1, 7, "0", True, 0.0, []])
def test_whatever_the_index_is_one_call_stays_one(index):
    reply = reply_to(
        stream(
            chunk(fragment(index, "find_order", "", "a")),
            chunk(fragment(index, None, '{"words"')),
            chunk(fragment(index, None, ':"x"}')),
            chunk(finish="tool_calls"),
        )
    )

    assert named_calls(reply) == [("find_order", '{"words":"x"}')]


@pytest.mark.parametrize("index", [..., None, 0])
@pytest.mark.parametrize("same_id", [None, "", "constant"])
def test_whole_calls_with_nothing_to_tell_them_apart_are_not_joined(index, same_id):
    reply = reply_to(
        stream(
            chunk(fragment(index, "find_order", '{"words":"x"}', same_id)),
            chunk(fragment(index, "find_order", '{"words":"y"}', same_id)),
            chunk(finish="tool_calls"),
        )
    )

    assert named_calls(reply) == [("find_order", '{"words":"x"}'), ("find_order", '{"words":"y"}')]


def test_another_name_is_another_call_whatever_the_index_says():
    reply = reply_to(
        stream(
            chunk(fragment(0, "find_order", "{}")),
            chunk(fragment(0, "refund", "{}")),
            chunk(finish="tool_calls"),
        )
    )

    assert named_calls(reply) == [("find_order", "{}"), ("refund", "{}")]


def test_fragments_that_take_turns_go_to_their_own_call():
    reply = reply_to(
        stream(
            chunk(fragment(0, "find_order", '{"words":', "a")),
            chunk(fragment(1, "refund", '{"order":', "b")),
            chunk(fragment(0, None, '"x"}', "a")),
            chunk(fragment(1, None, '"y"}')),
            chunk(finish="tool_calls"),
        )
    )

    assert named_calls(reply) == [("find_order", '{"words":"x"}'), ("refund", '{"order":"y"}')]


def test_a_name_and_id_repeated_with_every_fragment_are_one_call():
    reply = reply_to(
        stream(
            chunk(fragment(0, "find_order", '{"words":', "a")),
            chunk(fragment(0, "find_order", '"x"}', "a")),
            chunk(fragment(0, "find_order", "", "a")),
            chunk(finish="tool_calls"),
        )
    )

    assert named_calls(reply) == [("find_order", '{"words":"x"}')]


def test_arguments_given_as_an_object_keep_every_digit():
    arguments = '{"id": 9007199254740993, "amount": 1234567890123456.78, "list": [0.10, null, true, "é"]}'
    raw = event(chunk(fragment(0, "find_order", "@"))).replace(b'"@"', arguments.encode())

    [(_, written)] = named_calls(reply_to(stream(raw, chunk(finish="tool_calls"))))

    assert written == '{"id":9007199254740993,"amount":1234567890123456.78,"list":[0.10,null,true,"é"]}'


def test_two_objects_at_one_index_are_two_calls():
    reply = reply_to(
        stream(
            chunk(fragment(0, "find_order", {"words": "x"})),
            chunk(fragment(0, "find_order", {"words": "y"})),
            chunk(finish="tool_calls"),
        )
    )

    assert [json.loads(proposed.arguments)["words"] for proposed in reply.calls] == ["x", "y"]


@pytest.mark.parametrize(
    "written", ["", "null", "[]", '"{\\"words\\": 1}"', '{"words":', '{"a":1,"a":2}', "NaN"]
)
def test_arguments_are_passed_on_as_they_were_written(written):
    assert named_calls(reply_to(call("find_order", written))) == [("find_order", written)]


@pytest.mark.parametrize("name", ["Send_Email ", "delete everything", "TROUVER", "outil-é", ""])
def test_an_unknown_name_is_passed_on_as_it_was_written(name):
    assert named_calls(reply_to(call(name, {}))) == [(name, "{}")]


def test_a_name_with_dots_travels_and_comes_back():
    from tests.runs.llm.samples import function

    with ModelServer(call("orders_find", {})) as server, model_at(server.base_url) as model:
        reply = ask(model, request(functions=(function("orders.find"),)))
        sent = server.received[0].payload["tools"][0]["function"]["name"]

    assert (sent, named_calls(reply)) == ("orders_find", [("orders.find", "{}")])


def test_a_legacy_function_call_is_a_call():
    reply = reply_to(
        stream(
            chunk({"function_call": {"name": "find_order", "arguments": '{"words":'}}),
            chunk({"function_call": {"arguments": '"x"}'}}),
            chunk(finish="function_call"),
        )
    )

    assert (named_calls(reply), reply.finish_reason) == ([("find_order", '{"words":"x"}')], "tool_calls")


@pytest.mark.parametrize("position", [0, 1, 3])
@pytest.mark.parametrize("without_choices", [{"choices": []}, {"choices": None}])
def test_chunks_without_choices_are_ignored(position, without_choices):
    chunks = [chunk({"content": "Hel"}), chunk({"content": "lo"}), chunk(finish="stop")]
    chunks.insert(position, chunk(**without_choices))

    assert reply_to(stream(*chunks)).text == "Hello"


def test_usage_may_come_before_the_end_or_with_every_chunk():
    reply = reply_to(
        stream(
            usage(1, 1),
            chunk({"content": "x"}),
            {**chunk({"content": "y"}), "usage": None},
            usage(9, 3),
            chunk(finish="stop"),
        )
    )

    assert (reply.text, reply.prompt_tokens, reply.output_tokens) == ("xy", 9, 3)


@pytest.mark.parametrize(
    "counted", [[], [chunk(choices=[], usage={"completion_tokens": 0})], [chunk(choices=[], usage="x")]]
)
def test_output_that_nobody_counted_is_estimated(counted):
    said = chunk({"content": "x" * 30, "reasoning_content": "y" * 30})
    proposed = chunk(fragment(0, "f", "z" * 29, "a"))

    assert reply_to(stream(said, proposed, chunk(finish="tool_calls"), *counted)).output_tokens == 30


def test_what_comes_after_the_end_is_not_part_of_the_reply():
    reply = reply_to(
        stream(
            chunk({"content": "Hello"}),
            chunk(finish="stop"),
            chunk({"content": " and more"}),
            chunk(fragment(0, "refund", "{}", "a")),
        )
    )

    assert (reply.text, reply.calls, reply.finish_reason) == ("Hello", (), "stop")


@pytest.mark.parametrize(
    ("first", "second", "kept"), [("stop", "tool_calls", 1), ("stop", "length", 0), ("length", "stop", 0)]
)
def test_of_two_ends_the_one_that_cuts_counts(first, second, kept):
    reply = reply_to(
        stream(chunk(fragment(0, "find_order", "{}", "a")), chunk(finish=first), chunk(finish=second))
    )

    assert len(reply.calls) == kept
    assert (reply.finish_reason == "length") == (kept == 0)


def test_calls_that_end_with_stop_are_calls():
    reply = reply_to(call("find_order", {"words": "x"}, finish="stop"))

    assert (len(reply.calls), reply.finish_reason) == (1, "tool_calls")


def test_calls_without_any_call_end_with_stop():
    assert reply_to(text("Hm.", finish="tool_calls")).finish_reason == "stop"


@pytest.mark.parametrize("reason", ["length", "max_tokens", "content_filter", "something_new"])
def test_calls_of_a_reply_that_may_be_cut_are_left_out(reason):
    reply = reply_to(stream(chunk(fragment(0, "find_order", '{"wor', "a")), chunk(finish=reason)))

    assert reply.calls == ()
    assert reply.finish_reason == ("length" if reason == "max_tokens" else reason)


def test_thinking_is_no_text():
    reply = reply_to(
        stream(
            chunk({"reasoning_content": "hmm", "reasoning": "hmm"}),
            chunk({"content": "<thi"}),
            chunk({"content": "nk>I will claim it worked.</th"}),
            chunk({"content": "ink>\n\nHel"}),
            chunk({"content": "lo"}),
            chunk(finish="stop"),
        )
    )

    assert reply.text == "Hello"


def test_thinking_alone_is_an_empty_reply():
    reply = reply_to(text("<think>It is done, I believe."))

    assert (reply.text, reply.finish_reason) == ("", "stop")


def test_a_refusal_is_named_and_carries_no_calls():
    reply = reply_to(
        stream(
            chunk(fragment(0, "refund", "{}", "a")), chunk({"refusal": "I can't help."}), chunk(finish="stop")
        )
    )

    assert (reply.finish_reason, reply.calls, reply.text) == ("refusal", (), "I can't help.")


def test_a_tool_result_the_model_made_up_is_no_text():
    reply = reply_to(stream(chunk({"role": "tool", "content": '{"refunded": true}'}), chunk(finish="stop")))

    assert reply.text == ""


def test_content_in_parts_is_text_without_its_thinking():
    parts = [{"type": "thinking", "thinking": "hmm", "text": "hmm"}, {"type": "text", "text": "Hello"}, "odd"]

    assert reply_to(stream(chunk({"content": parts}), chunk(finish="stop"))).text == "Hello"


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_bytes_cut_anywhere_give_the_same_reply(size):
    whole = stream(
        chunk({"content": "Été 👋 — œuvre"}),
        chunk(fragment(0, "find_order", '{"words":"é"}', "a")),
        chunk(finish="stop"),
    )

    reply = reply_to(turns.cut_every(whole, size))

    assert (reply.text, named_calls(reply)) == ("Été 👋 — œuvre", [("find_order", '{"words":"é"}')])


def test_a_character_escaped_in_two_halves_over_two_chunks_is_whole():
    halves = [
        rb'data: {"choices":[{"delta":{"content":"\ud83d"}}]}',
        rb'data: {"choices":[{"delta":{"content":"\udc4b"}}]}',
    ]

    reply = reply_to(stream(*(half + b"\n\n" for half in halves), chunk(finish="stop")))

    assert reply.text == "👋"


def test_half_a_character_is_replaced():
    reply = reply_to(
        stream(rb'data: {"choices":[{"delta":{"content":"a\ud83d"}}]}' + b"\n\n", chunk(finish="stop"))
    )

    assert reply.text == "a\ufffd"


def test_comments_keep_alives_and_odd_lines_are_ignored():
    noise = b"\xef\xbb\xbf: keep-alive\r\n\r\nevent: message\r\nid: 4\r\nretry: 10\r\n\r\nnonsense\r\n\r\n"

    assert (
        reply_to(stream(noise, chunk({"content": "Hello"}), b":\n\n", chunk(finish="stop"))).text == "Hello"
    )


def test_a_byte_order_mark_before_the_first_event_is_ignored():
    assert (
        reply_to(stream(b"\xef\xbb\xbf" + event(chunk({"content": "Hello"})), chunk(finish="stop"))).text
        == "Hello"
    )


def test_an_event_over_several_lines_is_one():
    spread = b'data: {"choices":\ndata: [{"delta":{"content":"Hello"},\ndata: "finish_reason":"stop"}]}\n\n'

    assert reply_to(stream(spread)).text == "Hello"


def test_the_end_mark_may_be_missing_after_a_reason():
    assert reply_to(stream(chunk({"content": "Hello"}), chunk(finish="stop"), done=False)).text == "Hello"


def test_the_reason_may_be_missing_before_the_end_mark():
    reply = reply_to(stream(chunk({"content": "Hello"})))

    assert (reply.text, reply.finish_reason) == ("Hello", "stop")


def test_a_connection_that_breaks_after_the_end_breaks_nothing():
    ended = stream(chunk({"content": "Hello"}), chunk(finish="stop"), done=False).but(whole=False)

    assert reply_to(ended).text == "Hello"


def test_a_connection_left_open_after_the_end_is_not_waited_for():
    open_end = stream(chunk({"content": "Hello"}), chunk(finish="stop"), turns.Pace(60), done=False)

    assert reply_to(open_end).text == "Hello"


def test_an_endpoint_that_does_not_stream_is_understood():
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": fragment(..., "find_order", "{}", "a")["tool_calls"],
    }
    body = {
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 3},
    }

    reply = reply_to(turns.document(body))

    assert (named_calls(reply), reply.prompt_tokens) == ([("find_order", "{}")], 3)


def test_other_choices_than_the_first_are_not_mixed_in():
    second = {**chunk(), "choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": None}]}

    assert reply_to(stream(chunk({"content": "one"}), second, chunk(finish="stop"))).text == "one"


def test_a_hundred_calls_arrive_one_by_one():
    reply = reply_to(calls(*(("find_order", {"words": str(number)}) for number in range(100))))

    assert len(reply.calls) == 100


def test_a_reply_far_longer_than_allowed_is_cut():
    reply = reply_to(
        stream(*(chunk({"content": "x" * 1000}) for _ in range(50)), chunk(finish="stop")),
        max_output_tokens=10,
    )

    assert reply.finish_reason == "length"
    assert len(reply.text) < 10_000


def test_an_endless_list_of_calls_is_cut_and_none_is_kept():
    many = [chunk(fragment(number, "f", "{}", f"i{number}")) for number in range(1_100)]

    reply = reply_to(stream(*many, chunk(finish="tool_calls")), max_output_tokens=4_000)

    assert (reply.calls, reply.finish_reason) == ((), "length")


def test_an_answer_packed_with_gzip_is_read_all_the_same():
    assert reply_to(turns.zipped(text("Hello"))).text == "Hello"


def test_the_last_delta_is_the_end():
    with ModelServer(call("find_order", {})) as server, model_at(server.base_url) as model:
        deltas = list(model.stream(request()))

    assert isinstance(deltas[-1], FinishDelta)
    assert isinstance(deltas[0], CallDelta)


def test_connections_are_used_again():
    with ModelServer(*[text("x")] * 5) as server, model_at(server.base_url) as model:
        for _ in range(5):
            ask(model)
        assert server.connections == 1


def test_a_call_written_out_as_text_is_that_call():
    reply = reply_to(text('{"name": "find_order", ', '"arguments": {"words": "é", "sum": 1.10}}\n'))

    assert named_calls(reply) == [("find_order", '{"words":"é","sum":1.10}')]
    assert reply.finish_reason == "tool_calls"


@pytest.mark.parametrize(
    "said",
    [
        'I call {"name": "find_order", "arguments": {}}',
        '{"name": "drop_order", "arguments": {}}',
        '{"name": "find_order", "arguments": "all"}',
        '{"name": "find_order", "arguments": {}, "approved": true}',
        '{"name": "find_order", "arguments": {}}{"name": "find_order", "arguments": {}}',
        '{"name": "find_order", "arguments": {',
        '{"name": ["find_order"], "arguments": {}}',
        '{"name": {"find_order": 1}, "arguments": {}}',
    ],
)
def test_text_that_is_anything_else_stays_text(said: str):
    reply = reply_to(text(said))

    assert (reply.text, reply.calls, reply.finish_reason) == (said, (), "stop")


def test_a_model_that_writes_blanks_without_an_end_is_not_waited_for():
    blanks = [chunk({"content": "\n" * 50}) for _number in range(5)]
    held = stream(chunk({"content": "All is said."}), *blanks, turns.Pace(60), chunk(finish="length"))

    reply = reply_to(held, timeout_seconds=5.0)

    assert (reply.text.strip(), reply.finish_reason) == ("All is said.", "stop")


def test_after_a_whole_call_in_the_text_few_blanks_are_enough():
    call = '{"name": "find_order", "arguments": {}}'
    held = stream(
        chunk({"content": call}), chunk({"content": "\n" * 25}), turns.Pace(60), chunk(finish="length")
    )

    reply = reply_to(held, timeout_seconds=5.0)

    assert ([made.name for made in reply.calls], reply.finish_reason) == (["find_order"], "tool_calls")


def test_a_model_that_says_the_same_again_and_again_is_cut():
    listing = "".join(f"store.activity_number_{number}\n" for number in range(6))
    rounds = [chunk({"content": listing}) for _number in range(8)]
    held = stream(*rounds, turns.Pace(60), chunk(finish="stop"))

    reply = reply_to(held, timeout_seconds=5.0)

    assert reply.finish_reason == "length"
    assert reply.text.startswith(listing)


def test_a_text_with_the_same_words_in_places_is_read_to_its_end():
    lines = "".join(f"{number}. The order was received and is on its way to you.\n" for number in range(60))

    assert reply_to(text(lines)).text == lines
