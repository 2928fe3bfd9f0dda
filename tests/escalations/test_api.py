"""The inbox for programs: the same rights, the same actions."""

import pytest

from accounts.models import Scope, User
from runs import jobs
from runs.states import Outcome, RunState
from tests.api.people import Program, program
from tests.escalations.hands import REASON, approver, escalated, opened
from tests.support.world import World


def here(world: World, user: User, *scopes: Scope) -> Program:
    made = program(user, *scopes)
    made.workspace = world.workspace.slug
    return made


def test_list_and_detail_are_for_who_decides(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    escalation = opened(run)
    listed = here(world, erin).get("/inbox").json()["items"]
    assert [item["id"] for item in listed] == [str(escalation.pk)]
    whole = here(world, erin).get(f"/inbox/{escalation.pk}").json()
    assert (whole["summary"], whole["state"], whole["reason"]) == (REASON, "open", "agent")
    assert whole["story"]["run"]["id"] == str(run.pk)
    for user in (world.owner, world.member, world.root):
        assert here(world, user).get("/inbox").json()["items"] == []
        assert here(world, user).get(f"/inbox/{escalation.pk}").status_code == 404
    assert program(world.stranger).get(f"/inbox/{escalation.pk}").status_code == 404


def test_only_who_decides_decides(world: World) -> None:
    approver(world, "erin")
    escalation = opened(escalated(world))
    body = {"decision": "close", "reason": "No."}
    for user in (world.owner, world.member, world.stranger, world.root):
        assert program(user).post(f"/inbox/{escalation.pk}/decide", body).status_code == 404
    erin = User.objects.get(full_name="Erin")
    reading = program(erin, Scope.READ, Scope.WRITE)
    assert reading.post(f"/inbox/{escalation.pk}/decide", body).status_code == 403
    assert opened(escalation.run).pk == escalation.pk


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"decision": "shout"},
        {"decision": "close"},
        {"decision": "close", "reason": "No.", "instruction": "Yes."},
        {"decision": "supply"},
        {"decision": "act", "tool": "store.order", "params": {}},
        {"decision": "act", "tool": "store.reserve", "params": {"item": None}},
        {"decision": "pass_on", "to": "user:me"},
        {"decision": "take", "more": 1},
        {"decision": "close", "reason": 1},
    ],
)
def test_a_body_that_decides_nothing_is_told(world: World, body: dict[str, object]) -> None:
    erin = approver(world, "erin")
    escalation = opened(escalated(world))
    answer = here(world, erin).post(f"/inbox/{escalation.pk}/decide", body)
    assert answer.status_code == 422
    assert set(answer.json()["error"]) == {"code", "message", "data"}
    assert opened(escalation.run).pk == escalation.pk


def test_deciding_lets_the_run_go_on(world: World) -> None:
    erin = approver(world, "erin")
    run = escalated(world)
    escalation = opened(run)
    where = f"/inbox/{escalation.pk}/decide"
    taken = here(world, erin).post(where, {"decision": "take"})
    assert (taken.status_code, taken.json()["taken_by"]) == (202, str(erin.pk))
    body = {"decision": "act", "tool": "store.reserve", "params": {"item": "A-100", "quantity": 3}}
    answer = here(world, erin).post(where, body)
    assert answer.status_code == 202
    assert [item["kind"] for item in answer.json()["decisions"]] == ["take", "act"]
    assert jobs.run_drain(run.pk).outcome == Outcome.SUCCEEDED
    late = here(world, erin).post(where, {"decision": "close", "reason": "No."})
    assert late.status_code == 409
    assert "Erin already did this" in late.json()["error"]["message"]


def test_who_lacks_the_tools_right_is_not_told_its_results(world: World) -> None:
    keeper, erin = approver(world, "kim"), approver(world, "erin", "nobody")
    run = escalated(world, passes_when="has(facts.reserve) && facts.reserve.quantity > 5")
    escalation = opened(run)
    body = {"decision": "act", "tool": "store.reserve", "params": {"item": "A-200"}}
    here(world, keeper).post(f"/inbox/{escalation.pk}/decide", body)
    assert jobs.run_drain(run.pk).state == RunState.ESCALATED
    for path in (f"/inbox/{escalation.pk}", f"/runs/{run.pk}", f"/runs/{run.pk}/tool-calls"):
        assert "A-200" in here(world, keeper).get(path).content.decode()
        assert "A-200" not in here(world, erin).get(path).content.decode()
