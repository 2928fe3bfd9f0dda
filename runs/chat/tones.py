"""Which colour and sign go with a state: one table, so that all screens agree."""

from collections.abc import Mapping

from runs.states import CallState, ConfirmationState, EscalationState, Outcome, RunState, StepState

#: (badge, icon)
Tone = tuple[str, str]

OUTCOMES: Mapping[str, Tone] = {
    Outcome.SUCCEEDED: ("good", "check"),
    Outcome.SIMULATED: ("plain", "minus"),
    Outcome.NOTHING_TO_DO: ("plain", "minus"),
    Outcome.NEEDS_INPUT: ("wait", "question"),
    Outcome.AWAITING_CONFIRMATION: ("wait", "hand"),
    Outcome.REFUSED: ("plain", "hand"),
    Outcome.DECLINED: ("plain", "minus"),
    Outcome.ESCALATED: ("wait", "person"),
    Outcome.FAILED: ("bad", "alert"),
    Outcome.CANCELLED: ("plain", "stop"),
    Outcome.EXPIRED: ("plain", "clock"),
    Outcome.GUARDRAIL: ("bad", "alert"),
}
RUNS: Mapping[str, Tone] = {
    RunState.QUEUED: ("busy", "clock"),
    RunState.WORKING: ("busy", "clock"),
    RunState.NEEDS_INPUT: ("wait", "question"),
    RunState.AWAITING: ("wait", "hand"),
    RunState.ESCALATED: ("wait", "person"),
    RunState.TURN: ("busy", "clock"),
}
STEPS: Mapping[str, Tone] = {
    StepState.PENDING: ("plain", "minus"),
    StepState.ENGAGED: ("busy", "clock"),
    StepState.PASSED: ("good", "check"),
    StepState.STOPPED: ("plain", "minus"),
    StepState.ESCALATED: ("wait", "person"),
    StepState.ABANDONED: ("plain", "close"),
}
ESCALATIONS: Mapping[str, Tone] = {
    EscalationState.OPEN: ("wait", "person"),
    EscalationState.RESUMED: ("good", "arrow"),
    EscalationState.SOLVED: ("good", "check"),
    EscalationState.CLOSED: ("plain", "close"),
}
CALLS: Mapping[str, Tone] = {
    CallState.PROPOSED: ("plain", "minus"),
    CallState.AWAITING: ("wait", "hand"),
    CallState.ADMITTED: ("busy", "clock"),
    CallState.EXECUTING: ("busy", "clock"),
    CallState.SUCCEEDED: ("good", "check"),
    CallState.SIMULATED: ("plain", "minus"),
    CallState.FAILED: ("bad", "alert"),
    CallState.REFUSED: ("plain", "hand"),
    CallState.UNKNOWN: ("bad", "alert"),
}
CONFIRMATIONS: Mapping[str, Tone] = {
    ConfirmationState.PENDING: ("wait", "hand"),
    ConfirmationState.CONFIRMED: ("good", "check"),
    ConfirmationState.REFUSED: ("plain", "hand"),
    ConfirmationState.EXPIRED: ("plain", "clock"),
    ConfirmationState.VOID: ("plain", "minus"),
}
