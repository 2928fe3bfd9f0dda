"""The five limits of an activity: admitted or refused up front, never found out afterwards."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from activities.models import Activity
from agentapp.kernel.errors import TooMuch
from runs.models import Run


class Limit(StrEnum):
    MODEL_CALLS = "max_model_calls"
    TOOL_CALLS = "max_tool_calls"
    DURATION = "max_duration_seconds"
    OUTPUT_TOKENS = "max_output_tokens"
    CONTEXT = "max_context_bytes"


class GuardrailReached(TooMuch):
    """A limit would be passed; the act was not started. `limit` says which."""

    code = "guardrail"

    def __init__(self, limit: Limit) -> None:
        super().__init__(f"The limit {limit.value} is reached.", limit=limit.value)
        self.limit = limit


@dataclass(frozen=True)
class Limits:
    """What one run may use. Seconds are of active time: waiting for a person does not count."""

    max_model_calls: int = 20
    max_tool_calls: int = 30
    max_duration_seconds: int = 300
    max_output_tokens: int = 8_000
    max_context_bytes: int = 200_000


DEFAULTS = Limits()


def limits_of(activity: Activity | None) -> Limits:
    """Return the activity's limits; what it leaves empty, and a run not routed yet, has the defaults."""
    if activity is None:
        return DEFAULTS
    return Limits(
        **{limit.value: getattr(activity, limit.value) or getattr(DEFAULTS, limit.value) for limit in Limit}
    )


def admit_model_call(run: Run, limits: Limits, context_bytes: int) -> int:
    """Return the output tokens the run has left. Raises GuardrailReached."""
    if run.model_calls >= limits.max_model_calls:
        raise GuardrailReached(Limit.MODEL_CALLS)
    if context_bytes > limits.max_context_bytes:
        raise GuardrailReached(Limit.CONTEXT)
    left = limits.max_output_tokens - run.output_tokens
    if left <= 0:
        raise GuardrailReached(Limit.OUTPUT_TOKENS)
    return left


def active_seconds(run: Run, driving_since: datetime, now: datetime) -> float:
    """Return the seconds this run was worked on, up to `now`."""
    return run.active_seconds + max(0.0, (now - driving_since).total_seconds())


def out_of_time(run: Run, limits: Limits, driving_since: datetime, now: datetime) -> bool:
    return active_seconds(run, driving_since, now) >= limits.max_duration_seconds
