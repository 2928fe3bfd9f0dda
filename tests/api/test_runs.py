"""Runs: reading, following, answering, deciding, stopping: owner, another member, auditor, stranger."""

import json
from uuid import uuid4

import pytest

from accounts import access
from accounts.models import AuditEvent
from examples.billing import known
from examples.billing.models import Refund
from runs import jobs
from runs.models import Confirmation, Run
from runs.states import CallState, ConfirmationState, Outcome, RunState
from tests.api.people import ask, program
from tests.api.test_shape import error_of

pytestmark = pytest.mark.django_db

REFUND = f"Refund invoice {known.REFUNDABLE_INVOICE}, the item arrived broken."
WEATHER = "What's the weather in Lyon?"


@pytest.fixture
def declined(alice) -> str:
    """A run that is over."""
    return ask(alice, WEATHER)


@pytest.fixture
def pending(alice) -> dict:
    """A confirmation that waits for Alice."""
    (found,) = alice.get(f"/runs/{ask(alice, REFUND)}/confirmations").json()
    assert found["state"] == ConfirmationState.PENDING
    return found


@pytest.fixture
def question(alice) -> dict:
    """A question that waits for Alice."""
    run = ask(alice, f"Analyse my relationship with {known.NAMESAKES_NAME} over the past year.")
    (found,) = alice.get(f"/runs/{run}/questions").json()
    return found | {"run": run}


def decide(who, confirmation, decision="confirm", **changes):
    body = {"decision": decision, "digest": confirmation["digest"]} | changes
    return who.post(f"/confirmations/{confirmation['id']}/decide", json.dumps(body))


def nothing_decided(confirmation):
    row = Confirmation.objects.get(pk=confirmation["id"])
    assert (row.state, row.decided_at) == (ConfirmationState.PENDING, None)
    assert row.call.state == CallState.AWAITING
    assert row.run.state == RunState.AWAITING
    assert not Refund.objects.filter(idempotency_key=row.call.idempotency_key).exists()


# Reading


def test_it_reads_a_run_whole(alice, declined):
    report = alice.get(f"/runs/{declined}").json()
    assert set(report) == {
        "run",
        "steps",
        "tool_calls",
        "confirmations",
        "events",
        "usage",
        "model",
        "failures",
        "plan",
        "searches",
    }
    assert report["run"]["outcome"] == Outcome.DECLINED
    assert [event["seq"] for event in report["events"]] == list(range(1, len(report["events"]) + 1))


PARTS = ("", "/tool-calls", "/confirmations", "/questions", "/events")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    ("who", "status"), [("alice", 200), ("farid", 200), ("benoit", 404), ("stranger", 404)]
)
def test_who_reads_a_run(request, pending, part, who, status):
    """The owner and an auditor do; another member and a stranger do not."""
    assert request.getfixturevalue(who).get(f"/runs/{pending['run']}{part}").status_code == status


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("run_id", ["0198c0de-0000-7000-8000-000000000000", "1", "null", "%2e%2e", "x" * 36])
def test_an_invented_run_is_not_there(alice, part, run_id):
    error_of(alice.get(f"/runs/{run_id}{part}"), 404)


def test_an_auditor_of_another_workspace_reads_nothing(declined, other_auditor):
    error_of(other_auditor.get(f"/runs/{declined}"), 404)
    assert other_auditor.get("/runs").json()["items"] == []


def test_lists_hold_what_the_caller_may_see(alice, benoit, farid, stranger, declined):
    def listed(who):
        return [item["id"] for item in who.get("/runs").json()["items"]]

    assert listed(alice) == listed(farid) == [declined]
    assert listed(benoit) == listed(stranger) == []


def test_events_follow_one_another(alice, pending):
    path = f"/runs/{pending['run']}/events"
    every = alice.get(path).json()
    assert every["last"] == len(every["items"])
    some = alice.get(f"{path}?since=2&limit=3").json()
    assert [item["seq"] for item in some["items"]] == [3, 4, 5]
    assert some["last"] == 5
    end = alice.get(f"{path}?since={every['last']}").json()
    assert end == {"items": [], "last": every["last"]}


@pytest.mark.parametrize("since", ["-1", "x", "1.5", "99999999999999999999", "", "%00"])
def test_a_number_that_is_none_is_refused(alice, declined, since):
    error_of(alice.get(f"/runs/{declined}/events?since={since}"), 422)


def test_tool_calls_say_where_values_came_from(alice, pending):
    calls = alice.get(f"/runs/{pending['run']}/tool-calls").json()
    refund = next(call for call in calls if call["tool"] == "billing.refund_invoice")
    assert refund["state"] == CallState.AWAITING
    assert refund["risk"] == "high"
    invoice = refund["arguments"]["invoice"]
    assert invoice["value"] == known.REFUNDABLE_INVOICE
    assert invoice["provenance"]
    assert invoice["origin"]


# Deciding


def test_a_confirmation_shows_what_will_happen(pending):
    assert pending["preview"]["summary"]
    assert pending["preview"]["amount"]
    assert len(pending["digest"]) == 64


def test_confirming_runs_it_once(alice, pending):
    response = decide(alice, pending)
    assert response.status_code == 200, response.content
    assert response.json()["state"] == ConfirmationState.CONFIRMED
    assert jobs.run_drain(Run.objects.get(pk=pending["run"]).pk).outcome == Outcome.SUCCEEDED
    assert Refund.objects.filter(invoice__number=known.REFUNDABLE_INVOICE).count() == 1
    error_of(decide(alice, pending), 409)
    error_of(decide(alice, pending, "refuse"), 409)
    assert Refund.objects.filter(invoice__number=known.REFUNDABLE_INVOICE).count() == 1


def test_refusing_runs_nothing(alice, pending):
    assert decide(alice, pending, "refuse").json()["state"] == ConfirmationState.REFUSED
    assert jobs.run_drain(Run.objects.get(pk=pending["run"]).pk).outcome == Outcome.REFUSED
    assert not Refund.objects.filter(invoice__number=known.REFUNDABLE_INVOICE).exists()
    error_of(decide(alice, pending), 409)


@pytest.mark.parametrize("who", ["benoit", "farid", "stranger"])
def test_nobody_else_decides(request, pending, who):
    response = decide(request.getfixturevalue(who), pending)
    assert response.status_code in (403, 404)
    nothing_decided(pending)


@pytest.mark.parametrize(
    "decision",
    [
        None,
        "",
        "false",
        "true",
        "yes",
        "Confirm",
        "CONFIRM",
        " confirm",
        "confirm ",
        "confirm\x00",
        "confirmed",
        "c\u043enfirm",
        "\ud83dconfirm",
        "approve",
        "refuse;confirm",
        0,
        1,
        True,
        False,
        [],
        ["confirm"],
        {},
        {"decision": "confirm"},
        1e400,
    ],
)
def test_only_the_two_words_decide(alice, pending, decision):
    response = decide(alice, pending, decision)
    assert response.status_code in (400, 422)
    assert error_of(response, response.status_code)
    nothing_decided(pending)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{}",
        "null",
        "[]",
        '"confirm"',
        '{"digest": "DIGEST"}',
        '{"decision": "confirm"}',
        '{"decision": "confirm", "digest": null}',
        '{"decision": "confirm", "digest": ""}',
        '{"decision": "refuse", "decision": "confirm", "digest": "DIGEST"}',
        '{"decision": "confirm", "digest": "DIGEST", "arguments": {"amount": "1"}}',
        '{"decision": "confirm", "digest": "DIGEST", "approved": true}',
        '{"decision": "confirm", "digest": "DIGEST"',
    ],
)
def test_a_body_of_another_shape_decides_nothing(alice, pending, body):
    response = alice.post(f"/confirmations/{pending['id']}/decide", body.replace("DIGEST", pending["digest"]))
    assert response.status_code in (400, 422)
    assert error_of(response, response.status_code)
    nothing_decided(pending)


def test_another_digest_decides_nothing(alice, pending):
    response = decide(alice, pending, digest="0" * 64)
    assert response.status_code in (409, 422)
    nothing_decided(pending)


def test_an_invented_confirmation_decides_nothing(alice, pending):
    error_of(decide(alice, pending | {"id": uuid4()}), 404)
    error_of(decide(alice, pending | {"id": pending["tool_call"]}), 404)
    error_of(decide(alice, pending | {"id": pending["run"]}), 404)
    nothing_decided(pending)


@pytest.mark.parametrize("scope", ["read", "write"])
def test_a_token_without_the_scope_cannot_decide(alice_user, pending, scope):
    error_of(decide(program(alice_user, scope), pending), 403)
    nothing_decided(pending)


def test_a_revoked_token_cannot_decide(alice, alice_user, pending):
    alice_user.api_tokens.update(revoked_at="2026-01-01T00:00:00Z")
    error_of(decide(alice, pending), 401)
    nothing_decided(pending)


@pytest.mark.parametrize(
    "text", ["confirm", "Yes, I approve. Do it.", '{"decision": "confirm", "approved": true}', "/confirm"]
)
def test_a_text_is_not_an_approval(alice, pending, text):
    conversation = alice.get(f"/runs/{pending['run']}").json()["run"]["conversation"]
    body = {"text": text, "client_id": str(uuid4())}
    refusal = error_of(alice.post(f"/conversations/{conversation}/messages", body), 409)
    assert refusal["code"] == "confirmation_pending"
    nothing_decided(pending)


def test_a_right_that_was_taken_away_runs_nothing(alice, demo, pending):
    """Between the approval and the execution."""
    assert decide(alice, pending).status_code == 200
    group = access.workspace_group(demo, "Billing refunds")
    access.revoke("billing.refund_invoice", group)
    assert jobs.run_drain(Run.objects.get(pk=pending["run"]).pk).outcome != Outcome.SUCCEEDED
    assert not Refund.objects.filter(invoice__number=known.REFUNDABLE_INVOICE).exists()


# Answering


def test_a_question_is_answered_with_a_candidate(alice, question):
    field = question["fields"][0]
    value = field["candidates"][0]["value"]
    response = alice.post(f"/questions/{question['id']}/answer", {"values": {field["name"]: value}})
    assert response.status_code == 202, response.content
    assert jobs.run_drain(Run.objects.get(pk=question["run"]).pk).outcome == Outcome.SUCCEEDED
    error_of(alice.post(f"/questions/{question['id']}/answer", {"values": {field["name"]: value}}), 409)


@pytest.mark.parametrize("who", ["benoit", "farid", "stranger"])
def test_nobody_else_answers(request, question, who):
    field = question["fields"][0]
    body = {"values": {field["name"]: field["candidates"][0]["value"]}}
    response = request.getfixturevalue(who).post(f"/questions/{question['id']}/answer", body)
    assert response.status_code in (403, 404)
    assert Run.objects.get(pk=question["run"]).state == RunState.NEEDS_INPUT


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        '{"values": null}',
        '{"values": []}',
        '{"values": {}}',
        '{"values": {"nothing_of_the_kind": "x"}}',
        '{"values": {"FIELD": ""}}',
        '{"values": {"FIELD": "C-9999"}}',
        '{"values": {"FIELD": "nobody of this name"}}',
        '{"values": {"FIELD": null}}',
        '{"values": {"FIELD": {"a": [1]}}}',
        '{"values": {"FIELD": ["C-0101", "C-0102"]}}',
        '{"values": {"FIELD": []}}',
        '{"values": {"FIELD": 7}}',
        '{"values": {"FIELD": true}}',
        '{"values": {"FIELD": "\\u0000"}}',
        '{"values": {"FIELD": "\\ud83d"}}',
        '{"values": {"FIELD": "C-0101", "FIELD": "C-0102"}}',
    ],
)
def test_a_useless_answer_answers_nothing(alice, question, body):
    sent = body.replace("FIELD", question["fields"][0]["name"])
    response = alice.post(f"/questions/{question['id']}/answer", sent)
    assert response.status_code in (400, 422), response.content
    error_of(response, response.status_code)
    assert Run.objects.get(pk=question["run"]).state == RunState.NEEDS_INPUT


def test_a_message_answers_an_open_question(alice, question):
    conversation = alice.get(f"/runs/{question['run']}").json()["run"]["conversation"]
    body = {"text": question["fields"][0]["candidates"][0]["value"], "client_id": str(uuid4())}
    posted = alice.post(f"/conversations/{conversation}/messages", body).json()
    assert posted["answered"]
    assert posted["run"]["id"] == question["run"]


def test_an_invented_question_is_not_there(alice):
    error_of(alice.post(f"/questions/{uuid4()}/answer", {"values": {}}), 404)


# Stopping


def test_the_owner_stops_a_run(alice, pending):
    assert alice.post(f"/runs/{pending['run']}/stop").status_code == 202
    jobs.run_drain(Run.objects.get(pk=pending["run"]).pk)
    assert alice.get(f"/runs/{pending['run']}").json()["run"]["outcome"] == Outcome.CANCELLED
    error_of(decide(alice, pending), 409)
    assert not Refund.objects.filter(invoice__number=known.REFUNDABLE_INVOICE).exists()


@pytest.mark.parametrize("who", ["benoit", "farid", "stranger"])
def test_nobody_else_stops_a_run(request, pending, who):
    response = request.getfixturevalue(who).post(f"/runs/{pending['run']}/stop")
    assert response.status_code in (403, 404)
    nothing_decided(pending)


def test_a_run_that_is_over_cannot_be_stopped(alice, declined):
    error_of(alice.post(f"/runs/{declined}/stop"), 409)


def test_a_reading_token_cannot_stop(alice_user, pending):
    error_of(program(alice_user, "read").post(f"/runs/{pending['run']}/stop"), 403)
    nothing_decided(pending)


# Looking changes nothing


def test_looking_changes_nothing(alice, pending, question):
    """GET and HEAD on every address, as a link scanner would, those that write three times."""
    before = snapshot()
    for path in every_address(pending, question):
        writes = path.split("?")[0].rsplit("/")[-1] in ("messages", "answer", "decide", "stop")
        for method in ("GET", "HEAD") * (3 if writes else 1):
            assert alice.call(method, path).status_code in ((405,) if writes else (200,))
    assert snapshot() == before
    nothing_decided(pending)


def every_address(pending, question):
    from agentapp.api import api

    ids = {
        "conversation_id": str(Run.objects.get(pk=pending["run"]).conversation_id),
        "run_id": pending["run"],
        "question_id": question["id"],
        "confirmation_id": pending["id"],
    }
    # Escalations have tests of their own; none is open here.
    known = [path for path in api.get_openapi_schema()["paths"] if "{escalation_id}" not in path]
    paths = [path.removeprefix("/api/v1").format(**ids) for path in known]
    assert len(paths) >= 13
    return [*paths, f"/confirmations/{pending['id']}/decide?decision=confirm&digest={pending['digest']}"]


def snapshot():
    runs = list(Run.objects.order_by("pk").values_list("pk", "state", "outcome", "stop_requested", "fence"))
    decided = list(Confirmation.objects.order_by("pk").values_list("pk", "state", "decided_at"))
    return runs, decided, AuditEvent.objects.count(), Refund.objects.count()
