"""What recent real runs used of an activity's limits: the same figures as counted here, in one query."""

import statistics

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from activities.models import ActivityIdentity
from runs.guardrails import Limit
from runs.models import Conversation, Run
from runs.states import Outcome, RunState
from runs.usage import RECENT, used
from tests.support.blueprints import activity, use
from tests.support.world import World


@pytest.fixture
def identity(world: World) -> ActivityIdentity:
    apart = {"when_not_to_use": "For the other one."}
    world.publish(activity(use("find_items"), **apart), activity(use("find_items"), key="other", **apart))
    return world.activity().identity


def finished(world: World, *calls: int, key: str = "handle", trial: bool = False, **changed: object) -> None:
    """Runs that used so many model calls each, and multiples of it of the rest."""
    place = Conversation.objects.create(workspace=world.workspace, user=world.owner, trial=trial)
    chosen = world.activity(key)
    Run.objects.bulk_create(
        Run(
            workspace=world.workspace,
            conversation=place,
            user=world.owner,
            activity=chosen,
            revision=chosen.revision,
            trial=trial,
            language="en",
            time_zone="UTC",
            model_calls=count,
            tool_calls=2 * count,
            active_seconds=count / 2,
            output_tokens=10 * count,
            context_bytes=1_000 * count,
            **{"state": RunState.FINISHED, "outcome": Outcome.SUCCEEDED, **changed},
        )
        for count in calls
    )


def test_median_most_and_highest_of_each_limit(world: World, identity: ActivityIdentity) -> None:
    counts = [*range(1, 100), 500]
    finished(world, *counts)
    usage = used(identity)
    assert usage.runs == 100
    calls = usage.by_limit[Limit.MODEL_CALLS]
    assert calls.median == statistics.median_low(counts)
    assert (calls.percentile_95, calls.highest) == (95, 500)
    assert usage.by_limit[Limit.TOOL_CALLS].median == 2 * calls.median
    assert usage.by_limit[Limit.DURATION].highest == 250
    assert usage.by_limit[Limit.OUTPUT_TOKENS].percentile_95 == 950
    assert usage.by_limit[Limit.CONTEXT].highest == 500_000
    assert set(usage.by_limit) == set(Limit)


def test_trials_other_activities_and_unfinished_runs_do_not_count(
    world: World, identity: ActivityIdentity
) -> None:
    finished(world, 1, 2, 3)
    finished(world, 900, trial=True)
    finished(world, 900, key="other")
    finished(world, 900, state=RunState.ESCALATED, outcome="")
    assert used(identity).by_limit[Limit.MODEL_CALLS].highest == 3


def test_only_recent_runs_count(world: World, identity: ActivityIdentity) -> None:
    finished(world, 900)
    finished(world, *[1] * RECENT)
    usage = used(identity)
    assert usage.runs == RECENT
    assert usage.by_limit[Limit.MODEL_CALLS].highest == 1


def test_over_all_revisions_in_one_query(world: World, identity: ActivityIdentity) -> None:
    finished(world, 5)
    world.publish(activity(use("find_items")))
    finished(world, 7)
    with CaptureQueriesContext(connection) as queries:
        usage = used(identity)
    assert usage.runs == 2
    assert len(queries) == 1


def test_nothing_ran_yet(identity: ActivityIdentity) -> None:
    usage = used(identity)
    assert usage.runs == 0
    assert usage.by_limit == {}
