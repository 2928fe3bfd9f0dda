"""Names a model may call a tool by: exactly those that were offered."""

import json

import pytest

from accounts import access
from activities.actions import agent_import, revision_publish
from activities.models import DiscoveryLog
from runs.llm.base import Purpose
from runs.llm.scripted import call, calls
from tests.support.blueprints import activity, agent, use
from tests.support.stage import effects
from tests.support.world import World, act, refusals_of

NAMES = [
    "delete_everything",
    "Store_Reserve",
    "store_reserve ",
    " store_reserve",
    "STORE_RESERVE",
    "store-reserve",
    "store.reserve",
    "store_reserve_",
    "store__reserve",
    "storereserve",
    "reserve",
    "functions.store_reserve",
    "ѕtore_reserve",
    "store_reserve\x00",
    "store.reserve\x00",
    "store_reserve\u200b",
    "store.reserve\u202e",
    "",
    "x" * 500,
    "store_reserve\n",
    "__import__",
    "../store_reserve",
    "fill_inputs",
    "write_answer",
    "choose_activity",
]


def test_a_name_is_never_fuzzy_matched(world: World) -> None:
    world.publish(activity(use("reserve"), guardrails={"max_tool_calls": 100}))
    arguments = {"item": "A-100", "quantity": 1}
    run = world.run(calls(*[(name, arguments) for name in NAMES]), act("reserve", arguments))
    codes = refusals_of(run)
    wrong = {repr(name): code for name, code in zip(NAMES, codes, strict=False) if code != "not_in_step"}
    assert wrong == {}
    assert effects() == ["reserve A-100 x1"]
    assert run.tool_calls == len(NAMES) + 1


def test_an_unknown_name_is_told_to_the_model_and_the_run_goes_on(world: World) -> None:
    world.publish(activity(use("find_items")))
    world.run(act("nothing"), act("find_items", {"words": None}))
    history = world.requests()[1].messages
    assert [message.role for message in history[-2:]] == ["assistant", "tool"]
    assert "not_in_step" in history[-1].text
    assert "store_reserve" not in history[-1].text


@pytest.mark.parametrize("rounds", [1, 2])
def test_every_call_in_the_history_has_its_result(world: World, rounds: int) -> None:
    world.publish(activity(use("find_items"), use("reserve")))
    line = calls(("nothing", "{broken"), ("store_reserve", {"item": "A-100", "quantity": rounds}))
    world.run(*[line] * rounds, act("find_items", {"words": None}))
    for request in world.requests():
        wanted = [call.id for message in request.messages for call in message.calls]
        given = [message.call_id for message in request.messages if message.role == "tool"]
        assert wanted == given
        for message in request.messages:
            assert all(isinstance(json.loads(call.arguments), dict) for call in message.calls)
        assert len(set(given)) == len(given)


def test_keys_as_long_as_they_may_be_are_routed_to_and_logged(world: World) -> None:
    longest = "k" * 64
    draft = agent_import(
        agent(activity(use("reserve"), key=longest), key=longest),
        workspace=world.workspace,
        actor=world.designer,
    )
    access.grant("activities.use_agent", world.owner, draft.agent)
    revision_publish(draft, actor=world.designer)
    answer = {"decision": "activity", "activity": f"{longest}.{longest}", "alternatives": []}
    run = world.play(
        world.post(),
        call("choose_activity", answer, purpose=Purpose.ROUTE),
        act("reserve", {"item": "A-100", "quantity": 1}),
    )
    assert run.outcome == "succeeded"
    assert DiscoveryLog.objects.get(run_id=run.pk).chosen_key == f"{longest}.{longest}"
