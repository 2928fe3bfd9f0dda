"""Trials of the store, driven in this process by a script."""

from typing import Any

from accounts.models import User
from activities.models import Revision
from runs import jobs
from runs.llm import use_model
from runs.llm.base import CHOOSE_ACTIVITY, FILL_INPUTS, Purpose
from runs.llm.scripted import Line, ScriptedModel, call
from runs.models import Run
from runs.trials.actions import trial_start
from tests.support.blueprints import Json, activity, step, use
from tests.support.world import World

TEXT = "Please see to A-100 and A-200."
#: One reading tool, then one of each kind that has an effect.
EVERYTHING: Json = activity(
    use("find_items"),
    use("reserve"),
    use("write_off"),
    use("order"),
    use("notify"),
    steps=[
        step("find_items", key="look"),
        step("reserve", key="reserve"),
        step("write_off", key="write_off"),
        step("order", key="order"),
        step("notify", key="notify"),
    ],
)


def chosen(key: str = "handle") -> Line:
    """The model chooses this activity of the store."""
    answer = {"decision": "activity", "activity": f"store.{key}", "alternatives": []}
    return call(CHOOSE_ACTIVITY, answer, purpose=Purpose.ROUTE)


def declined() -> Line:
    answer = {"decision": "none", "activity": None, "alternatives": []}
    return call(CHOOSE_ACTIVITY, answer, purpose=Purpose.ROUTE)


def filled(**values: Any) -> Line:
    return call(FILL_INPUTS, values, purpose=Purpose.INPUTS)


def try_out(
    world: World, revision: Revision, *lines: Line, as_user: User | None = None, text: str = TEXT
) -> Run:
    """Start a trial as the designer, as the owner unless said otherwise, and drive it to its next pause."""
    run = trial_start(
        actor=world.designer, as_user=as_user or world.owner, revision=revision, prompt=text, language="en"
    )
    return go_on(run, *lines)


def go_on(run: Run, *lines: Line) -> Run:
    model = ScriptedModel(list(lines))
    with use_model(model), model:
        return jobs.run_drain(run.pk)
