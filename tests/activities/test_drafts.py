"""Drafts: copied, changed one version after the other, and every change on record with before and after."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts import access
from accounts.models import AuditEvent
from activities.actions import (
    EditedMeanwhile,
    agent_import,
    agent_update,
    draft_create,
    draft_discard,
    revision_change,
    revision_draft_from,
    revision_publish,
    revision_settings,
)
from activities.blueprint import ActivityPart, AgentBlueprint
from activities.exporting import blueprint_of, document
from activities.models import Activity, Revision
from activities.tools import registry
from agentapp.kernel.errors import Conflict, InvalidInput, NotAllowed
from tests.support.blueprints import activity, agent, from_input, prose, step, text_input, use
from tests.support.threads import together
from tests.support.world import World, act

GOOD = activity(use("find_items"))


def change_goal(revision: Revision, actor: Any, goal: str, version: int | None = None) -> Revision:
    expected = revision.version if version is None else version
    with revision_change(revision, actor=actor, expected_version=expected) as draft:
        first = draft.activities.get(key="handle").steps.get(key="act")
        first.goal = goal
        first.save()
    return draft


def test_a_document_has_every_field_of_a_blueprint(world: World) -> None:
    part = activity(
        use("order", item=from_input("thing")),
        inputs=[text_input("thing", choices=[{"value": "a", "label": {}}])],
        outputs=[prose()],
        routing=[{"name": "n", "when": "true", "activity": "handle", "inputs": {"thing": "inputs.thing"}}],
    )
    blueprint = agent(part)
    said = document(agent_import(blueprint, workspace=world.workspace, actor=world.designer))
    assert set(said) == set(AgentBlueprint.model_fields) - {"format"}
    assert set(said["activities"][0]) == set(ActivityPart.model_fields)
    assert AgentBlueprint.model_validate(said) == blueprint


def test_a_new_draft_says_what_its_revision_says(world: World) -> None:
    published = world.publish(GOOD, activity(use("order"), key="second"))
    draft = revision_draft_from(published, actor=world.designer)
    assert (draft.state, draft.number, draft.agent) == ("draft", 2, published.agent)
    assert blueprint_of(draft) == blueprint_of(published)
    assert published.activities.get(key="handle").identity == draft.activities.get(key="handle").identity
    change_goal(draft, world.designer, "Another goal.")
    assert blueprint_of(draft) != blueprint_of(published)


def test_a_tool_that_is_gone_does_not_hinder_a_new_draft(world: World) -> None:
    published = world.publish(GOOD)
    contract = registry.get("store.find_items")
    assert contract is not None
    registry.remove(contract.key)
    try:
        draft = revision_draft_from(published, actor=world.designer)
        assert draft.activities.get().tool_bindings.get().contract_hash == contract.hash
    finally:
        registry.add(contract)


def test_a_change_is_recorded_with_before_and_after(world: World) -> None:
    draft = change_goal(world.draft(GOOD), world.designer, "Find them all.")
    event = AuditEvent.objects.filter(stream=draft.pk).latest("seq")
    assert (event.type, event.actor_id) == ("revision.changed", world.designer.pk)
    assert event.data["changes"] == [
        {"place": "activities/handle/steps/act/goal", "before": "Do act.", "after": "Find them all."}
    ]
    assert event.data["version"] == 2


def test_nothing_changed_is_nothing_recorded(world: World) -> None:
    draft = change_goal(world.draft(GOOD), world.designer, "Do act.")
    assert draft.version == 1
    assert AuditEvent.objects.filter(stream=draft.pk).count() == 1


def test_the_second_to_save_is_told_who_was_first_and_nothing_is_lost(world: World) -> None:
    draft = world.draft(GOOD)
    mine, theirs = Revision.objects.get(pk=draft.pk), Revision.objects.get(pk=draft.pk)
    change_goal(mine, world.designer, "Mine.")
    access.grant("activities.design_agent", world.member, draft.agent)
    with pytest.raises(EditedMeanwhile, match="Dora") as caught:
        change_goal(theirs, world.member, "Theirs.")
    assert caught.value.data["version"] == 2
    assert Activity.objects.get().steps.get().goal == "Mine."
    theirs.refresh_from_db()
    change_goal(theirs, world.member, "Theirs.")
    assert Activity.objects.get().steps.get().goal == "Theirs."


def fail_inside(draft: Revision, actor: Any) -> None:
    with revision_change(draft, actor=actor, expected_version=1) as locked:
        locked.activities.all().delete()
        raise ZeroDivisionError


def test_what_fails_inside_a_change_leaves_nothing(world: World) -> None:
    draft = world.draft(GOOD)
    with pytest.raises(ZeroDivisionError):
        fail_inside(draft, world.designer)
    assert draft.activities.count() == 1
    assert Revision.objects.get().version == 1


def test_only_a_draft_is_changed(world: World) -> None:
    published = world.publish(GOOD)
    with pytest.raises(Conflict, match="Only a draft"):
        change_goal(published, world.designer, "Other.")
    with pytest.raises(Conflict, match="Only a draft"):
        draft_discard(published, actor=world.designer)


def test_who_designs_one_activity_changes_that_one_only(world: World) -> None:
    draft = world.draft(GOOD, activity(use("find_items"), key="second"))
    access.grant("activities.design_activity", world.member, draft.activities.get(key="handle").identity)
    draft = change_goal(draft, world.member, "Theirs to say.")
    with (
        pytest.raises(NotAllowed, match="Second"),
        revision_change(draft, actor=world.member, expected_version=2) as locked,
    ):
        locked.activities.filter(key="second").update(instructions="Not theirs.")
    with (
        pytest.raises(NotAllowed),
        revision_change(draft, actor=world.member, expected_version=2) as locked,
    ):
        locked.activities.filter(key="handle").delete()
    assert Revision.objects.get().version == 2
    for forbidden in (revision_draft_from, draft_discard):
        with pytest.raises(NotAllowed):
            forbidden(draft, actor=world.member)


def test_strangers_change_nothing(world: World) -> None:
    draft = world.draft(GOOD)
    for user in (world.owner, world.member, world.stranger, world.root):
        with pytest.raises(NotAllowed):
            change_goal(draft, user, "Other.")
        with pytest.raises(NotAllowed):
            revision_draft_from(draft, actor=user)
        with pytest.raises(NotAllowed):
            draft_create(draft.agent, actor=user)
        with pytest.raises(NotAllowed):
            draft_discard(draft, actor=user)
        with pytest.raises(NotAllowed):
            agent_update(draft.agent, actor=user, second_person=True)


def test_a_discarded_draft_is_gone_and_on_record(world: World) -> None:
    draft = world.draft(GOOD)
    key = draft.pk
    draft_discard(draft, actor=world.designer)
    assert not Revision.objects.exists()
    assert AuditEvent.objects.filter(stream=key).latest("seq").type == "revision.discarded"


def test_a_second_person_publishes_when_the_agent_asks_for_it(world: World) -> None:
    draft = world.draft(GOOD)
    agent_update(draft.agent, actor=world.designer, second_person=True)
    draft.refresh_from_db()
    access.grant("activities.design_agent", world.member, draft.agent)
    access.grant("activities.publish_agent", world.member, draft.agent)
    access.grant("activities.publish_agent", world.owner, draft.agent)
    with pytest.raises(NotAllowed, match="second person"):
        revision_publish(draft, actor=world.designer)
    draft = change_goal(draft, world.member, "A first change.")
    draft = change_goal(draft, world.designer, "The last change.")
    # Neither the last to change it, nor anybody who changed it before.
    for worked in (world.designer, world.member):
        with pytest.raises(NotAllowed, match="second person"):
            revision_publish(draft, actor=worked)
    with pytest.raises(NotAllowed, match="somebody else"):
        agent_update(draft.agent, actor=world.designer, second_person=False)
    assert revision_publish(draft, actor=world.owner).state == "published"


def test_what_an_agent_was_and_is_goes_on_record(world: World) -> None:
    draft = world.draft(GOOD)
    agent_update(draft.agent, actor=world.designer, name={"en": "Shop"}, second_person=True)
    event = AuditEvent.objects.get(stream=draft.agent.pk, type="agent.changed")
    assert event.data["before"] == {"name": {"en": "Store"}, "second_person": False}
    assert event.data["after"] == {"name": {"en": "Shop"}, "second_person": True}


def test_a_required_pass_rate_is_a_percentage_and_copied(world: World) -> None:
    draft = world.draft(GOOD)
    with pytest.raises(InvalidInput):
        revision_settings(draft, actor=world.designer, expected_version=1, required_pass_rate=101)  # type: ignore[arg-type]
    revision_settings(draft, actor=world.designer, expected_version=1, required_pass_rate=90)  # type: ignore[arg-type]
    assert revision_draft_from(draft, actor=world.designer).required_pass_rate == 90


def test_without_the_evaluation_it_requires_a_revision_is_not_published(world: World) -> None:
    draft = world.draft(GOOD)
    revision_settings(draft, actor=world.designer, expected_version=1, required_pass_rate=90)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="Run an evaluation"):
        revision_publish(draft, actor=world.designer)


def test_a_step_that_is_unfinished_can_still_be_drafted(world: World) -> None:
    draft = world.draft({**GOOD, "steps": []}, activity(use("find_items"), steps=[step()], key="other"))
    assert blueprint_of(draft).activities[0].steps == []


def test_of_two_who_save_at_once_one_is_told(shared_world: World) -> None:
    world = shared_world
    draft = world.draft(GOOD)

    def save(goal: str) -> str:
        try:
            change_goal(Revision.objects.get(pk=draft.pk), world.designer, goal, version=1)
        except EditedMeanwhile as error:
            return error.code
        return goal

    said = together(2, lambda number: save(("One.", "Two.")[number]))
    kept = Activity.objects.get().steps.get().goal
    assert set(said) == {kept, "edited_meanwhile"}
    assert AuditEvent.objects.filter(stream=draft.pk, type="revision.changed").count() == 1


def test_two_drafts_at_once_have_two_numbers(shared_world: World) -> None:
    world = shared_world
    first = world.draft(GOOD)
    made = together(3, lambda _number: revision_draft_from(first, actor=world.designer).number)
    assert set(made) == {2, 3, 4}


def test_a_change_costs_as_many_statements_among_two_hundred_as_among_two(world: World) -> None:
    def statements(others: int) -> int:
        draft = world.draft(
            *(activity(use("find_items"), key=f"a{number}") for number in range(others)), GOOD
        )
        with CaptureQueriesContext(connection) as asked:
            change_goal(draft, world.designer, "Other.")
        return len(asked)

    few, many = statements(1), statements(199)
    assert few == many


def test_who_worked_on_a_published_revision_may_be_forgotten_and_never_exchanged(world: World) -> None:
    draft = change_goal(world.draft(GOOD), world.designer, "Other.")
    published = revision_publish(draft, actor=world.designer)
    rows = Revision.objects.filter(pk=published.pk)
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        rows.update(changed_by=world.member)
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        rows.update(version=9)
    assert rows.update(changed_by=None) == 1
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        rows.update(changed_by=world.designer)


def test_runs_stay_with_the_revision_they_began_on(world: World) -> None:
    published = world.publish(GOOD)
    run = world.start("Find lamps.")
    draft = revision_draft_from(published, actor=world.designer)
    draft = change_goal(draft, world.designer, "Something else.")
    revision_publish(draft, actor=world.designer)
    published.refresh_from_db()
    run = world.play(run, act("find_items", {"words": "lamp"}))
    assert (published.state, run.revision_id, run.outcome) == ("retired", published.pk, "succeeded")
    assert run.activity is not None
    assert run.activity.steps.get().goal == "Do act."
    assert world.post("Find chairs.").revision_id != published.pk
