"""Where a procedure stands, in a prompt's words: what was declared, what the facts show, what is open."""

from collections.abc import Iterator

from runs.engine.controller import still_wanted
from runs.engine.failures import ends_in
from runs.engine.plan import since_resumed
from runs.intentions import announced, is_asked, is_chained, next_goal
from runs.models import RunStep
from runs.states import StepState
from runs.view import RunView


def anchors(view: RunView, step: RunStep) -> str:
    """Return the reminders for the next request of `step`; empty when it needs none."""
    stopped = bool(ends_in(since_resumed(step, view.rounds_of(step))))
    if not stopped and not is_chained(view):
        return ""
    lines = ["Where the procedure stands:", *(_line(view, row) for row in view.steps)]
    if stopped:
        lines.append(
            "You ended your turn without calling a function, and the step is open. What you say changes"
            " nothing: only results do. Call one of the functions, or call escalate."
        )
    if is_asked(view, step):
        lines.extend(_request(view, step))
    return "\n".join(lines)


def _line(view: RunView, row: RunStep) -> str:
    parts = [f"{row.position}. {row.step.goal}"]
    if is_chained(view) and row.intention:
        parts.append(f"You declared: “{row.intention}”.")
    if row.state == StepState.PASSED:
        parts.append(f"The facts show: {_facts(view, row)}. Passed.")
    elif row.state == StepState.ENGAGED:
        missing = still_wanted(row.step, view.scope(row))
        parts.append(f"Open. Facts still missing: {', '.join(missing) or 'none, but its condition fails'}.")
    else:
        parts.append("To come.")
    if is_chained(view) and row.next_intention:
        parts.append(f"Next you declared: “{row.next_intention}”.")
    return " ".join(parts)


def _facts(view: RunView, row: RunStep) -> str:
    keys = dict.fromkeys(fact.key for fact in view.facts if fact.step_id == row.pk)
    return ", ".join(keys) or "its condition holds"


def _request(view: RunView, step: RunStep) -> Iterator[str]:
    if step.declaration:
        yield "You have not declared your intention for this step yet. Do it with your next call."
    yield f"With your call, give as `intention` what you do now. Announced was: “{announced(view, step)}”."
    if goal := next_goal(view, step):
        yield f"Give as `next_intention` what you will do in the next step ({goal})."
