"""The inbox's pages: for those who decide and nobody else; what cannot be used stays in its form."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from runs import actions, jobs
from runs.models import Escalation
from runs.states import EscalationState, Outcome, RunState
from tests.escalations.hands import REASON, approver, escalated, gives_up, opened
from tests.support.stage import effects
from tests.support.world import World, pending


def browser(user: User, **headers: str) -> Client:
    client = Client(headers=headers)
    client.force_login(user)
    return client


def address(escalation: Escalation, deed: str = "") -> str:
    return f"/inbox/{escalation.pk}/{deed}"


def test_the_list_shows_what_waits_to_who_decides(world: World) -> None:
    erin = approver(world, "erin")
    escalation = opened(escalated(world))
    page = browser(erin).get("/inbox/").content.decode()
    assert address(escalation) in page
    assert 'id="inbox-count"' in page
    for user in (world.owner, world.member, world.root):
        page = browser(user).get("/inbox/").content.decode()
        assert address(escalation) not in page
        assert "inbox-link" not in page


def test_owner_member_stranger_get_nothing(world: World) -> None:
    approver(world, "erin")
    escalation = opened(escalated(world))
    for user in (world.owner, world.member, world.stranger, world.root):
        client = browser(user)
        assert client.get(address(escalation)).status_code == 404
        posted = client.post(address(escalation, "decide"), {"kind": "close", "reason": "No."})
        assert posted.status_code == 404
    assert opened(escalation.run).state == EscalationState.OPEN
    assert Client().get(address(escalation)).status_code == 302


def test_the_page_says_why_and_whose_words_are_whose(world: World) -> None:
    erin = approver(world, "erin")
    page = browser(erin).get(address(opened(escalated(world)))).content.decode()
    for text in (
        REASON,
        "not verified",
        "Written by code",
        "Please reserve a lamp.",
        "Olive",
        "has(facts.reserve)",
    ):
        assert text in page
    assert "Reserve → " not in page  # nothing was found yet


def test_what_cannot_be_used_stays_in_its_form(world: World) -> None:
    erin = approver(world, "erin")
    escalation = opened(escalated(world))
    typed = {"kind": "act", "tool": "store.reserve", "param-item": "Purple lamp", "param-quantity": "7"}
    for headers in ({}, {"hx-request": "true"}):
        answer = browser(erin, **headers).post(address(escalation, "decide"), typed)
        page = answer.content.decode()
        assert answer.status_code == 422
        assert 'value="Purple lamp"' in page
        assert 'value="7"' in page
        assert "no record called" in page
    assert effects() == []


@pytest.mark.parametrize("kind", ["", "shout", "take'"])
def test_an_unknown_deed_decides_nothing(world: World, kind: str) -> None:
    erin = approver(world, "erin")
    escalation = opened(escalated(world))
    assert browser(erin).post(address(escalation, "decide"), {"kind": kind}).status_code == 422
    assert browser(erin).get(address(escalation, "decide")).status_code == 405
    assert opened(escalation.run).taken_by is None


def test_from_the_form_to_the_confirmation_to_the_end(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world, "write_off")
    escalation = opened(run)
    client = browser(erin)
    typed = {"kind": "act", "tool": "store.write_off", "param-item": "A-100", "param-quantity": "2"}
    assert client.post(address(escalation, "decide"), typed).status_code == 302
    jobs.run_drain(run.pk)
    (confirmation,) = pending(run)
    page = client.get(address(escalation)).content.decode()
    assert "Write off 2 of A-100." in page
    assert confirmation.digest in page
    owners = browser(world.owner).get(f"/conversations/{run.conversation_id}/").content.decode()
    assert confirmation.digest not in owners
    assert "Erin is deciding" in owners
    where = address(escalation, f"confirmations/{confirmation.pk}")
    wrong = client.post(where, {"decision": "confirm", "digest": "0" * 64})
    assert wrong.status_code == 409
    client.post(where, {"decision": "confirm", "digest": confirmation.digest})
    assert jobs.run_drain(run.pk).outcome == Outcome.SUCCEEDED
    assert effects() == ["write off A-100 x2"]
    owners = browser(world.owner).get(f"/conversations/{run.conversation_id}/").content.decode()
    assert "did it themselves" in owners


def test_who_comes_second_is_told_who_was_first(world: World) -> None:
    erin, frank = approver(world, "erin"), approver(world, "frank")
    run = escalated(world)
    escalation = opened(run)
    actions.escalation_close(user=erin, escalation_id=escalation.pk, reason="No lamps left.")
    answer = browser(frank, **{"hx-request": "true"}).post(
        address(escalation, "decide"), {"kind": "supply", "instruction": "A-100"}
    )
    # He had no hand in it, and it waits for nobody any more.
    assert answer.status_code in (404, 409)
    run.refresh_from_db()
    assert run.state == RunState.FINISHED


def test_the_number_of_queries_does_not_grow_with_what_waits(world: World) -> None:
    erin = approver(world, "erin")
    escalated(world)
    client = browser(erin)
    client.get("/inbox/")
    with CaptureQueriesContext(connection) as few:
        client.get("/inbox/")
    for _number in range(4):
        escalation = opened(world.play(world.start("Please reserve a lamp."), gives_up()))
        to = f"group:{world.keepers.pk}"
        actions.escalation_pass_on(user=erin, escalation_id=escalation.pk, to=to)
    with CaptureQueriesContext(connection) as many:
        assert client.get("/inbox/").content.decode().count("inbox__row") == 5
    assert len(many) <= len(few) + 5  # what the decisions and their groups need, read at once


def test_the_requester_withdraws_what_waits(world: World) -> None:
    approver(world, "erin")
    run = escalated(world)
    client = browser(world.owner)
    assert f"/runs/{run.pk}/stop" in client.get(f"/conversations/{run.conversation_id}/").content.decode()
    client.post(f"/runs/{run.pk}/stop", headers={"hx-request": "true"})
    run.refresh_from_db()
    assert run.outcome == Outcome.CANCELLED
    assert run.escalations.get().state == EscalationState.CLOSED


def test_the_requester_reads_the_state_and_the_end(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    talk = f"/conversations/{run.conversation_id}/"
    page = browser(world.owner).get(talk).content.decode()
    assert "Handed over to Approver" in page
    actions.escalation_take(user=erin, escalation_id=opened(run).pk)
    assert "Erin is on it" in browser(world.owner).get(talk).content.decode()
    actions.escalation_close(user=erin, escalation_id=opened(run).pk, reason="No lamps <left>.")
    page = browser(world.owner).get(talk).content.decode()
    assert "closed it as not done" in page
    assert "No lamps &lt;left&gt;." in page


def test_the_runs_page_tells_the_decider_the_whole_story(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    for user in (erin, world.owner):
        page = browser(user).get(f"/runs/{run.pk}/").content.decode()
        for text in ("somebody else decides", "It passes when", REASON, "Nothing was changed."):
            assert text in page
    for user in (world.member, world.stranger, world.root):
        assert browser(user).get(f"/runs/{run.pk}/").status_code == 404


def test_a_decider_without_the_tools_right_does_not_see_what_it_found(world: World) -> None:
    erin = approver(world, "erin", "nobody")
    run = escalated(world, passes_when="has(facts.reserve) && facts.reserve.quantity > 5")
    keeper = approver(world, "kim")
    actions.escalation_act(
        user=keeper, escalation_id=opened(run).pk, tool="store.reserve", params={"item": "A-200"}
    )
    jobs.run_drain(run.pk)
    assert (
        "A-200"
        in browser(keeper).get(f"/runs/{run.pk}/").content.decode().partition("Every event, in order")[0]
    )
    for where in (f"/runs/{run.pk}/", address(opened(run))):
        page = browser(erin).get(where).content.decode().partition("Every event, in order")[0]
        assert "you lack the right to see it" in page
        assert "A-200" not in page


def test_a_value_that_is_both_a_text_and_a_period_is_told(world: World) -> None:
    erin = approver(world, "erin")
    escalation = opened(escalated(world))
    both = {"kind": "supply", "answer-when": "now", "answer-when-start": "2025-01-01"}
    assert browser(erin).post(address(escalation, "decide"), both).status_code == 422
    assert opened(escalation.run).state == EscalationState.OPEN
