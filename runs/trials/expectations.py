"""Whether a trial did what its test prompt expects: part by part, with a reason for each that did not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from django.utils.translation import gettext as _

from activities.models import ExpectedCall, TestPrompt
from activities.models.prompts import ExpectedOutcome, ExpectedRoute
from runs.models import Run, RunStep, ToolCall
from runs.questions import ACTIVITY_FIELD
from runs.report import shown_outcome
from runs.states import FRUITFUL_CALL_STATES, Outcome, StepState

ROUTE, INPUTS, CALLS, OUTCOME = "route", "inputs", "calls", "outcome"
_DONE = (Outcome.SUCCEEDED, Outcome.SIMULATED)
_NOT_REACHED = (StepState.PENDING, StepState.ABANDONED)


@dataclass(frozen=True)
class Part:
    """One part of what was expected. `activity_key` says whose step it is."""

    key: str
    passed: bool
    reason: str = ""
    activity_key: str = ""


def compare(prompt: TestPrompt, run: Run) -> list[Part]:
    """Return the parts that were reached: route, inputs, steps, calls, outcome."""
    route = _route(prompt, run)
    if not route.passed:
        return [route]
    parts = [route]
    if prompt.expected_route == ExpectedRoute.ACTIVITY:
        parts.append(_inputs(prompt, run))
        parts.extend(_steps(prompt, run))
        if prompt.expected_calls.all():
            parts.append(_calls(prompt, run))
    parts.append(_outcome(prompt, run))
    return parts


def _route(prompt: TestPrompt, run: Run) -> Part:
    expected = prompt.expected_activity.key if prompt.expected_activity else prompt.expected_route
    actual = route_of(run)
    reason = _("It led to %(actual)s, not to %(expected)s.") % {"actual": actual, "expected": expected}
    return Part(ROUTE, actual == expected, "" if actual == expected else reason)


def route_of(run: Run) -> str:
    """Return where a run was led: an activity's key, or in a word why to none."""
    if run.activity is not None:
        return run.activity.key
    if ACTIVITY_FIELD in asked_fields(run):
        return ExpectedRoute.UNCLEAR.value
    return ExpectedRoute.DECLINED.value if run.outcome == Outcome.DECLINED else (run.outcome or run.state)


def asked_fields(run: Run) -> list[str]:
    """Return the names of all that was asked of the person outside of a step."""
    questions = run.questions.filter(step__isnull=True).prefetch_related("fields")
    return [field.name for question in questions for field in question.fields.all()]


def _inputs(prompt: TestPrompt, run: Run) -> Part:
    reasons = []
    asked, expected = set(asked_fields(run)) - {ACTIVITY_FIELD}, set(prompt.expected_fields)
    if asked != expected:
        words = {"actual": ", ".join(sorted(asked)) or "-", "expected": ", ".join(sorted(expected)) or "-"}
        reasons.append(_("It asked for: %(actual)s; expected: %(expected)s.") % words)
    values = dict(run.inputs.values_list("name", "value"))
    for name, value in prompt.expected_inputs.items():
        if not fits(value, values.get(name)):
            words = {"name": name, "actual": repr(values.get(name)), "expected": repr(value)}
            reasons.append(_("%(name)s is %(actual)s, not %(expected)s.") % words)
    return Part(INPUTS, not reasons, " ".join(reasons), _key(run))


def _steps(prompt: TestPrompt, run: Run) -> Iterator[Part]:
    """Yield the steps that were begun. One that did not pass is right where the run was to end there."""
    as_expected = _outcome(prompt, run).passed
    for step in run.steps.select_related("step"):
        if step.state in _NOT_REACHED and step.started_at is None:
            continue
        passed = step.state == StepState.PASSED or as_expected
        yield Part(step.step.key, passed, "" if passed else _why(step), _key(run))


def _why(step: RunStep) -> str:
    errors = [call.error_message for call in step.calls.all() if call.error_message]
    return "; ".join(filter(None, [step.verdict_reason, *errors[-1:]])) or str(step.get_state_display())


def _calls(prompt: TestPrompt, run: Run) -> Part:
    # Those of the runs it handed over to count as well: a trial has a conversation of its own.
    family = ToolCall.objects.filter(run__conversation=run.conversation_id)
    made = list(family.prefetch_related("arguments"))
    missing = [call for call in prompt.expected_calls.all() if not any(_is(call, item) for item in made)]
    reason = _("Not called as expected: %(calls)s.") % {
        "calls": ", ".join(f"{call.tool_key} {call.arguments or ''}".strip() for call in missing)
    }
    return Part(CALLS, not missing, reason if missing else "", _key(run))


def _is(expected: ExpectedCall, call: ToolCall) -> bool:
    if expected.tool_key != call.tool_key:
        return False
    if expected.error_code:
        return call.error_code == expected.error_code
    arguments = {item.name: item.value for item in call.arguments.all()}
    return call.state in FRUITFUL_CALL_STATES and fits(expected.arguments, arguments)


def _outcome(prompt: TestPrompt, run: Run) -> Part:
    actual = shown_outcome(run)
    shown = ExpectedOutcome.DONE.value if actual in _DONE else actual
    passed = shown == prompt.expected_outcome
    words = {"actual": shown or run.state, "expected": prompt.expected_outcome}
    reason = _("It ended as %(actual)s, not as %(expected)s.") % words
    return Part(OUTCOME, passed, "" if passed else reason, _key(run))


def _key(run: Run) -> str:
    return run.activity.key if run.activity else ""


def fits(expected: Any, actual: Any) -> bool:
    """True when `actual` holds at least what `expected` does. Numbers are compared as numbers."""
    if isinstance(expected, Mapping):
        return isinstance(actual, Mapping) and all(
            name in actual and fits(value, actual[name]) for name, value in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(actual, list)
            and len(expected) == len(actual)
            and all(fits(one, other) for one, other in zip(expected, actual, strict=True))
        )
    number = _number(expected)
    return expected == actual or (number is not None and number == _number(actual))


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = Decimal(str(value))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None
