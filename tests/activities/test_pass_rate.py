"""A revision that requires a pass rate is published when an evaluation of exactly what it says reached it."""

from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from activities.actions import revision_change, revision_publish, revision_settings
from activities.actions.publishing import publishing_problems
from activities.models import Evaluation, EvaluationResult, Revision
from agentapp.kernel.errors import InvalidInput
from tests.support.blueprints import activity, use
from tests.support.world import World


@pytest.fixture
def draft(world: World) -> Revision:
    made = world.draft(activity(use("find_items")))
    revision_settings(made, actor=world.designer, expected_version=1, required_pass_rate=Decimal(75))
    made.refresh_from_db()
    return made


def evaluate(draft: Revision, *passed: bool) -> None:
    """Store an evaluation of the draft as it is now."""
    known: Any = {field.name for field in Evaluation._meta.get_fields()}
    values = {"revision": draft, "version": draft.version, "finished_at": timezone.now(), "model": "builtin"}
    row = Evaluation.objects.create(**{name: value for name, value in values.items() if name in known})
    EvaluationResult.objects.bulk_create(
        EvaluationResult(evaluation=row, key=f"p{number}", passed=good) for number, good in enumerate(passed)
    )


def test_without_an_evaluation_it_is_refused(world: World, draft: Revision) -> None:
    with pytest.raises(InvalidInput, match="Run an evaluation"):
        revision_publish(draft, actor=world.designer)


def test_below_the_rate_it_is_refused_and_says_both(world: World, draft: Revision) -> None:
    evaluate(draft, True, True, False)
    with pytest.raises(InvalidInput, match=r"66\.67% .* 75\.00%"):
        revision_publish(draft, actor=world.designer)


def test_at_the_rate_it_is_published(world: World, draft: Revision) -> None:
    evaluate(draft, True, True, True, False)
    assert revision_publish(draft, actor=world.designer).state == "published"


def test_the_newest_evaluation_counts(world: World, draft: Revision) -> None:
    evaluate(draft, True)
    evaluate(draft, False)
    assert len(publishing_problems(draft)) == 1


def test_a_draft_that_changed_since_is_evaluated_again(world: World, draft: Revision) -> None:
    evaluate(draft, True)
    with revision_change(draft, actor=world.designer, expected_version=draft.version) as locked:
        locked.activities.update(instructions="Otherwise.")
    with pytest.raises(InvalidInput, match="Run an evaluation"):
        revision_publish(draft, actor=world.designer)
