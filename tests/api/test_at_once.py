"""Many at once: the database lets one through."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from django.db import connection

from examples.billing import known
from examples.billing.models import Refund
from runs import jobs
from runs.models import Confirmation, Conversation, Message, Run
from runs.states import ConfirmationState, Outcome
from tests.api.conftest import small_demo
from tests.api.people import ask

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 10


@pytest.fixture
def demo(transactional_db):
    """Committed, so that every thread sees it."""
    return small_demo()


def at_once(count, act):
    """Call `act(number)` from threads that start together; return what they gave."""
    together = threading.Barrier(THREADS)

    def one(number):
        if number < THREADS:
            together.wait(30)
        try:
            return act(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(one, range(count)))


@pytest.fixture
def pending(alice):
    run = ask(alice, f"Refund invoice {known.REFUNDABLE_INVOICE}, the item arrived broken.")
    (found,) = alice.get(f"/runs/{run}/confirmations").json()
    return found


def test_fifty_decisions_are_one(alice, pending):
    body = {"decision": "confirm", "digest": pending["digest"]}
    answers = at_once(50, lambda _number: alice.post(f"/confirmations/{pending['id']}/decide", body))
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 49}
    at_once(THREADS, lambda _number: jobs.run_drain(UUID(pending["run"])))
    assert Run.objects.get(pk=pending["run"]).outcome == Outcome.SUCCEEDED
    assert Refund.objects.filter(invoice__number=known.REFUNDABLE_INVOICE).count() == 1


def test_a_refusal_and_a_confirmation_at_once_are_one_decision(alice, pending):
    words = ("confirm", "refuse")
    answers = at_once(
        THREADS,
        lambda number: alice.post(
            f"/confirmations/{pending['id']}/decide",
            {"decision": words[number % 2], "digest": pending["digest"]},
        ),
    )
    (taken,) = [answer.json()["state"] for answer in answers if answer.status_code == 200]
    assert Confirmation.objects.get(pk=pending["id"]).state == taken
    jobs.run_drain(UUID(pending["run"]))
    executed = Refund.objects.filter(invoice__number=known.REFUNDABLE_INVOICE).count()
    assert executed == (1 if taken == ConfirmationState.CONFIRMED else 0)


def test_twenty_messages_are_one_run(alice, alice_user, demo):
    conversation = Conversation.objects.create(workspace=demo, user=alice_user)
    path = f"/conversations/{conversation.pk}/messages"
    answers = at_once(
        20, lambda number: alice.post(path, {"text": f"Hello {number}", "client_id": str(uuid4())})
    )
    assert Counter(answer.status_code for answer in answers) == {202: 1, 409: 19}
    assert Run.objects.count() == Message.objects.count() == 1


def test_one_message_sent_twenty_times_is_one(alice, alice_user, demo):
    conversation = Conversation.objects.create(workspace=demo, user=alice_user)
    body = {"text": "Hello", "client_id": str(uuid4())}
    answers = at_once(20, lambda _number: alice.post(f"/conversations/{conversation.pk}/messages", body))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["run"]["id"] for answer in answers}) == 1
    assert [answer.json()["repeated"] for answer in answers].count(False) == 1
    assert Run.objects.count() == Message.objects.count() == 1
