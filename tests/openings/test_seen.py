"""Who sees which of the four stages: a business user no count and nothing forbidden, an auditor all."""

from django.test import Client
from django.urls import reverse

from accounts import access
from accounts.models import Role, User
from runs.models import Run
from runs.report import run_report
from runs.searches import searches_seen
from tests.openings.opened import ask_for, find, open_activity
from tests.support.catalogue import SOME, catalogue, reading, replaced
from tests.support.world import World

CHAIRS = "Tell me the price of chairs"


def searched(world: World) -> Run:
    world.publish(open_activity(passes_when="facts.weight_of_lamps.what != ''"))
    return world.run(find("weight of lamps"), ask_for("weight of lamps"), text=CHAIRS)


def auditor(world: World) -> User:
    world.member.groups.add(access.role_group(world.workspace, Role.AUDITOR))
    return world.member


def test_an_auditor_and_a_designer_see_all_four_stages(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        run = searched(world)
        for reader in (auditor(world), world.designer):
            first, second = (each for each in searches_seen(run, reader) if each.step)
            assert (first.permitted, first.decision, first.by_model) == (10, "found", False)
            assert len(first.candidates) > len(first.shown) >= 3
            assert second.by_model
            assert [each.key for each in second.candidates if each.called] == ["shop.weight_of_lamps"]


def test_who_asked_sees_what_was_shown_and_no_count(world: World) -> None:
    closed = reading("weight of lamps", permission="store.admin")
    with catalogue(*map(reading, SOME)):
        run = searched(world)
        seen = searches_seen(run, world.owner)
        assert [each.permitted for each in seen] == [None, None]
        assert all(not each.candidates for each in seen)
        assert "Weight of lamps" in {item.title for item in seen[1].shown}
        replaced(closed)
        assert "Weight of lamps" not in {item.title for item in searches_seen(run, world.owner)[1].shown}


def test_somebody_else_sees_nothing_of_it(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        run = searched(world)
        assert searches_seen(run, world.stranger) == []
        assert searches_seen(run, world.root) == []
        assert searches_seen(run, world.member) == []


def test_the_report_of_a_run_has_them(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        run = searched(world)
        told = run_report(run, world.owner).model_dump(mode="json")["searches"]
    assert [item["step"] for item in told] == ["act", "act"]
    assert [item["permitted"] for item in told] == [None, None]


def test_the_page_of_a_run_tells_each_reader_their_part(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        run = searched(world)
        pages = {}
        for reader in (world.owner, auditor(world)):
            client = Client()
            client.force_login(reader)
            pages[reader.email] = client.get(reverse("chat:run", args=[run.pk])).content.decode()
    mine, audited = pages[world.owner.email], pages[world.member.email]
    assert "Tools were looked up for:" in mine
    assert "The model searched again:" in mine
    assert "10 permitted" not in mine
    assert "10 permitted" in audited
    assert "shop.price_of_chairs" in audited
