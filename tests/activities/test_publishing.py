"""Publishing: every reason why a revision cannot be published, and who may."""

from typing import Any

import pytest

from accounts import access
from accounts.models import AuditEvent
from activities.actions import agent_import, revision_publish, revision_retire
from activities.models import Agent, Revision, ToolBinding
from activities.publishing import problems
from activities.tools import registry
from agentapp.kernel.errors import Conflict, InvalidInput, NotAllowed
from tests.support.blueprints import activity, agent, fixed, from_input, prose, step, text_input, use
from tests.support.world import World

GOOD = activity(use("find_items"))
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no alias": ({**GOOD, "aliases": {}}, "no alias"),
    "no template": ({**GOOD, "template": {}}, "no response template"),
    "broken template": ({**GOOD, "template": {"en": "{% if %}"}}, "template en"),
    "broken condition": (
        activity(use("find_items"), steps=[step("find_items", passes_when="facts..")]),
        "handle / act",
    ),
    "broken stop condition": (
        activity(use("find_items"), steps=[step("find_items", stops_when="1 +")]),
        "handle / act",
    ),
    "condition too long": (
        activity(use("find_items"), steps=[step("find_items", passes_when="true || " * 300 + "true")]),
        "2000",
    ),
    "fact of no tool": (
        activity(use("find_items"), steps=[step("find_items", passes_when="has(facts.order)")]),
        "a fact no tool gives",
    ),
    "acting step without tool": (activity(use("find_items"), steps=[step()]), "has no tool"),
    "required parameter undecided": (activity(use("reserve", item=None)), "nobody decides"),
    "source not allowed": (activity(use("measure", number=fixed(3))), "does not allow this source"),
    "unknown parameter": (activity(use("find_items", colour={"source": "agent"})), "no such parameter"),
    "input that does not exist": (activity(use("reserve", item=from_input("thing"))), "does not exist"),
    "part of a text": (
        activity(use("reserve", item=from_input("thing.start")), inputs=[text_input("thing")]),
        "Only a period",
    ),
    "record nobody declares": (
        activity(use("find_items"), inputs=[text_input("x", type="reference", reference="no.thing")]),
        "no app declares",
    ),
    "prose without fallback": (activity(use("find_items"), outputs=[prose(fallback={})]), "fallback"),
    "fact without path": (
        activity(
            use("find_items"), outputs=[{"name": "n", "label": {}, "source": "fact", "fact": "what is this"}]
        ),
        "Choose the fact",
    ),
    "input output without input": (
        activity(use("find_items"), outputs=[{"name": "n", "label": {}, "source": "input", "input": "x"}]),
        "Choose the input",
    ),
    "hand-over to nothing": (
        activity(use("find_items"), routing=[{"name": "n", "when": "true", "activity": "gone"}]),
        "hands over",
    ),
    "risk lowered": (activity(use("order", raise_risk="medium")), "never lowered"),
}


@pytest.mark.parametrize("name", BAD)
def test_it_is_refused_and_says_why(world: World, name: str) -> None:
    part, reason = BAD[name]
    draft = world.draft(part)
    found = [f"{problem.place}: {problem.message}" for problem in problems(draft)]
    assert len(found) == 1, found
    assert reason in found[0]
    with pytest.raises(InvalidInput) as caught:
        revision_publish(draft, actor=world.designer)
    assert caught.value.data["problems"] == found
    draft.refresh_from_db()
    assert draft.state == "draft"


def test_every_problem_is_told_at_once(world: World) -> None:
    draft = world.draft(
        {**GOOD, "aliases": {}, "template": {}}, activity(use("reserve", item=None), key="other")
    )
    assert len(problems(draft)) == 3


def test_a_contract_that_changed_since_the_draft_is_told(world: World) -> None:
    draft = world.draft(GOOD)
    ToolBinding.objects.filter(activity__revision=draft).update(contract_hash="0" * 64)
    assert "contract changed" in problems(draft)[0].message
    contract = registry.get("store.find_items")
    assert contract is not None
    registry.remove(contract.key)
    try:
        assert "does not exist" in problems(draft)[0].message
    finally:
        registry.add(contract)


def test_only_a_draft_is_published_and_only_a_published_one_retired(world: World) -> None:
    revision = world.publish(GOOD)
    with pytest.raises(Conflict):
        revision_publish(revision, actor=world.designer)
    revision = revision_retire(revision, actor=world.designer)
    with pytest.raises(Conflict):
        revision_retire(revision, actor=world.designer)
    with pytest.raises(Conflict):
        revision_publish(revision, actor=world.designer)
    assert Revision.objects.get().state == "retired"


def test_it_is_on_record(world: World) -> None:
    revision = world.publish(GOOD)
    revision_retire(revision, actor=world.designer)
    events = AuditEvent.objects.filter(stream=revision.pk).order_by("seq")
    assert [event.type for event in events] == ["revision.imported", "revision.published", "revision.retired"]
    assert {event.actor_id for event in events} == {world.designer.pk}


def test_only_designers_import_publish_and_retire(world: World) -> None:
    draft = world.draft(GOOD)
    for user in (world.owner, world.member, world.stranger, world.root):
        with pytest.raises(NotAllowed):
            agent_import(agent(GOOD), workspace=world.workspace, actor=user)
        with pytest.raises(NotAllowed):
            revision_publish(draft, actor=user)
    published = revision_publish(draft, actor=world.designer)
    for user in (world.owner, world.stranger, world.root):
        with pytest.raises(NotAllowed):
            revision_retire(published, actor=user)
    assert Revision.objects.count() == 1


def test_a_right_on_one_agent_is_enough_for_that_agent(world: World) -> None:
    draft = world.draft(GOOD)
    access.grant("activities.design_agent", world.member, draft.agent)
    second = agent_import(agent(GOOD), workspace=world.workspace, actor=world.member)
    assert (second.number, second.agent) == (2, draft.agent)
    with pytest.raises(NotAllowed):
        agent_import(agent(GOOD, key="other"), workspace=world.workspace, actor=world.member)
    with pytest.raises(NotAllowed):
        revision_publish(second, actor=world.member)
    access.grant("activities.publish_agent", world.member, draft.agent)
    assert revision_publish(second, actor=world.member).state == "published"
    assert Agent.objects.count() == 1


def test_a_designer_of_another_workspace_may_nothing_here(world: World) -> None:
    with pytest.raises(NotAllowed):
        agent_import(agent(GOOD), workspace=world.elsewhere, actor=world.designer)
