"""Conversations and messages: owner, another member, a stranger."""

import json
from uuid import uuid4

import pytest

from runs.models import Conversation, Message, Run
from runs.states import RunState
from tests.api.test_shape import error_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def mine(alice):
    return alice.post("/conversations").json()["id"]


def post(program, conversation, text="What's the weather in Lyon?", client_id=None):
    return program.post(
        f"/conversations/{conversation}/messages", {"text": text, "client_id": client_id or str(uuid4())}
    )


def test_it_lists_what_the_caller_may_ask_for(alice, chloe, farid):
    keys = [item["key"] for item in alice.get("/activities").json()]
    assert "refund_invoice" in keys
    assert keys
    assert all(
        item["examples"] and item["name"] and item["revision"] for item in alice.get("/activities").json()
    )
    assert "refund_invoice" not in [item["key"] for item in chloe.get("/activities").json()]
    assert farid.get("/activities").json() == []


def test_it_speaks_the_callers_language(alice, benoit):
    english, french = alice.get("/activities").json(), benoit.get("/activities").json()
    assert [item["key"] for item in english] == [item["key"] for item in french]
    assert all(one["name"] != other["name"] for one, other in zip(english, french, strict=True))


def test_it_begins_a_conversation(alice, mine):
    assert alice.get(f"/conversations/{mine}").json()["messages"] == []
    assert alice.get("/conversations").json()["items"] == []  # listed once something was said
    post(alice, mine)
    assert [item["id"] for item in alice.get("/conversations").json()["items"]] == [mine]


@pytest.mark.parametrize("who", ["benoit", "farid", "stranger"])
def test_somebody_elses_conversation_is_not_there(request, mine, who):
    """Another member, an auditor, a stranger: reading and writing alike."""
    other = request.getfixturevalue(who)
    error_of(other.get(f"/conversations/{mine}"), 404)
    error_of(post(other, mine), 404)
    assert not Message.objects.exists()
    assert mine not in other.get("/conversations").content.decode()


def test_an_invented_conversation_is_not_there(alice):
    error_of(alice.get(f"/conversations/{uuid4()}"), 404)
    error_of(post(alice, uuid4()), 404)


def test_a_message_is_taken_and_its_run_begun(alice, mine):
    response = post(alice, mine)
    assert response.status_code == 202
    body = response.json()
    assert (body["repeated"], body["answered"]) == (False, False)
    assert body["run"]["state"] == RunState.QUEUED
    assert body["message"]["run"] == body["run"]["id"]
    detail = alice.get(f"/conversations/{mine}").json()
    assert [item["text"] for item in detail["messages"]] == ["What's the weather in Lyon?"]
    assert [item["id"] for item in detail["runs"]] == [body["run"]["id"]]


def test_a_retry_is_one_message(alice, mine):
    client_id = str(uuid4())
    first, second = post(alice, mine, client_id=client_id), post(alice, mine, client_id=client_id)
    assert second.status_code == 202
    assert second.json()["repeated"]
    assert second.json()["message"] == first.json()["message"]
    assert second.json()["run"]["id"] == first.json()["run"]["id"]
    assert Message.objects.count() == Run.objects.count() == 1


def test_a_second_message_during_a_run_is_refused(alice, mine):
    post(alice, mine)
    assert error_of(post(alice, mine, "And tomorrow?"), 409)["code"] == "run_active"
    assert Message.objects.count() == 1


@pytest.mark.parametrize("text", ["", "   \n ", "\x00", "a" * 8_001, "é" * 100_000])
def test_a_text_that_cannot_be_one_is_refused(alice, mine, text):
    assert error_of(post(alice, mine, text), 422)
    assert not Message.objects.exists()
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a\x00b", "ab"),
        ("half \ud83d of it", "half \ufffd of it"),
        ("\u202ereversed", "reversed"),
        ("\u200fשלום", "\u200fשלום"),
        ("😀 d'été", "😀 d'été"),
    ],
)
def test_odd_characters_are_made_storable(alice, mine, sent, kept):
    body = post(alice, mine, sent).json()
    assert body["message"]["text"] == kept


@pytest.mark.parametrize(
    "change",
    [
        {"client_id": None},
        {"client_id": "x"},
        {"client_id": 7},
        {"text": None},
        {"text": 7},
        {"text": ["a"]},
        {"decision": "confirm"},
        {"approved": True},
    ],
)
def test_a_body_of_another_shape_is_refused(alice, mine, change):
    body = {"text": "Hello", "client_id": str(uuid4())} | change
    error_of(alice.post(f"/conversations/{mine}/messages", json.dumps(body)), 422)
    assert not Message.objects.exists()


def test_pages_follow_one_another(alice, alice_user, demo):
    made = [
        Conversation.objects.create(workspace=demo, user=alice_user, title="A").pk for _number in range(5)
    ]
    seen, cursor = [], ""
    while cursor is not None:
        page = alice.get(f"/conversations?limit=2{f'&before={cursor}' if cursor else ''}").json()
        seen += [item["id"] for item in page["items"]]
        cursor = page["next"]
    assert seen == [str(pk) for pk in reversed(made)]


def test_a_list_costs_the_same_whatever_its_length(alice, alice_user, demo, django_assert_max_num_queries):
    for _number in range(30):
        conversation = Conversation.objects.create(workspace=demo, user=alice_user, title="A")
        Run.objects.create(
            workspace=demo, user=alice_user, conversation=conversation, language="en", time_zone="UTC"
        )
    alice.get("/runs")
    for path in ("/conversations", "/runs"):
        with django_assert_max_num_queries(9):
            assert len(alice.get(path).json()["items"]) == 30


def test_it_finds_by_words_without_accents(alice, mine):
    post(alice, mine, "Une question sur l'été")
    assert [item["id"] for item in alice.get("/conversations?q=ETE").json()["items"]] == [mine]
    assert alice.get("/conversations?q=hiver").json()["items"] == []
    assert alice.get("/conversations?q=%00%25_").status_code == 200


@pytest.mark.parametrize("scope", ["read", "decide"])
def test_a_token_without_the_scope_cannot_write(alice_user, mine, scope):
    from tests.api.people import program

    error_of(post(program(alice_user, scope), mine), 403)
    error_of(program(alice_user, scope).post("/conversations"), 403)
