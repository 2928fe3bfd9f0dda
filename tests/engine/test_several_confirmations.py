"""Several high-risk calls in one reply: each is decided by itself, and the run waits for all of them."""

import pytest

from agentapp.kernel.errors import Conflict
from runs import actions
from runs.llm.scripted import calls
from runs.models import Run
from tests.support.blueprints import activity, use
from tests.support.stage import effects, stage
from tests.support.world import World, act, event_types, expire_now, pending, states_of

THREE = calls(*[("store_write_off", {"item": "A-100", "quantity": n}) for n in (1, 2, 3)])


@pytest.fixture
def waiting(world: World) -> Run:
    world.publish(activity(use("write_off")))
    return world.run(THREE)


def decide(world: World, run: Run, index: int, decision: str) -> None:
    card = run.confirmations.order_by("call__position")[index]
    actions.confirmation_decide(
        user=world.owner, confirmation_id=card.pk, decision=decision, digest=card.digest
    )


def test_three_calls_are_three_confirmations_and_the_run_waits_for_all(world: World, waiting: Run) -> None:
    assert len(pending(waiting)) == 3
    for index in (2, 0):
        decide(world, waiting, index, "confirm")
        waiting.refresh_from_db()
        assert waiting.state == "awaiting_confirmation"
        assert effects() == []
    decide(world, waiting, 1, "confirm")
    waiting.refresh_from_db()
    assert waiting.state == "queued"
    run = world.play(waiting)
    assert run.outcome == "succeeded"
    assert sorted(effects()) == [f"write off A-100 x{n}" for n in (1, 2, 3)]


def test_confirm_and_refuse_are_not_mixed_up(world: World, waiting: Run) -> None:
    decide(world, waiting, 1, "refuse")
    decide(world, waiting, 0, "confirm")
    decide(world, waiting, 2, "confirm")
    run = world.play(waiting)
    assert states_of(run) == ["succeeded", "refused", "succeeded"]
    assert effects() == ["write off A-100 x1", "write off A-100 x3"]


def test_one_that_expires_refuses_itself_only(world: World, waiting: Run) -> None:
    decide(world, waiting, 0, "confirm")
    decide(world, waiting, 1, "confirm")
    expire_now(pending(waiting))
    with pytest.raises(Conflict):
        decide(world, waiting, 2, "confirm")
    run = world.play(waiting)
    assert states_of(run) == ["succeeded", "succeeded", "refused"]
    assert len(effects()) == 2


def test_the_digest_of_one_does_not_confirm_another(world: World, waiting: Run) -> None:
    first, second, _third = pending(waiting)
    with pytest.raises(Conflict):
        actions.confirmation_decide(
            user=world.owner, confirmation_id=first.pk, decision="confirm", digest=second.digest
        )
    assert states_of(waiting) == ["awaiting"] * 3


def test_the_digest_of_another_run_does_not_confirm(world: World, waiting: Run) -> None:
    other = world.play(world.start(), THREE)
    assert {item.digest for item in pending(other)}.isdisjoint({item.digest for item in pending(waiting)})
    with pytest.raises(Conflict):
        actions.confirmation_decide(
            user=world.owner,
            confirmation_id=pending(waiting)[0].pk,
            decision="confirm",
            digest=pending(other)[0].digest,
        )


@pytest.mark.parametrize("decision", ["confirm", "refuse"])
def test_a_decision_while_the_worker_is_busy_is_not_lost(world: World, decision: str) -> None:
    """The dialog is open while another call of the same reply runs; nobody is left waiting for ever."""
    world.publish(activity(use("notify"), use("write_off")))
    run = world.start()
    stage.on("notify", lambda _context, _params: decide(world, run, 0, decision))
    run = world.play(run, calls(("store_write_off", {"item": "A-100"}), ("store_notify", {"item": "A-100"})))
    assert run.state == "finished"
    assert effects() == (["write off A-100 x1"] if decision == "confirm" else [])
    assert len(stage.sent) == 1


def test_stop_while_a_slow_call_runs_and_a_card_is_pending(world: World) -> None:
    """No further tool starts, and the card cannot be approved any more."""
    world.publish(activity(use("notify"), use("write_off"), use("reserve")))
    run = world.start()

    def stop(_context: object, _params: object) -> None:
        actions.run_stop(user=world.owner, run_id=run.pk)

    stage.on("notify", stop)
    run = world.play(
        run,
        calls(
            ("store_write_off", {"item": "A-100"}),
            ("store_notify", {"item": "A-100"}),
            ("store_reserve", {"item": "A-100"}),
        ),
    )
    assert run.outcome == "cancelled"
    assert states_of(run) == ["refused", "succeeded", "refused"]
    with pytest.raises(Conflict, match="stopped"):
        decide(world, run, 0, "confirm")
    assert world.play(run).outcome == "cancelled"
    assert effects() == []
    assert event_types(run).count("run.finished") == 1


def test_stop_while_only_a_card_is_left(world: World) -> None:
    world.publish(activity(use("notify"), use("write_off")))
    run = world.start()
    stage.on("notify", lambda _context, _params: actions.run_stop(user=world.owner, run_id=run.pk) and None)
    run = world.play(run, calls(("store_write_off", {"item": "A-100"}), ("store_notify", {"item": "A-100"})))
    assert run.outcome == "cancelled"
    assert not pending(run)


def test_stop_of_a_waiting_run_is_at_once(world: World, waiting: Run) -> None:
    actions.run_stop(user=world.owner, run_id=waiting.pk)
    waiting.refresh_from_db()
    assert waiting.outcome == "cancelled"
    for index in range(3):
        with pytest.raises(Conflict, match="stopped"):
            decide(world, waiting, index, "confirm")
    with pytest.raises(Conflict):
        actions.run_stop(user=world.owner, run_id=waiting.pk)
    assert world.play(waiting).outcome == "cancelled"
    assert effects() == []


def test_stop_while_the_model_answers_starts_nothing(world: World) -> None:
    world.publish(activity(use("reserve")))
    run = world.start()

    def stop(_request: object) -> None:
        actions.run_stop(user=world.owner, run_id=run.pk)

    run = world.play(run, act("reserve", {"item": "A-100", "quantity": 1}).but(check=stop))
    assert run.outcome == "cancelled"
    assert states_of(run) == ["refused"]
    assert effects() == []


def test_stop_while_the_model_asks_the_person_ends_the_run(world: World) -> None:
    world.publish(activity(use("reserve")))
    run = world.start()

    def stop(_request: object) -> None:
        actions.run_stop(user=world.owner, run_id=run.pk)

    line = calls(("ask_person", {"parameter": None, "question": "Which one?"})).but(check=stop)
    run = world.play(run, line)
    assert run.outcome == "cancelled"
    assert not run.questions.filter(state="open").exists()
