"""Invariant 10: guardrails bind before, not after: what would pass a limit is not started."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from runs.guardrails import DEFAULTS, Limit, limits_of
from runs.llm.base import Purpose
from runs.llm.scripted import call, calls, say
from runs.models import ModelCall, Run
from tests.support.blueprints import activity, prose, step, use
from tests.support.stage import effects
from tests.support.world import World, act, event_types, refusals_of, states_of

NEVER = "has(facts.reserve) && facts.reserve.quantity > 1000"


def limited(limit: str, value: int, **more: Any) -> dict[str, Any]:
    steps = [step("reserve", passes_when=NEVER, max_attempts=20)]
    return activity(use("reserve"), **{"steps": steps, "guardrails": {limit: value}, **more})


def reserve(quantity: int) -> Any:
    return act("reserve", {"item": "A-100", "quantity": quantity})


def check_stopped(run: Run, limit: Limit) -> None:
    assert (run.outcome, run.error_code) == ("stopped_by_guardrail", limit.value)
    assert "limit" in run.answer
    assert run.steps.get().state == "abandoned"


def test_a_hundred_calls_with_a_limit_of_five_run_five(world: World) -> None:
    world.publish(limited("max_tool_calls", 5))
    run = world.run(calls(*[("store_reserve", {"item": "A-100", "quantity": n}) for n in range(1, 101)]))
    assert effects() == [f"reserve A-100 x{n}" for n in range(1, 6)]
    assert states_of(run).count("succeeded") == 5
    assert refusals_of(run).count("guardrail") == 95
    check_stopped(run, Limit.TOOL_CALLS)


def test_refused_calls_count_too(world: World) -> None:
    world.publish(limited("max_tool_calls", 3))
    run = world.run(
        calls(
            ("nonsense", {}),
            ("other", {}),
            ("store_reserve", {"item": "A-100"}),
            ("store_reserve", {"item": "A-200"}),
        )
    )
    assert refusals_of(run) == ["not_in_step", "not_in_step", "", "guardrail"]
    assert effects() == ["reserve A-100 x1"]


def test_ten_parallel_calls_with_two_left_run_two(world: World) -> None:
    world.publish(limited("max_tool_calls", 4))
    first = calls(*[("store_reserve", {"item": "A-100", "quantity": n}) for n in (1, 2)])
    then = calls(*[("store_reserve", {"item": "A-200", "quantity": n}) for n in range(1, 11)])
    run = world.run(first, then)
    assert len(effects()) == 4
    assert run.outcome == "stopped_by_guardrail"


def test_model_calls(world: World) -> None:
    world.publish(limited("max_model_calls", 2))
    run = world.run(reserve(1), reserve(2))
    assert run.model_calls == 2
    assert ModelCall.objects.filter(run=run).count() == 2
    check_stopped(run, Limit.MODEL_CALLS)


def test_output_tokens(world: World) -> None:
    world.publish(limited("max_output_tokens", 100))
    run = world.run(reserve(1).but(usage=(10, 60)), reserve(2).but(usage=(10, 60)))
    assert [request.max_output_tokens for request in world.requests()] == [100, 40]
    assert run.output_tokens == 120
    check_stopped(run, Limit.OUTPUT_TOKENS)


def test_one_reply_has_a_limit_of_its_own(world: World) -> None:
    world.publish(activity(use("find_items")))
    world.run(act("find_items", {"words": None}))
    assert 0 < world.requests()[0].max_output_tokens < DEFAULTS.max_output_tokens


def test_context_bytes(world: World) -> None:
    world.publish(limited("max_context_bytes", 1024, instructions="x" * 2000))
    run = world.run()
    assert world.requests() == []
    assert run.model_calls == 0
    check_stopped(run, Limit.CONTEXT)


def test_active_seconds(world: World) -> None:
    world.publish(limited("max_duration_seconds", 60))
    run = world.run(call("ask_person", {"parameter": None, "question": "?"}))
    Run.objects.filter(pk=run.pk).update(state="queued", active_seconds=61)
    run.questions.update(state="answered")
    run = world.play(run)
    check_stopped(run, Limit.DURATION)
    assert effects() == []


def test_waiting_for_a_person_does_not_count(world: World) -> None:
    world.publish(activity(use("order"), guardrails={"max_duration_seconds": 60}))
    run = world.run(act("order", {"item": "A-100", "amount": "5", "priority": None, "note": None}))
    day_ago = timezone.now() - timedelta(days=1)
    Run.objects.filter(pk=run.pk).update(created_at=day_ago, queued_at=day_ago)
    world.confirm(run)
    assert world.play(run).outcome == "succeeded"


def test_prose_is_admitted_too(world: World) -> None:
    world.publish(activity(use("find_items"), outputs=[prose()], guardrails={"max_model_calls": 1}))
    run = world.run(act("find_items", {"words": None}))
    assert run.model_calls == 1
    assert run.outcome == "stopped_by_guardrail"


def test_the_same_bad_call_for_ever_stops_after_the_steps_attempts(world: World) -> None:
    world.publish(activity(use("reserve"), steps=[step("reserve", max_attempts=3)]))
    run = world.run(*[act("reserve", {"item": "A-400", "quantity": 1})] * 3)
    assert (run.state, run.model_calls) == ("escalated", 3)
    assert run.steps.get().attempts == 3
    assert effects() == []


def test_routing_and_inputs_are_bound_by_the_defaults(world: World) -> None:
    world.publish(activity(use("find_items")))
    run = world.play(world.post(), *[say("hm", purpose=Purpose.ROUTE)] * 3)
    assert (run.outcome, run.error_code) == ("failed", "model_unusable")
    assert event_types(run).count("model.called") == 3


def test_an_empty_limit_is_the_products(world: World) -> None:
    world.publish(activity(use("find_items"), guardrails={"max_tool_calls": 7}))
    limits = limits_of(world.activity())
    assert limits.max_tool_calls == 7
    for limit in set(Limit) - {Limit.TOOL_CALLS}:
        assert getattr(limits, limit.value) == getattr(DEFAULTS, limit.value)
