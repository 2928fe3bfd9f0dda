"""Importing a blueprint: closed, and all or nothing."""

from typing import Any

import pytest
from pydantic import ValidationError

from accounts.models import AuditEvent
from activities.actions import agent_import
from activities.models import Activity, ActivityIdentity, Agent, Revision
from agentapp.kernel.errors import MandateError
from tests.support.blueprints import activity, agent, step, text_input, use
from tests.support.world import World

GOOD = activity(use("find_items"))
CLOSED: dict[str, dict[str, Any]] = {
    "unknown key": {**GOOD, "colour": "red"},
    "unknown key of a step": activity(use("find_items"), steps=[step("find_items", colour="red")]),
    "key with a space": {**GOOD, "key": "two words"},
    "key in capitals": {**GOOD, "key": "Handle"},
    "language nobody speaks": {**GOOD, "name": {"xx": "?"}},
    "unknown input type": activity(use("find_items"), inputs=[text_input("x", type="blob")]),
    "no attempts": activity(use("find_items"), steps=[step("find_items", max_attempts=0)]),
    "no tool calls": activity(use("find_items"), guardrails={"max_tool_calls": 0}),
    "unknown source": activity(use("find_items", words={"source": "model"})),
    "risk lowered": activity(use("find_items", raise_risk="low")),
    "unknown tool choice": activity(use("find_items"), steps=[step("find_items", tool_choice="maybe")]),
}
NOTHING_THERE: dict[str, dict[str, Any]] = {
    "tool": activity(use("find_items"), {"tool": "store.nothing", "params": {}}),
    "tool of a step": activity(use("find_items"), steps=[step("reserve")]),
    "group": activity(use("find_items"), steps=[step("find_items", escalate_to="nobody")]),
}


@pytest.mark.parametrize("name", CLOSED)
def test_a_blueprint_is_closed(name: str) -> None:
    with pytest.raises(ValidationError):
        agent(CLOSED[name])


@pytest.mark.parametrize("name", NOTHING_THERE)
def test_a_name_that_refers_to_nothing_leaves_nothing_half_written(world: World, name: str) -> None:
    events = AuditEvent.objects.count()
    blueprint = agent(GOOD, {**NOTHING_THERE[name], "key": "second"})
    with pytest.raises(MandateError, match=r"nothing|nobody|not among"):
        agent_import(blueprint, workspace=world.workspace, actor=world.designer)
    for model in (Agent, Revision, Activity, ActivityIdentity):
        assert not model._default_manager.exists()
    assert AuditEvent.objects.count() == events


def test_two_activities_of_one_key_are_refused() -> None:
    with pytest.raises(ValidationError, match="given twice"):
        agent(GOOD, GOOD)


@pytest.mark.parametrize("what", ["inputs", "tools", "steps", "outputs"])
def test_a_name_given_twice_is_refused(what: str) -> None:
    fixed = {"name": "x", "label": {}, "source": "fixed", "fixed": 1}
    twice: dict[str, Any] = {
        "inputs": [text_input("x"), text_input("x")],
        "tools": [use("find_items"), use("find_items")],
        "steps": [step("find_items"), step("find_items")],
        "outputs": [fixed, fixed],
    }
    with pytest.raises(ValidationError, match="given twice"):
        agent({**GOOD, what: twice[what]})


def test_a_second_import_is_the_next_draft(world: World) -> None:
    first, second = world.draft(GOOD), world.draft(GOOD)
    assert (first.agent, first.number, second.number) == (second.agent, 1, 2)
    assert ActivityIdentity.objects.count() == 1


def test_the_same_agent_in_another_workspace_is_another(world: World) -> None:
    world.draft(GOOD)
    assert Agent.objects.filter(workspace=world.elsewhere).count() == 0
