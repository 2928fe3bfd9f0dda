"""Endpoints with their own ideas of the protocol: refused once, understood afterwards."""

import pytest

from agentapp.kernel.errors import ModelUnavailable
from runs.llm.profiles import DEFAULT, Profile, adapted, profile_for
from tests.loopback import ModelServer, rules
from tests.loopback.turns import call, text
from tests.runs.llm.samples import ask, exchange, function, model_at, request

DIALECTS = [
    (rules.no_strict, {}),
    (rules.strict_refused_for("find_order"), {}),
    (rules.needs_max_completion_tokens, {}),
    (rules.no_stream_options, {}),
    (rules.no_temperature, {}),
    (rules.no_required, {}),
    (rules.content_is_null, {}),
    (rules.no_content_beside_calls, {}),
    (rules.tools_with_calls, {"tool_choice": "none"}),
    (rules.nine_character_ids, {}),
]


@pytest.mark.parametrize(("rule", "changes"), DIALECTS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_dialect_is_learned_once(rule, changes):
    asked = request(*exchange("a"), *exchange("b", text="I look."), **changes)
    with ModelServer(*[text("ok")] * 3, extra_rules=(rule,)) as server, model_at(server.base_url) as model:
        ask(model, asked)
        learned = len(server.refused)
        assert [ask(model, asked).text, ask(model, asked).text] == ["ok", "ok"]

    assert len(server.refused) == learned <= 2


def test_all_dialects_at_once_are_learned_too():
    contradicting = (rules.content_is_null, rules.strict_refused_for("find_order"))
    every = tuple(rule for rule, _ in DIALECTS if rule not in contradicting)
    with ModelServer(call("find_order", {}), extra_rules=every) as server, model_at(server.base_url) as model:
        assert len(ask(model, request(*exchange("a", text="I look."))).calls) == 1


def test_an_endpoint_that_wants_text_gets_text():
    with (
        ModelServer(text("ok"), extra_rules=(rules.content_is_text,)) as server,
        model_at(server.base_url) as model,
    ):
        assert ask(model, request(*exchange("a"))).text == "ok"
    assert server.refused == []


def test_an_older_limit_is_tried_when_the_newer_is_refused():
    newer = Profile(output_limit="max_completion_tokens")
    with ModelServer(text("ok"), extra_rules=(rules.needs_max_tokens,)) as server:
        with model_at(server.base_url, profile=newer) as model:
            assert ask(model).text == "ok"
        assert server.received[0].payload["max_tokens"] == 400


def test_only_auto_is_enough():
    with (
        ModelServer(text("ok"), extra_rules=(rules.only_auto,)) as server,
        model_at(server.base_url) as model,
    ):
        ask(model)
        assert server.received[0].payload["tool_choice"] == "auto"


def test_one_refused_schema_makes_one_function_loose():
    loose = function("find_order", when={"oneOf": [{"type": "string"}]})
    with ModelServer(text("ok")) as server, model_at(server.base_url) as model:
        ask(model, request(functions=(loose, function("refund"))))
        sent = [tool["function"] for tool in server.received[0].payload["tools"]]

    assert [(tool["name"], tool.get("strict", False)) for tool in sent] == [
        ("find_order", False),
        ("refund", True),
    ]


def test_a_form_that_was_not_accepted_in_the_end_is_not_remembered():
    def never(payload):
        return "strict is not permitted"

    with ModelServer(extra_rules=(never,)) as server, model_at(server.base_url) as model:
        with pytest.raises(ModelUnavailable):
            ask(model)
        with pytest.raises(ModelUnavailable):
            ask(model)

    assert len(server.refused) == 4


@pytest.mark.parametrize(
    "refusal",
    [
        "This model's maximum context length is 8192 tokens, tools included.",
        "The response was filtered: content management policy",
        "something else",
        "",
    ],
)
def test_what_no_form_can_mend_is_left_alone(refusal):
    assert adapted(DEFAULT, refusal) is None


def test_every_change_ends():
    profile, steps = DEFAULT, 0
    words = "max_tokens stream_options temperature tool_choice strict not both null content tools"
    while (changed := adapted(profile, words)) is not None:
        profile, steps = changed, steps + 1
        assert steps < 20


def test_known_addresses_have_their_profile():
    assert profile_for("https://api.openai.com/v1").output_limit == "max_completion_tokens"
    assert profile_for("https://api.mistral.ai/v1").required == "any"
    assert profile_for("http://127.0.0.1:8080/v1") == DEFAULT
    assert profile_for("https://api.openai.com.example.org/v1") == DEFAULT
