"""A trial's call that would have an effect: admitted by the gate, shown, and not started."""

from typing import Any

from django.utils import timezone

from agentapp.kernel.canonical import plain
from agentapp.kernel.text import clean_value
from runs.engine.admission import admission, named, preview_json, write_arguments
from runs.engine.ask import Onward
from runs.engine.commit import commit
from runs.engine.light import follow
from runs.finishing import refuse_call
from runs.gate import Admitted
from runs.journal import Journal
from runs.models import Fact, RunStep, ToolCall
from runs.protection import protect
from runs.states import CallState, change_state
from runs.trials.simulation import CannotSimulate, Simulated, simulated_result
from runs.view import RunView


def simulate(view: RunView, step: RunStep, call: ToolCall, admitted: Admitted) -> Onward:
    """Record what a person would be shown, and a made-up result as a fact marked so; then go on."""
    known = [fact.data for fact in reversed(view.facts)]
    spent = view.run.tool_calls + 1
    try:
        made = simulated_result(admitted, known, view.context(call))
    except CannotSimulate as problem:
        with commit(view, tool_calls=spent) as journal:
            refuse_call(call, journal, "not_simulated", str(problem))
            return follow(view, journal)
    with commit(view, tool_calls=spent) as journal:
        _record(view, step, call, admitted, made, journal)
        return follow(view, journal)


def _record(
    view: RunView, step: RunStep, call: ToolCall, admitted: Admitted, made: Simulated, journal: Journal
) -> None:
    data: Any = clean_value(plain(made.result.model_dump(mode="python")))
    write_arguments(call, admitted)
    change_state(
        call,
        CallState.SIMULATED,
        via=(CallState.ADMITTED,),
        result=data,
        simulation=_shown(view, call, admitted, made),
        ended_at=timezone.now(),
        **admission(call, admitted),
    )
    protect(data, admitted.contract, view.vault)
    view.vault.save()
    fact = Fact.objects.create(
        run=view.run, step=step, call=call, key=admitted.contract.fact_key, data=data, simulated=True
    )
    view.facts.append(fact)
    journal.event("call.admitted", {**named(call), "digest": admitted.digest})
    journal.event("call.simulated", named(call))
    journal.event("fact.recorded", {"call": str(call.pk), "key": fact.key, "simulated": True})


def _shown(view: RunView, call: ToolCall, admitted: Admitted, made: Simulated) -> dict[str, object]:
    return {
        "asks": admitted.asks,
        "preview": preview_json(admitted.preview) if admitted.preview else None,
        "sources": dict(made.sources),
    }
