"""A value the person gave turns out wrong at the gate: they are asked for it again, not the model."""

from collections.abc import Sequence

from accounts.models import ActorKind
from activities.models import ActivityInput
from activities.models.authority import ParamSource
from runs.gate import Refused
from runs.inputs import asked
from runs.journal import Journal
from runs.models import RunInput, ToolCall
from runs.models.question import AskedBecause
from runs.questions import ask_person
from runs.states import RunState, change_state
from runs.view import RunView


def inputs_refused(view: RunView, call: ToolCall, refusal: Refused) -> list[ActivityInput]:
    """Return the inputs behind the wrong parameters; none when another source decided one of them."""
    binding = view.bindings.get(call.tool_key)
    if binding is None or view.activity is None or not refusal.params:
        return []
    bound = {param.name: param for param in binding.params.all()}
    names = []
    for name in refusal.params:
        if name not in bound or bound[name].source != ParamSource.INPUT:
            return []
        names.append(bound[name].input_path.partition(".")[0])
    return [
        field for field in view.activity.inputs.all() if field.name in names and field.name in view.inputs
    ]


def ask_again(view: RunView, fields: Sequence[ActivityInput], refusal: Refused, journal: Journal) -> None:
    """Forget these inputs and ask for them, saying what was wrong. The run waits for the answer."""
    items = []
    for field in fields:
        row = view.inputs.pop(field.name)
        items.append(asked(view, field, AskedBecause.INVALID, words=row.label, error=refusal.message))
        journal.event("run.input_rejected", {"name": field.name, "value": row.value}, ActorKind.SYSTEM)
    RunInput.objects.filter(run=view.run, name__in=[field.name for field in fields]).delete()
    change_state(view.run, RunState.NEEDS_INPUT, where={"fence": view.run.fence}, lease_until=None)
    view.questions.append(ask_person(view.run, items, journal))
