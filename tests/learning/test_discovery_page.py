"""The pages on discovery: three people, what they count and list, and what is done there."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import access
from accounts.models import AuditEvent, Role, User
from activities.discovery.embedding.chosen import search_embedder
from activities.discovery.index import refresh
from activities.models import Card, CardPhrase, DiscoveryCandidate, DiscoveryLog, EmbedderState
from runs.models import Missed, Run
from runs.models.missed import MissCause
from tests.desk.conftest import at
from tests.learning.asking import conversation, led, looked, nothing_fits, publish, refused, say
from tests.support.world import World

SignIn = Callable[..., Client]
PAGES = [
    "desk_discovery",
    "desk_discovery_requests",
    "desk_discovery_missed",
    "desk_discovery_unmet",
    "desk_discovery_words",
    "desk_discovery_alike",
    "desk_discovery_index",
]


@pytest.fixture(autouse=True)
def published(world: World) -> None:
    publish(world)


def page(client: Client, name: str, *args: Any, **query: Any) -> str:
    answer = client.get(at(name, *args), query)
    assert answer.status_code == 200, name
    return str(answer.content.decode())


def log(world: World, **changes: Any) -> DiscoveryLog:
    at_ = changes.pop("at", None)
    values = {
        "workspace": world.workspace,
        "user": world.owner,
        "agents": ["store"],
        "stage": "route",
        "query": "Who has the lamps?",
        "language": "en",
        "permitted": 3,
        "shown": 3,
        "decision": "none",
        "milliseconds": 10,
    }
    row = DiscoveryLog.objects.create(**values | changes)
    if at_ is not None:
        DiscoveryLog.objects.filter(pk=row.pk).update(at=at_)
    return row


def test_only_designers_of_the_workspace_find_it(world: World, desk: Client, sign_in: SignIn) -> None:
    run = refused(world)
    row = DiscoveryLog.objects.get(run_id=run.pk)
    world.stranger.groups.add(access.role_group(world.elsewhere, Role.DESIGNER))
    own = [at(name) for name in PAGES]
    assert all(desk.get(url).status_code == 200 for url in [*own, at("desk_discovery_request", row.pk)])
    for person in (world.owner, world.root):
        client = sign_in(person)
        assert {client.get(url).status_code for url in own} == {404}
        assert client.get(at("desk_discovery_request", row.pk)).status_code == 404
        assert client.post(at("desk_discovery_request", row.pk), {"text": "lamps"}).status_code == 404
    elsewhere = sign_in(world.stranger)
    assert "lamps" not in page(elsewhere, "desk_discovery_requests")
    assert elsewhere.get(at("desk_discovery_requests"), {"workspace": "here"}).status_code == 404
    assert elsewhere.get(at("desk_discovery_request", row.pk)).status_code == 404
    assert elsewhere.post(at("desk_discovery_name", row.pk)).status_code == 404
    assert sign_in(world.designer, staff=False).get(own[0]).status_code == 302


def test_a_request_of_elsewhere_appears_nowhere(world: World, desk: Client) -> None:
    log(world, workspace=world.elsewhere, user=world.stranger, query="Where is the secret safe?")
    for name in PAGES:
        assert "safe" not in page(desk, name)
    assert ">0<" in page(desk, "desk_discovery").split("desk-figures")[1][:300]


def figures(client: Client, **query: Any) -> Any:
    return client.get(at("desk_discovery"), query).context["rates"]


def test_what_is_counted(world: World, desk: Client) -> None:
    now = timezone.now()
    for decision, milliseconds in (("activity", 10), ("several", 20), ("unclear", 30), ("none", 90)):
        log(world, decision=decision, milliseconds=milliseconds, rewritten_query="x" * (decision == "none"))
    log(world, decision="found", stage="tools", agents=["other"])
    log(world, decision="all", stage="tools", milliseconds=9_999)
    log(world, decision="none", trial=True)
    overlooked = log(world, decision="none", at=now - timedelta(days=3))
    log(world, decision="none", at=now - timedelta(days=40))
    for key in ("store.look", "store.order"):
        missed(world, overlooked, key)
    missed(world, None, "store.look", cause=MissCause.EXPECTED)
    whole = figures(desk).whole
    assert (whole.searches, whole.found, whole.unclear, whole.none) == (6, 3, 1, 2)
    assert (whole.rewritten, whole.missed, whole.median, whole.percentile_95) == (1, 1, 10, 90)
    assert round(whole.missed_rate, 1) == 16.7
    assert figures(desk).expected == 1
    assert figures(desk, days=90).whole.searches == 7
    assert figures(desk, stage="tools").whole.searches == 1
    assert figures(desk, agent="other").whole.found == 1
    assert figures(desk, agent="nobody\x00").whole.searches == 0
    by_day = {row.day: row.searches for row in figures(desk).parts}
    assert len(by_day) == 30
    assert by_day[timezone.localdate()] == 5
    assert by_day[timezone.localdate() - timedelta(days=3)] == 1
    assert sum(row.searches for row in figures(desk, days=90).parts) == 7


def missed(world: World, of: DiscoveryLog | None, key: str, **changes: Any) -> Missed:
    values = {
        "workspace": world.workspace,
        "log": of,
        "stage": "route",
        "key": key,
        "query": "Who has the lamps?",
        "language": "en",
        "cause": MissCause.NAMED,
        "searched_at": timezone.now(),
    }
    return Missed.objects.create(**values | changes)


def test_requests_that_led_nowhere_are_listed_and_escaped(world: World, desk: Client) -> None:
    thread = conversation(world)
    say(world, thread, "<script>alert('lamps')</script> ?", nothing_fits())
    say(world, thread, "Look around.", led("look"), looked())
    text = page(desk, "desk_discovery_requests")
    assert "&lt;script&gt;alert(" in text
    assert "<script>alert" not in text
    assert "Look around." not in text
    assert "found later" in text
    assert "led nowhere" in page(desk, "desk_discovery_requests", only="unclear")
    assert "lamps" not in page(desk, "desk_discovery_requests", only="unclear")


def test_pages_of_many_requests(world: World, desk: Client) -> None:
    rows = [log(world, query=f"Request {number:03}") for number in range(65)]
    first = page(desk, "desk_discovery_requests")
    assert first.count("Request ") == 30
    assert "Request 064" in first
    second = page(desk, "desk_discovery_requests", before=rows[35].pk)
    assert "Request 034" in second
    assert "Request 035" not in second


def test_no_query_count_grows_with_rows(world: World, desk: Client) -> None:
    missed(world, log(world), "store.first")
    few = counts(desk)
    for number in range(40):
        row = log(world)
        missed(world, row, f"store.key{number}")
        DiscoveryCandidate.objects.create(log=row, position=0, key="store.look", shown=True)
    assert counts(desk) == few
    assert max(few) < 30


def counts(client: Client) -> list[int]:
    found = []
    for name in PAGES:
        with CaptureQueriesContext(connection) as queries:
            page(client, name)
        found.append(len(queries))
    return found


def test_what_is_most_missed(world: World, desk: Client) -> None:
    for _number in range(3):
        missed(world, log(world), "store.look", label="Look", cause=MissCause.FOUND_LATER)
    missed(world, log(world), "store.order", label="Order")
    most = desk.get(at("desk_discovery_missed")).context["most"]
    assert [(row["key"], row["times"], row["found_later"], row["named"]) for row in most] == [
        ("store.look", 3, 3, 0),
        ("store.order", 1, 0, 1),
    ]


def test_what_was_never_met(world: World, desk: Client) -> None:
    say(world, conversation(world), "Look around.", led("look"), looked())
    unmet = desk.get(at("desk_discovery_unmet")).context["unmet"]
    assert [each.key for each in unmet.activities] == ["reserve", "order"]
    Run.objects.update(created_at=timezone.now() - timedelta(days=40))
    unmet = desk.get(at("desk_discovery_unmet")).context["unmet"]
    assert [each.key for each in unmet.activities] == ["look", "reserve", "order"]


def test_words_are_taught_and_taken_back_there(world: World, desk: Client) -> None:
    run = refused(world, "Who has anna@secret.example's\nlamps?")
    row = DiscoveryLog.objects.get(run_id=run.pk)
    address = at("desk_discovery_request", row.pk)
    form = desk.get(address).context["form"]
    assert form.initial["text"].split() == ["Who", "has", "'s", "lamps?"]
    assert form.initial["language"] == "en"
    card = Card.objects.get(key="store.look", kind="activity")
    sent = {"card": str(card.pk), "text": "who has lamps", "language": "en"}
    assert desk.post(address, sent).status_code == 302
    phrase = CardPhrase.objects.get(learned=True)
    assert (phrase.text, phrase.card, phrase.added_by) == ("who has lamps", card, world.designer)
    assert desk.post(address, sent).status_code == 422, "twice"
    text = page(desk, "desk_discovery_words")
    assert "who has lamps" in text
    assert desk.post(at("desk_discovery_word_remove", phrase.pk)).status_code == 302
    assert not CardPhrase.objects.filter(learned=True).exists()
    assert desk.post(at("desk_discovery_word_remove", phrase.pk)).status_code == 404
    types = AuditEvent.objects.filter(stream=world.workspace.pk, type__startswith="alias.")
    assert list(types.order_by("seq").values_list("type", "actor")) == [
        ("alias.learned", world.designer.pk),
        ("alias.removed", world.designer.pk),
    ]


def test_what_was_missed_is_offered_first(world: World, desk: Client) -> None:
    thread = conversation(world)
    run = say(world, thread, "Who has the lamps?", nothing_fits())
    say(world, thread, "Look around.", led("look"), looked())
    row = DiscoveryLog.objects.get(run_id=run.pk)
    card = Card.objects.get(key="store.look", kind="activity")
    for pk in (row.pk, Missed.objects.get().pk):
        assert desk.get(at("desk_discovery_request", pk)).context["form"].initial["card"] == str(card.pk)


def test_what_an_evaluation_missed_can_be_learned_from(world: World, desk: Client) -> None:
    row = missed(world, None, "store.look", cause=MissCause.EXPECTED, query="Show the lamps.")
    text = page(desk, "desk_discovery_request", row.pk)
    assert "Show the lamps." in text
    assert desk.post(at("desk_discovery_name", row.pk)).status_code == 404


def test_a_designer_names_only_what_they_may_use(world: World, desk: Client) -> None:
    row = DiscoveryLog.objects.get(run_id=refused(world).pk)
    assert page(desk, "desk_discovery_request", row.pk).count("store.look") < 5
    desk.post(at("desk_discovery_name", row.pk), {"missed": "route:store.look"})
    assert not Missed.objects.exists()
    assert world.revision is not None
    access.grant("activities.use_agent", world.designer, world.revision.agent)
    world.designer.groups.add(world.keepers)
    desk.post(at("desk_discovery_name", row.pk), {"missed": "route:store.look"})
    found = Missed.objects.get()
    assert (found.key, found.named_by, found.log) == ("store.look", world.designer, row)
    assert "It is on record" in page(desk, "desk_discovery_request", row.pk)


def test_the_pages_are_in_french(world: World, desk: Client) -> None:
    User.objects.filter(pk=world.designer.pk).update(language="fr")
    log(world)
    for name in PAGES:
        text = page(desk, name)
        assert "Découverte" in text
        assert "Searches" not in text


def test_another_request_is_struck_and_counts_nowhere(world: World, desk: Client) -> None:
    later = missed(world, log(world), "store.look", cause=MissCause.FOUND_LATER)
    named = missed(world, log(world), "store.look", named_by=world.owner)
    assert figures(desk).whole.missed == 2
    for row in (later, named):
        desk.post(at("desk_discovery_strike", row.pk))
    assert figures(desk).whole.missed == 1
    assert [row["times"] for row in desk.get(at("desk_discovery_missed")).context["most"]] == [1]
    later.refresh_from_db()
    assert later.struck_by == world.designer
    event = AuditEvent.objects.get(stream=world.workspace.pk, type="missed.struck")
    assert (event.actor, event.data["key"]) == (world.designer, "store.look")
    assert "does not count" in page(desk, "desk_discovery_missed")


def test_the_index_says_what_it_lacks(world: World, desk: Client) -> None:
    refresh()
    Card.objects.filter(key="store.find_items").update(tokens=70)
    CardPhrase.objects.filter(card__key="store.measure").delete()
    embedder = search_embedder().name
    EmbedderState.objects.create(embedder=embedder, trouble="dimensions:384", since=timezone.now())
    text = page(desk, "desk_discovery_index")
    alias, long = text.index('id="alias-title"'), text.index('id="long-title"')
    assert alias < text.index("store.measure") < long < text.index("store.find_items")
    assert "vectors of 384 numbers" in text
    assert "meaning is not indexed yet" in text
