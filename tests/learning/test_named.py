"""“There was something for this”: who may say it of which request, what can be named, and what is kept."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts import access
from accounts.models import AuditEvent, User
from activities.models import DiscoveryLog
from agentapp.kernel.errors import Conflict, InvalidInput, NotFound
from agentapp.kernel.ids import uuid7
from runs import actions
from runs.chat import rows
from runs.chat.present.run import run_view
from runs.models import Missed, Run
from runs.models.missed import MissCause
from runs.nameable import MOST, choices
from tests.escalations.hands import approver, escalated, opened
from tests.learning.asking import conversation, led, looked, nothing_fits, publish, refused, say
from tests.support.blueprints import activity, use
from tests.support.catalogue import catalogue, key_of, names, reading
from tests.support.world import LABEL, World

SignIn = Callable[..., Client]
LOOK = "route:store.look"


def name(world: World, run: Run, value: str = LOOK, user: User | None = None) -> Missed:
    return actions.missed_name(user=user or world.owner, run_id=run.pk, value=value)


def test_a_person_names_what_there_was_for_their_request(world: World) -> None:
    publish(world)
    run = refused(world, "Who has anna@secret.example's lamps?")
    row = name(world, run)
    assert (row.key, row.stage, row.cause, row.label) == ("store.look", "route", MissCause.NAMED, "Look")
    assert (row.named_by, row.run, row.log) == (world.owner, run, DiscoveryLog.objects.get(run_id=run.pk))
    assert row.named_at is not None
    assert "anna@secret" not in row.query
    event = AuditEvent.objects.get(stream=run.pk, type="run.missed")
    assert (event.actor, event.data["key"]) == (world.owner, "store.look")
    assert name(world, run) == row, "said twice is said once"
    assert AuditEvent.objects.filter(stream=run.pk, type="run.missed").count() == 1


def test_what_was_found_later_and_named_is_one(world: World) -> None:
    publish(world)
    thread = conversation(world)
    run = say(world, thread, "Who has the lamps?", nothing_fits())
    say(world, thread, "Look around.", led("look"), looked())
    name(world, run)
    row = Missed.objects.get()
    assert (row.cause, row.named_by) == (MissCause.FOUND_LATER, world.owner)
    name(world, run, "route:store.order")
    assert Missed.objects.count() == 2


@pytest.mark.parametrize("value", ["", "store.look", "route:store.nothing", "tools:store.order", "x" * 500])
def test_only_what_one_may_use_is_named(world: World, value: str) -> None:
    publish(world)
    with pytest.raises(InvalidInput):
        name(world, refused(world), value)
    assert not Missed.objects.exists()


def test_who_has_no_say(world: World) -> None:
    publish(world)
    run = refused(world)
    auditor = approver(world, "audrey", "auditor")
    for person in (world.member, world.stranger, world.root, auditor):
        with pytest.raises(NotFound):
            name(world, run, user=person)
    with pytest.raises(NotFound):
        actions.missed_name(user=world.owner, run_id=uuid7(), value=LOOK)
    access_lost = world.owner.memberships.get()
    access_lost.active = False
    access_lost.save()
    with pytest.raises(NotFound):
        name(world, run)


def test_only_of_what_was_refused_or_handed_over(world: World) -> None:
    publish(world)
    run = say(world, conversation(world), "Look around.", led("look"), looked())
    with pytest.raises(Conflict):
        name(world, run, "route:store.order")


def test_who_decides_names_a_tool_they_hold_the_right_to(world: World) -> None:
    decider = approver(world, "dina", LABEL)
    run = escalated(world)
    with pytest.raises(InvalidInput):
        name(world, run, "tools:store.order", user=world.owner)
    row = name(world, run, "tools:store.order", user=decider)
    assert (row.stage, row.key, row.named_by) == ("tools", "store.order", decider)
    assert row.query == "Please reserve a lamp."
    poor = approver(world, "paula", "business")
    assert not list(choices(poor, world.workspace, tools=True).shown)
    with pytest.raises(InvalidInput):
        name(world, run, "tools:store.find_items", user=poor)


def test_what_somebody_else_names_is_not_told_to_who_may_not_use_it(world: World, sign_in: SignIn) -> None:
    decider = approver(world, "dina", LABEL)
    run = escalated(world)
    name(world, run, "tools:store.find_items", user=decider)
    event = AuditEvent.objects.get(stream=run.pk, type="run.missed")
    assert event.data == {"stage": "tools", "missed": str(Missed.objects.get().pk)}
    for reader, seen in ((world.owner, ()), (decider, ("Find items",))):
        assert run_view(rows.whole_runs().get(pk=run.pk), 0, reader).named == seen


def test_the_activity_it_was_led_to_was_not_missed(world: World) -> None:
    decider = approver(world, "dina", LABEL)
    run = escalated(world)
    assert world.revision is not None
    access.grant("activities.use_agent", decider, world.revision.agent)
    with pytest.raises(Conflict):
        name(world, run, "route:store.handle", user=decider)


def test_a_long_list_is_searched_by_words(world: World) -> None:
    with catalogue(*map(reading, names(40))):
        found = choices(world.owner, world.workspace, tools=True)
        assert (len(found.shown), found.more > 20) == (MOST, True)
        found = choices(world.owner, world.workspace, tools=True, query="WEIGHT lämps")
        assert [item.key for item in found.shown] == [key_of("weight of lamps")]


def test_the_chat_offers_it_on_a_refusal_and_says_what_was_noted(world: World, sign_in: SignIn) -> None:
    publish(world)
    thread = conversation(world)
    run = say(world, thread, "Who has the lamps?", nothing_fits())
    client = sign_in(world.owner, staff=False)
    page = client.get(reverse("chat:conversation", args=[thread.pk])).content.decode()
    address = reverse("chat:missed", args=[run.pk])
    assert f'hx-get="{address}"' in page
    part = client.get(address).content.decode()
    assert 'value="route:store.look"' in part
    assert "tools:" not in part
    refused_part = client.post(address, {"missed": "route:store.x"}, HTTP_HX_REQUEST="true")
    assert refused_part.status_code == 422
    assert "Choose one of those you may use." in refused_part.content.decode()
    noted = client.post(address, {"missed": LOOK}).content.decode()
    assert "Noted: Look." in noted
    assert "There is something else for this" in noted
    assert "Noted: Look." in client.get(reverse("chat:conversation", args=[thread.pk])).content.decode()
    assert sign_in(world.member, staff=False).get(address).status_code == 404


def test_nothing_is_offered_where_nothing_was_refused(world: World, sign_in: SignIn) -> None:
    publish(world)
    thread = conversation(world)
    say(world, thread, "Look around.", led("look"), looked())
    page = sign_in(world.owner, staff=False).get(reverse("chat:conversation", args=[thread.pk]))
    assert "There is something for this" not in page.content.decode()


def test_a_person_with_nothing_is_told_so(world: World, sign_in: SignIn) -> None:
    world.publish(activity(use("find_items")))
    run = world.play(world.post("Lamps?", user=world.member))
    part = sign_in(world.member, staff=False).get(reverse("chat:missed", args=[run.pk])).content.decode()
    assert "Nothing is open to you here yet." in part


def test_the_inbox_offers_it_to_who_decides(world: World, sign_in: SignIn) -> None:
    decider = approver(world, "dina", LABEL)
    run = escalated(world)
    client = sign_in(decider, staff=False)
    page = client.get(reverse("chat:escalation", args=[opened(run).pk])).content.decode()
    assert "There was a tool for it" in page
    part = client.get(reverse("chat:missed", args=[run.pk]), {"q": "order"}).content.decode()
    assert 'value="tools:store.order"' in part
    client.post(reverse("chat:missed", args=[run.pk]), {"missed": "tools:store.order"})
    assert "Noted: Order." in client.get(reverse("chat:escalation", args=[opened(run).pk])).content.decode()
