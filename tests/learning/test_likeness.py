"""Cards that say nearly the same: found in any number, by words and by meaning, told apart by one of them."""

from typing import Any

import pytest
from django.test import Client

from accounts import access
from activities.actions import agent_import, revision_publish, revision_retire
from activities.checks import problems
from activities.likeness import Likened, alike, of_tool
from activities.likeness.vectors import make_due, prune, texts_due, vectors_due
from activities.models import Revision, TextVector
from activities.redundancy import vectors_prune
from activities.tools import registry
from agentapp.kernel.errors import InvalidInput
from agentapp.kernel.text import words
from tests.desk.conftest import at
from tests.openings.opened import open_activity
from tests.support.blueprints import Json, activity, agent, step, use
from tests.support.catalogue import catalogue, names, reading
from tests.support.world import World


def likened(key: str, text: str, *aliases: str, kind: str = "tool", told: bool = False) -> Likened:
    said = frozenset(word for word in words(text) if len(word) > 3)
    return Likened(kind, key, key.title(), "en", text, said, frozenset(aliases), told)


def pairs(*cards: Likened) -> set[frozenset[str]]:
    return {frozenset((pair.one.key, pair.other.key)) for pair in alike(cards).pairs}


def test_words_tell_how_near_and_which_collide() -> None:
    one = likened("one", "Shows all lamps and chairs we sell today.")
    other = likened("other", "Shows those lamps and chairs that we sell.")
    far = likened("far", "Writes an order for suppliers.")
    found = alike([one, other, far])
    assert [(pair.one.key, pair.other.key) for pair in found.pairs] == [("one", "other")]
    assert found.pairs[0].words == ["chairs", "lamps", "sell", "shows"]
    assert found.pairs[0].share == 0.8
    assert not found.pairs[0].is_told_apart


def test_a_tool_and_an_activity_are_not_compared() -> None:
    text = "Shows all lamps and chairs we sell."
    assert pairs(likened("one", text), likened("other", text, kind="activity")) == set()


def test_activities_of_one_alias_are_alike() -> None:
    one = likened("one", "Shows lamps.", "stock", kind="activity")
    other = likened("other", "Orders chairs from suppliers.", "stock", kind="activity")
    assert pairs(one, other) == {frozenset(("one", "other"))}


def test_two_thousand_tools_of_one_description_are_told_in_few_rows() -> None:
    text = "Creates a new record in the remote system of customer relations."
    found = alike([likened(f"t{number:04}", text, f"alias{number}") for number in range(2_000)])
    assert len(found.pairs) <= 10_000
    assert found.more["tool", "t0000"] == 1_999 - 5
    assert {key for _kind, key in found.more} == {f"t{number:04}" for number in range(2_000)}


def selling(key: str, sentence: str, alias: str = "", **more: Any) -> Json:
    aliases = {"en": [alias or f"do {key}"]}
    return activity(use("find_items"), key=key, summary={"en": sentence}, aliases=aliases, **more)


REIMBURSE = ("Reimburse a client for a bill.", "refund")
REFUND = ("Refund a customer for an invoice.", "reimbursement")


def places(revision: Revision) -> list[str]:
    return [problem.place for problem in problems(revision)]


def test_meaning_counts_once_the_vectors_are_made(world: World) -> None:
    draft = world.draft(selling("one", *REIMBURSE), selling("two", *REFUND))
    assert places(draft) == []
    assert TextVector.objects.filter(vector__isnull=True).count() == 2
    make_due()
    assert places(draft) == ["two"]
    with pytest.raises(InvalidInput):
        revision_publish(draft, actor=world.designer)


def test_vectors_of_what_no_card_says_any_more_are_forgotten(world: World) -> None:
    published = world.publish(selling("kept", "Shows what we published."))
    draft = world.draft(selling("one", *REIMBURSE), selling("two", *REFUND))
    with catalogue(reading("price of chairs")):
        vectors_due(card for contract in registry for card in of_tool(contract))
        make_due()
        kept = set(TextVector.objects.values_list("digest", flat=True))
        assert vectors_prune() == 0
        changed = draft.activities.get(key="two")
        revision_retire(published, actor=world.designer)
        changed.delete()
        assert vectors_prune() == 2
        left = dict(TextVector.objects.values_list("digest", "text"))
    assert set(left) < kept
    assert not any("Refund a customer" in text or "published" in text for text in left.values())
    assert any("Reimburse" in text for text in left.values())
    assert any("chairs" in text for text in left.values())
    assert not TextVector.objects.filter(vector__isnull=True).exists(), "what is kept is kept whole"


def test_a_text_that_comes_back_while_others_are_forgotten_is_asked_for_again(world: World) -> None:
    texts_due(["said before"])
    rounds = iter([[], ["said before"]])
    assert prune(lambda: next(rounds)) == 1
    assert list(TextVector.objects.values_list("text", "vector")) == [("said before", None)]


def test_one_that_says_so_is_enough(world: World) -> None:
    for first, second in (({"when_not_to_use": "For chairs."}, {}), ({}, {"when_not_to_use": "For chairs."})):
        draft = world.draft(selling("one", *REIMBURSE, **first), selling("two", *REIMBURSE, **second))
        make_due()
        assert places(draft) == []


def test_another_agents_published_card_counts_too(world: World, desk: Client) -> None:
    world.publish(selling("one", "Shows all lamps and chairs we sell."))
    twin = selling("twin", "Shows those lamps and chairs that we sell.")
    draft = agent_import(agent(twin, key="other"), workspace=world.workspace, actor=world.designer)
    assert "store.one" in problems(draft)[0].message
    elsewhere = agent_import(agent(twin, key="other"), workspace=world.elsewhere, actor=None)
    assert not any("nearly" in problem.message for problem in problems(elsewhere))
    page = desk.get(at("desk_section", draft.activities.get().pk, "card")).content.decode()
    assert "neither says when not to use it" in page
    assert "chairs, lamps, sell, shows" in page


def test_two_tools_of_one_step(world: World) -> None:
    one = reading("price of chairs", summary="Tells what one of our chairs costs today.")
    two = reading("cost of chairs", summary="Tells what one of our chairs costs now.")
    with catalogue(one, two):
        steps = [step(key="both", passes_when="true")]
        steps[0]["tools"] = [one.key, two.key]
        tools = [{"tool": each.key, "params": {"note": {"source": "agent"}}} for each in (one, two)]
        draft = world.draft(activity(*tools, steps=steps))
        found = problems(draft)
        assert [problem.place for problem in found] == ["handle / both"]
        assert one.key in found[0].message
        registry.remove(two.key)
        registry.add(reading("cost of chairs", summary=two.summary, when_not_to_use="For lamps."))
        assert places(draft) == []


def test_the_report(world: World, desk: Client) -> None:
    world.publish(selling("one", "Shows all lamps and chairs we sell."))
    twin = selling("twin", "Shows those lamps and chairs that we sell.", when_not_to_use="For tables.")
    draft = agent_import(agent(twin, key="other"), workspace=world.workspace, actor=world.designer)
    access.grant("activities.use_agent", world.keepers, draft.agent)
    revision_publish(draft, actor=world.designer)
    answer = desk.get(at("desk_discovery_alike"))
    found = [row["pair"] for row in answer.context["rows"]]
    assert [(pair.one.key, pair.other.key) for pair in found if pair.one.kind == "activity"] == [
        ("store.one", "other.twin")
    ]
    assert "by their words alone" in answer.content.decode()
    make_due()
    assert "one says" in desk.get(at("desk_discovery_alike")).content.decode()


def test_a_step_that_is_open_to_two_tools_alike(world: World) -> None:
    one = reading("price of chairs", summary="Tells what one of our chairs costs today.")
    two = reading("cost of chairs", summary="Tells what one of our chairs costs now.")
    with catalogue(one, two, reading("weight of lamps")):
        draft = world.draft(open_activity())
        assert places(draft) == ["handle / act"]
        registry.remove(two.key)
        registry.add(reading("cost of chairs", summary=two.summary, when_not_to_use="For lamps."))
        assert places(draft) == []


def test_a_step_that_is_open_to_hundreds_of_one_description(world: World) -> None:
    same = "Creates a new record in the remote system of customer relations."
    with catalogue(*(reading(name, summary=same) for name in names(320))):
        found = problems(world.draft(open_activity()))
    assert [problem.place for problem in found] == ["handle / act"]
    assert "more pairs" in found[0].message
