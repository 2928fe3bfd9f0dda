"""What a trial is followed by is a trial too: of the same revision, without effect, and not for ever."""

import pytest

from accounts import access
from runs.llm import use_model
from runs.llm.scripted import ScriptedModel
from runs.models import Run
from runs.sequence import MOST_TRIED
from runs.states import Outcome
from runs.trials.driving import trial_drain
from runs.trials.report import trial_report
from tests.support.blueprints import Json, activity, fixed, use
from tests.support.stage import stage
from tests.support.world import World, act
from tests.trials.trying import chosen, try_out

LOOK = act("find_items", {"words": None})
ORDER = act("order", {"amount": "20", "priority": "low", "note": None})


def to(key: str) -> list[Json]:
    return [{"name": "next", "when": "true", "activity": key}]


@pytest.fixture
def world_with_draft(world: World) -> World:
    look = activity(use("find_items"), key="look", routing=to("buy"))
    world.revision = world.draft(look, activity(use("order", item=fixed("A-100")), key="buy", entry=False))
    access.grant("activities.use_agent", world.keepers, world.revision.agent)
    return world


def test_what_it_hands_over_to_is_a_trial_of_the_same_draft(world_with_draft: World) -> None:
    world = world_with_draft
    assert world.revision is not None
    first = try_out(world, world.revision, chosen("look"), LOOK)
    with use_model(ScriptedModel([ORDER])):
        trial_drain(first)
    following = first.children.get()
    assert (following.trial, following.trial_by, following.revision) == (True, world.designer, world.revision)
    assert following.outcome == Outcome.SIMULATED
    assert stage.sent == []
    report = trial_report(first, reader=world.designer)
    assert [part.route.led_to for part in report.following] == ["buy"]
    assert not report.is_working


def test_it_is_at_work_as_long_as_what_follows_is(world_with_draft: World) -> None:
    world = world_with_draft
    assert world.revision is not None
    first = try_out(world, world.revision, chosen("look"), LOOK)
    assert first.outcome == Outcome.SUCCEEDED
    assert trial_report(first, reader=world.designer).is_working


def test_a_draft_that_hands_over_in_circles_comes_to_an_end(world: World) -> None:
    """Publishing refuses it; a trial of the draft must not run for ever."""
    one = activity(use("find_items"), key="one", routing=to("two"))
    revision = world.draft(one, activity(use("find_items"), key="two", routing=to("one")))
    access.grant("activities.use_agent", world.keepers, revision.agent)
    first = try_out(world, revision, chosen("one"), LOOK)
    with use_model(ScriptedModel([LOOK] * 100)):
        trial_drain(first)
    runs = Run.objects.filter(conversation=first.conversation_id)
    assert runs.count() == MOST_TRIED
    assert not runs.exclude(outcome=Outcome.SUCCEEDED).exists()
