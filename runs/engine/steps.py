"""What may happen next in a run: a closed union. Planning chooses one, execution carries it out."""

from dataclasses import dataclass

from runs.models import RunStep, ToolCall
from runs.models.escalation import EscalationReason
from runs.states import Outcome, RunState


@dataclass(frozen=True)
class Route:
    """Ask which activity is meant."""


@dataclass(frozen=True)
class FillInputs:
    """Take the inputs from the person's words, ask for what is missing, else lay out the steps."""


@dataclass(frozen=True)
class Engage:
    step: RunStep


@dataclass(frozen=True)
class Discover:
    """Find, in the part of the catalogue that the step is open to, the tools to show."""

    step: RunStep


@dataclass(frozen=True)
class AskModel:
    """Let the model act on the step."""

    step: RunStep


@dataclass(frozen=True)
class CarryOut:
    """Put a proposed call through the gate, and execute it unless it must be confirmed first."""

    step: RunStep
    call: ToolCall


@dataclass(frozen=True)
class Execute:
    """Execute a call that was admitted before."""

    step: RunStep
    call: ToolCall


@dataclass(frozen=True)
class Recover:
    """A call was being executed when its worker went away."""

    step: RunStep
    call: ToolCall


@dataclass(frozen=True)
class Adjust:
    """The round brought no new fact: count the attempt, say why."""

    step: RunStep
    reason: str


@dataclass(frozen=True)
class PassStep:
    step: RunStep
    reason: str


@dataclass(frozen=True)
class StopStep:
    """The stop condition holds: there is nothing to do."""

    step: RunStep
    reason: str


@dataclass(frozen=True)
class EscalateStep:
    step: RunStep
    reason: EscalationReason
    gap: str


@dataclass(frozen=True)
class WriteProse:
    """Let the model write the prose fields. `step` is the writing step, if the procedure has one."""

    step: RunStep | None


@dataclass(frozen=True)
class Finish:
    outcome: Outcome
    code: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Wait:
    """Nothing to do until a person acts: the state the run waits in."""

    state: RunState


NextStep = (
    Route
    | FillInputs
    | Engage
    | Discover
    | AskModel
    | CarryOut
    | Execute
    | Recover
    | Adjust
    | PassStep
    | StopStep
    | EscalateStep
    | WriteProse
    | Finish
    | Wait
)
