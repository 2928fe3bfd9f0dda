"""The built-in interpreter in an open step: it takes what fits, searches once more, asks, gives up."""

from dataclasses import replace

from activities.discovery.index.vectors import embed_due
from activities.models import DiscoveryLog
from activities.tools import registry as tools
from runs import actions, jobs
from runs.llm import use_model
from runs.llm.builtin import BuiltinModel
from runs.models import Run
from tests.openings.opened import open_activity
from tests.support.blueprints import use
from tests.support.catalogue import SOME, catalogue, reading, replaced
from tests.support.stage import stage
from tests.support.world import World, calls_of


def play(run: Run) -> Run:
    with use_model(BuiltinModel()):
        return jobs.run_drain(run.pk)


def decisions(run: Run) -> list[str]:
    return list(DiscoveryLog.objects.filter(run_id=run.pk).order_by("id").values_list("decision", flat=True))


def test_it_calls_what_was_found_and_only_that(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        embed_due()
        world.publish(open_activity())
        run = play(world.start("Please tell me the weight of lamps"))
    assert run.outcome == "succeeded"
    assert stage.calls == ["weight of lamps"]
    assert decisions(run) == ["found"]


def test_a_french_request_finds_by_meaning_and_words(world: World) -> None:
    contracts = [*map(reading, SOME)]
    french = replace(reading("holiday balance"), aliases={"fr": ("solde de congés", "jours de vacances")})
    with catalogue(*contracts, french):
        embed_due()
        world.publish(open_activity())
        run = play(world.start("Combien de jours de congés me reste-t-il ?"))
    assert stage.calls == ["holiday balance"]
    assert run.outcome == "succeeded"


def test_where_nothing_fits_it_asks_once_and_then_hands_over(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        embed_due()
        world.publish(open_activity())
        run = play(world.start("Sing me an old sailor song about whales"))
        assert run.state == "needs_input"
        assert stage.calls == [], "nothing is improvised"
        question = run.questions.get()
        field = question.fields.get()
        actions.question_answer(
            user=world.owner, question_id=question.pk, values={field.name: "A song about whales, sing it"}
        )
        run = play(run)
    assert run.state == "escalated"
    assert stage.calls == []
    assert set(decisions(run)) <= {"none", "weak"}


def test_an_answer_in_other_words_is_found(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        embed_due()
        world.publish(open_activity())
        run = play(world.start("Sing me an old sailor song about whales"))
        question = run.questions.get()
        field = question.fields.get()
        actions.question_answer(
            user=world.owner, question_id=question.pk, values={field.name: "Tell me the price of tables"}
        )
        run = play(run)
    assert stage.calls == ["price of tables"]
    assert run.outcome == "succeeded"


def test_a_named_tool_is_not_called_because_it_is_there(world: World) -> None:
    """In an open step, naming a tool makes it one among others: the request decides."""
    with catalogue(*map(reading, SOME)):
        embed_due()
        world.publish(open_activity(use("find_items")))
        run = play(world.start("Tell me the price of tables"))
    assert stage.calls == ["price of tables"]
    assert run.outcome == "succeeded"


def test_a_record_is_grounded_for_an_opened_tool_too(world: World) -> None:
    reserve = tools.get("store.reserve")
    assert reserve is not None
    replaced(replace(reserve, tags=("reading",), title="Reserve an item", summary="Reserves one item."))
    with catalogue(*map(reading, SOME)):
        embed_due()
        world.publish(open_activity())
        run = play(world.start("Reserve the item A-100"))
        assert [call.state for call in calls_of(run)] == ["succeeded"]
        other = play(world.start("Reserve the item Z-900"))
    assert not [call for call in calls_of(other) if call.state == "succeeded"]
