"""Invariant 12: protected values stay out of the model's context unless three yeses allow it."""

import pytest

from accounts import actions as accounts
from activities.models import DiscoveryLog
from activities.tools import ToolUnavailable
from runs.llm.base import Purpose
from runs.llm.scripted import call
from runs.models import Run
from tests.support.blueprints import activity, prose, step, text_input, use
from tests.support.stage import raising, stage
from tests.support.store import SUPPLIER_MAIL
from tests.support.world import World, act, calls_of, final, pending, text_of

LOOK = act("find_items", {"words": "lamp"})
TWO = [step("find_items", key="look"), step("order", key="order")]
#: The order's recipient is left to the agent here.
ORDERING = activity(
    use("find_items"),
    use("order", to={"source": "agent"}),
    steps=TWO,
    outputs=[prose()],
    template={"en": "{{ output.intro }} {{ facts.find_items.items[0].contact }}"},
)


def ordered(to: str) -> object:
    return act("order", {"item": "A-100", "amount": "5", "to": to, "priority": None, "note": None})


def sent(world: World) -> str:
    return "\n".join(text_of(request) for request in world.requests())


def finish(world: World, run: Run, intro: str = "Written to [[email-1]].") -> Run:
    world.confirm(run)
    return world.play(run, call("write_answer", {"intro": intro}, purpose=Purpose.PROSE))


def test_no_request_carries_a_protected_value(world: World) -> None:
    world.publish(ORDERING)
    run = finish(world, world.run(LOOK, ordered("[[email-1]]")))
    assert run.outcome == "succeeded"
    assert SUPPLIER_MAIL not in sent(world)
    assert "AC-77-1" not in sent(world)
    assert "[[email-1]]" in sent(world)
    assert "[[account-1]]" in sent(world)


def test_a_token_is_restored_at_the_gate_and_in_the_answer(world: World) -> None:
    world.publish(ORDERING)
    run = world.run(LOOK, ordered("[[email-1]]"))
    assert pending(run)[0].preview["recipient"] == SUPPLIER_MAIL
    assert final(calls_of(run)[1])["to"] == SUPPLIER_MAIL
    run = finish(world, run)
    assert stage.sent[0][1].endswith(SUPPLIER_MAIL)
    assert run.outputs.get(name="intro").value == f"Written to {SUPPLIER_MAIL}."
    assert run.answer.count("lamps@supplier") == 2


def test_a_token_of_nothing_is_refused(world: World) -> None:
    world.publish(ORDERING)
    run = world.run(LOOK, ordered("[[email-7]]"), ordered("[[email-1]]"))
    assert [item.error_code for item in calls_of(run)] == ["", "unknown_token", ""]


def test_a_token_of_another_run_stands_for_nothing(world: World) -> None:
    world.publish(ORDERING)
    world.run(LOOK, ordered("[[email-1]]"))
    other = world.run(act("find_items", {"words": "nothing"}), ordered("[[email-1]]"), ordered("x@y.example"))
    assert calls_of(other)[1].error_code == "unknown_token"


def test_what_a_person_writes_is_projected(world: World) -> None:
    world.publish(activity(use("find_items"), inputs=[text_input("who", required=False)]))
    text = "Write to anna@secret.example, IBAN FR76 3000 6000 0112 3456 7890 189, card 4111 1111 1111 1111."
    world.run(act("find_items", {"words": None}), text=text, who="anna@secret.example")
    told = sent(world)
    for secret in ("anna@secret", "3000 6000", "4111"):
        assert secret not in told
    assert "[[email-1]]" in told


def test_an_error_of_a_tool_does_not_tell_it_either(world: World) -> None:
    world.publish(
        activity(
            use("find_items"),
            use("order", to={"source": "agent"}),
            use("notify"),
            steps=[step("find_items", key="look"), step("notify", "order", max_attempts=3)],
        )
    )
    stage.on("notify", raising(ToolUnavailable(f"{SUPPLIER_MAIL} did not answer.")))
    notify = act("notify", {"item": "A-100", "quantity": 1})
    world.run(LOOK, notify, notify, notify)
    assert SUPPLIER_MAIL not in sent(world)


@pytest.mark.parametrize(
    ("designer", "person", "seen"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_three_yeses_are_needed(world: World, designer: bool, person: bool, seen: bool) -> None:
    """The e-mail's contract allows it; the account's never does."""
    world.owner = accounts.profile_update(world.owner, raw_disclosure=person)
    world.publish(
        activity(
            use("find_items", disclose_raw=designer),
            use("reserve"),
            steps=[step("find_items", key="look"), step("reserve")],
        )
    )
    world.run(LOOK, act("reserve", {"item": "A-100", "quantity": 1}))
    assert (SUPPLIER_MAIL in sent(world)) is seen
    assert "AC-77-1" not in sent(world)


def test_the_designers_yes_holds_for_that_tool_only(world: World) -> None:
    world.owner = accounts.profile_update(world.owner, raw_disclosure=True)
    world.publish(ORDERING)
    world.run(LOOK, ordered("[[email-1]]"))
    assert SUPPLIER_MAIL not in sent(world)


def test_the_search_log_is_projected(world: World) -> None:
    world.publish(activity(use("find_items")))
    run = world.post("Handle what anna@secret.example wrote.")
    chosen = call("choose_activity", {"decision": "none", "activity": None, "alternatives": []})
    world.play(run, chosen)
    assert "anna@secret" not in DiscoveryLog.objects.get(run_id=run.pk).query


def test_an_input_the_designer_protects_is_a_token_in_words_and_data(world: World) -> None:
    world.publish(activity(use("find_items"), inputs=[text_input("patient", protected="name")]))
    world.run(LOOK, text="See to A-100 for Ada Lovelace.", patient="Ada Lovelace")

    assert "[[name-1]]" in sent(world)
    assert "Lovelace" not in sent(world)
