"""Where nothing is near: other words, a second search, and then an honest end."""

import pytest

from activities.models import DiscoveryLog
from runs import actions
from runs.llm.base import Purpose
from runs.llm.scripted import Line, call
from runs.models import Run
from tests.openings.opened import ask_for, open_activity, rewrite, shown
from tests.support.catalogue import SOME, catalogue, reading
from tests.support.world import World, text_of

NOWHERE = "Xyzzy frobnicate qwijibo"
LAST_WAY_OUT = call("escalate", {"reason": "no way"})


def logs(run: Run) -> list[DiscoveryLog]:
    return list(DiscoveryLog.objects.filter(run_id=run.pk).order_by("id"))


def test_where_nothing_is_near_other_words_are_asked_for_once(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        world.publish(open_activity())
        run = world.run(rewrite("weight of lamps"), ask_for("weight of lamps"), text=NOWHERE)
    (log,) = logs(run)
    assert run.outcome == "succeeded"
    assert (log.query, log.rewritten_query, log.decision) == (NOWHERE, "weight of lamps", "found")
    purposes = [request.purpose for request in world.requests()]
    assert purposes == [Purpose.REWRITE, Purpose.STEP]
    assert run.model_calls == 2


@pytest.mark.parametrize("line", [rewrite(NOWHERE), rewrite(" "), Line(text="I do not know.")])
def test_still_nothing_near_means_none_fits_and_the_step_says_so(world: World, line: Line) -> None:
    with catalogue(*map(reading, SOME)):
        world.publish(open_activity())
        run = world.run(line, LAST_WAY_OUT, text=NOWHERE)
    request = world.requests()[-1]
    assert run.state == "escalated"
    assert shown(request) == {"find_tools"}
    assert "No function was found" in text_of(request)
    assert logs(run)[0].decision == "none"


def test_a_clarification_is_searched_anew_with_the_persons_words(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        world.publish(open_activity())
        asked = call("ask_person", {"parameter": None, "question": "What do you want to know?"})
        run = world.run(rewrite(NOWHERE), asked, text=NOWHERE)
        assert run.state == "needs_input"
        question = run.questions.get()
        field = question.fields.get()
        actions.question_answer(
            user=world.owner, question_id=question.pk, values={field.name: "The weight of lamps"}
        )
        run = world.play(run, ask_for("weight of lamps"))
    assert run.outcome == "succeeded"
    assert [log.decision for log in logs(run)] == ["none", "found"]
