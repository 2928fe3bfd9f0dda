"""The chat's pages and deeds: whose they are, what they cost, and that text stays text."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from agentapp.kernel.canonical import digest
from runs.models import Confirmation, Conversation, Message, Run
from runs.states import ConfirmationState
from tests.chat import rows

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
HTMX = {"HTTP_HX_REQUEST": "true"}
NASTY = '<script>alert(1)</script><img src=x onerror=alert(1)><b hx-get="/x">b</b>'


@pytest.fixture
def talk(owner: User) -> Conversation:
    return rows.conversation(owner)


def pages(talk: Conversation, made: Run) -> list[str]:
    return [
        reverse("chat:conversation", args=[talk.pk]),
        reverse("chat:updates", args=[talk.pk]),
        reverse("chat:earlier", args=[talk.pk, made.pk]),
    ]


def test_a_conversation_is_its_owners_only(
    client_of: ClientOf, talk: Conversation, owner: User, member: User, stranger: User, auditor: User
) -> None:
    made = rows.run(talk)
    for page in pages(talk, made):
        assert client_of(owner).get(page).status_code == 200
        for other in (member, stranger, auditor):
            assert client_of(other).get(page).status_code == 404


def test_a_run_is_its_owners_and_the_auditors(
    client_of: ClientOf, talk: Conversation, owner: User, member: User, stranger: User, auditor: User
) -> None:
    page = reverse("chat:run", args=[rows.run(talk).pk])
    assert [client_of(each).get(page).status_code for each in (owner, auditor)] == [200, 200]
    assert [client_of(each).get(page).status_code for each in (member, stranger)] == [404, 404]


def test_who_may_only_read_is_led_to_the_runs(client_of: ClientOf, auditor: User, stranger: User) -> None:
    assert "You read what everybody asks for" in client_of(auditor).get(reverse("chat:home")).text
    assert "Nothing is offered to you" in client_of(stranger).get(reverse("chat:home")).text


def test_the_list_shows_what_one_may_see(
    client_of: ClientOf, talk: Conversation, owner: User, member: User, auditor: User
) -> None:
    rows.run(talk, "A very own request")
    runs = reverse("chat:runs")
    assert "A very own request" in client_of(owner).get(runs).text
    assert "A very own request" in client_of(auditor).get(runs).text
    assert "A very own request" not in client_of(member).get(runs).text
    assert "A very own request" not in client_of(auditor).get(runs, {"person": member.pk}).text
    assert (
        "A very own request"
        in client_of(auditor).get(runs, {"person": owner.pk, "outcome": "succeeded"}).text
    )
    assert "A very own request" not in client_of(auditor).get(runs, {"outcome": "failed"}).text


@pytest.mark.parametrize(
    "query",
    [
        {"before": "x"},
        {"person": "'"},
        {"since": "2025-13-45"},
        {"outcome": "?"},
        {"page": "-1"},
        {"q": "\x00"},
    ],
)
def test_odd_filters_are_no_filters(client_of: ClientOf, owner: User, query: dict[str, str]) -> None:
    assert client_of(owner).get(reverse("chat:runs"), query).status_code == 200
    assert client_of(owner).get(reverse("chat:conversations"), query).status_code == 200


def deeds(confirmation: Confirmation, talk: Conversation) -> list[tuple[str, dict[str, Any]]]:
    return [
        (reverse("chat:decide", args=[confirmation.pk]), {"decision": "confirm", "digest": rows.DIGEST}),
        (reverse("chat:stop", args=[confirmation.run_id]), {}),
        (reverse("chat:message", args=[talk.pk]), {"text": "x", "client_id": uuid4()}),
    ]


def test_deeds_on_other_peoples_things_find_nothing(
    client_of: ClientOf, talk: Conversation, member: User, stranger: User
) -> None:
    confirmation = rows.pending(talk)
    for other in (member, stranger):
        for address, data in deeds(confirmation, talk):
            assert client_of(other).post(address, data, **HTMX).status_code == 404
    confirmation.refresh_from_db()
    assert confirmation.state == ConfirmationState.PENDING


def test_reading_an_address_does_nothing(client_of: ClientOf, talk: Conversation, owner: User) -> None:
    confirmation = rows.pending(talk)
    for address, data in deeds(confirmation, talk):
        assert client_of(owner).get(address, data).status_code == 405
        assert client_of(owner).head(address, data).status_code == 405
    confirmation.refresh_from_db()
    assert confirmation.state == ConfirmationState.PENDING


def test_a_deed_from_another_site_is_refused(talk: Conversation, owner: User) -> None:
    confirmation = rows.pending(talk)
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    for address, data in deeds(confirmation, talk):
        assert client.post(address, data).status_code == 403
        assert client.post(address, data, headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"
    client.logout()
    for address, data in deeds(confirmation, talk):
        signed_out = client.post(address, data, headers={"HX-Request": "true"})
        assert "/accounts/" in signed_out.headers["HX-Redirect"]
    confirmation.refresh_from_db()
    assert confirmation.state == ConfirmationState.PENDING


@pytest.mark.parametrize("decision", ["", "true", "1", "yes", "approve", "CONFIRM", "confirm ", "null"])
def test_only_the_word_confirms(client_of: ClientOf, talk: Conversation, owner: User, decision: str) -> None:
    confirmation = rows.pending(talk)
    address = reverse("chat:decide", args=[confirmation.pk])
    answer = client_of(owner).post(address, {"decision": decision, "digest": rows.DIGEST}, **HTMX)
    assert answer.status_code == 422
    confirmation.refresh_from_db()
    assert confirmation.state == ConfirmationState.PENDING


def test_another_digest_decides_nothing_and_shows_what_stands(
    client_of: ClientOf, talk: Conversation, owner: User
) -> None:
    confirmation = rows.pending(talk)
    address = reverse("chat:decide", args=[confirmation.pk])
    answer = client_of(owner).post(address, {"decision": "confirm", "digest": "e" * 64}, **HTMX)
    assert answer.status_code == 409
    assert f'id="confirmation-{confirmation.pk}"' in answer.text
    confirmation.refresh_from_db()
    assert confirmation.state == ConfirmationState.PENDING


def test_the_first_message_sent_twice_is_one_conversation(client_of: ClientOf, owner: User) -> None:
    data = {"text": "Lend me a book", "client_id": uuid4()}
    places = {client_of(owner).post(reverse("chat:start"), data, **HTMX)["HX-Redirect"] for _ in range(2)}
    assert len(places) == 1
    assert Message.objects.count() == 1


def test_a_first_message_that_cannot_be_sent_leaves_no_conversation(client_of: ClientOf, owner: User) -> None:
    answer = client_of(owner).post(reverse("chat:start"), {"text": " ", "client_id": uuid4()}, **HTMX)
    assert answer.status_code == 422
    assert not Conversation.objects.exists()


def test_who_is_not_signed_in_is_led_to_the_sign_in_and_back(talk: Conversation) -> None:
    page = reverse("chat:conversation", args=[talk.pk])
    assert page in Client().get(page)["Location"]
    answer = Client().post(
        reverse("chat:message", args=[talk.pk]), HTTP_HX_CURRENT_URL=f"http://testserver{page}", **HTMX
    )
    assert "next=%2Fconversations" in answer["HX-Redirect"]


def test_text_is_never_code(client_of: ClientOf, owner: User) -> None:
    talk = rows.conversation(owner, NASTY)
    rows.run(talk, NASTY, answer=f"# {NASTY}\n\n![x](http://evil.example/x.png)")
    rows.pending(
        talk,
        summary=NASTY,
        recipient=NASTY,
        amount=NASTY,
        warning=NASTY,
        lines=[{"label": NASTY, "value": NASTY}],
    )
    page = client_of(owner).get(reverse("chat:conversation", args=[talk.pk])).text
    asked = rows.conversation(owner, "asked")
    rows.question(asked, NASTY, NASTY)
    page += client_of(owner).get(reverse("chat:conversation", args=[asked.pk])).text
    for dangerous in ("<script>alert", "<img src=x", '<b hx-get="/x">', 'evil.example/x.png"'):
        assert dangerous not in page


def queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


def test_the_number_of_queries_does_not_grow(client_of: ClientOf, owner: User) -> None:
    few, many = rows.conversation(owner, "few"), rows.conversation(owner, "many")
    for talk, number in ((few, 2), (many, 12)):
        lend = rows.activity(talk.workspace)
        for _ in range(number):
            rows.run(talk, activity=lend, revision=lend.revision)
        rows.pending(talk)
    client = client_of(owner)
    addresses = [reverse("chat:conversation", args=[talk.pk]) for talk in (few, many)]
    queries(client, addresses[0])  # the first request of a session writes it
    assert queries(client, addresses[0]) == queries(client, addresses[1])
    first = queries(client, reverse("chat:runs"))
    for _ in range(8):
        rows.run(many)
    assert queries(client, reverse("chat:runs")) == first


def test_the_pages_of_a_long_list_hold_everything_once(client_of: ClientOf, owner: User) -> None:
    talk = rows.conversation(owner)
    made = {str(rows.run(talk).pk) for _ in range(65)}
    address, seen = reverse("chat:runs"), []
    while address:
        page = client_of(owner).get(address)
        seen += [str(row.run.pk) for row in page.context["page"].rows]
        older = page.context["page"].older
        address = f"{reverse('chat:runs')}?before={older}" if older else ""
    assert len(seen) == len(set(seen)) == 65
    assert set(seen) == made


def test_a_run_is_downloaded_with_what_it_takes_to_verify_it(
    client_of: ClientOf, talk: Conversation, owner: User, member: User, stranger: User, auditor: User
) -> None:
    run = rows.run(talk)
    page = reverse("chat:run_export", args=[run.pk])
    assert [client_of(each).get(page).status_code for each in (member, stranger)] == [404, 404]
    assert client_of(owner).get(page).status_code == 200
    answer = client_of(auditor).get(page)
    assert answer["Content-Disposition"] == f'attachment; filename="run-{run.pk}.json"'
    file = answer.json()
    assert file["verification"]["ok"]
    assert file["report"]["run"]["id"] == str(run.pk)
    assert [event["seq"] for event in file["events"]] == list(range(1, len(file["events"]) + 1))
    previous = ""
    for event in file["events"]:
        said = {
            name: event[name] for name in ("stream", "workspace", "type", "actor", "actor_kind", "at", "data")
        }
        chained = {"body": digest(said), "previous": previous, "seq": event["seq"]}
        previous = digest(chained)
        assert event["hash"] == previous
    assert page in client_of(auditor).get(reverse("chat:run", args=[run.pk])).text


def test_titles_that_read_alike_are_told_apart_by_when_they_began(client_of: ClientOf, owner: User) -> None:
    """In the list there is room for the first words only."""
    titles = ("Refund invoice INV-2025-00123 because it broke", "Refund invoice INV-2025-00123 at once")
    begun = timezone.now().replace(year=2025, month=3, day=2, hour=9, minute=41)
    for title, minutes in ((titles[0], 0), (titles[1], 7), ("List the overdue invoices", 9)):
        made = rows.conversation(owner)
        at = begun + timedelta(minutes=minutes)
        Conversation.objects.filter(pk=made.pk).update(title=title, created_at=at)
    page = client_of(owner).get(reverse("chat:conversations"), **HTMX).text
    assert re.findall(r'conversation-link__begun muted">([^<]*)<', page) == [
        "2 Mar 2025 09:48",
        "2 Mar 2025 09:41",
    ]
