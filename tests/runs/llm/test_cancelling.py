"""A person who stops does not wait for an endpoint that is silent."""

from dataclasses import replace

import pytest

from runs import jobs
from runs.llm import use_model
from runs.llm.base import ModelCancelled, ModelRequest, drain
from runs.models import Run
from tests.loopback import ModelServer, turns
from tests.runs.llm.samples import model_at
from tests.runs.llm.samples import request as sample
from tests.support.blueprints import activity, use
from tests.support.world import World

SILENT = turns.text("late").but(header_pace=60.0)


def test_a_silent_call_ends_when_it_is_not_wanted_any_more():
    asked = []
    request = replace(sample(), timeout_seconds=60.0, cancelled=lambda: bool(asked.append(1) or True))
    with ModelServer(answer=lambda payload: SILENT) as server, model_at(server.base_url) as model:
        with pytest.raises(ModelCancelled):
            drain(model.stream(request), model.name)
        assert len(server.received) == 1  # not tried again
    assert asked


class StopsTheRun:
    """Waits for nobody: the person presses Stop while it is asked."""

    name = "stopped"

    def stream(self, request: ModelRequest):
        Run.objects.update(stop_requested=True)
        assert request.cancelled()
        raise ModelCancelled
        yield


def test_the_run_is_stopped_and_nothing_was_started(world: World):
    world.publish(activity(use("reserve")))
    run = world.start()
    with use_model(StopsTheRun()):
        run = jobs.run_drain(run.pk)

    assert run.outcome == "cancelled"
    assert [call.error_code for call in run.model_call_rows.all()][-1] == "cancelled"
    assert not run.calls.exists()
