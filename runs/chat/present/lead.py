"""One or two sentences that say what became of a run, before all details."""

from django.utils.translation import gettext, ngettext

from runs.models import Run
from runs.states import CallState, Outcome, RunState, StepState


def lead_of(run: Run) -> str:
    """Return what happened in a run of `rows.whole_runs`, in words, for somebody who knows nothing of it."""
    passed = sum(step.state == StepState.PASSED for step in run.steps.all())
    total = len(run.steps.all())
    said = {"passed": passed, "total": total}
    steps = gettext("Steps proven by facts: %(passed)d of %(total)d.") % said
    return f"{_end(run)} {steps if total else ''} {_effects(run) if total else ''}".strip()


def _end(run: Run) -> str:
    if run.state != RunState.FINISHED:
        return _now(run)
    return {
        Outcome.SUCCEEDED.value: gettext("This request was carried out."),
        Outcome.NOTHING_TO_DO.value: gettext("There was nothing to do."),
        Outcome.REFUSED.value: gettext("This request was not carried out: somebody, or a rule, said no."),
        Outcome.DECLINED.value: gettext("This is nothing that can be asked for here."),
        Outcome.FAILED.value: gettext("This request could not be carried out."),
        Outcome.CANCELLED.value: gettext("This request was stopped."),
        Outcome.EXPIRED.value: gettext("This request ended because nobody answered in time."),
        Outcome.GUARDRAIL.value: gettext("This request was stopped by a limit of its activity."),
        Outcome.ESCALATED.value: gettext("This request could not go on by itself."),
        Outcome.SIMULATED.value: gettext("This was a trial: nothing was executed."),
    }.get(run.outcome, str(Outcome(run.outcome).label).capitalize() + ".")


def _now(run: Run) -> str:
    match run.state:
        case RunState.ESCALATED:
            return gettext("A step could not be passed, so somebody else decides.")
        case RunState.NEEDS_INPUT:
            return gettext("This request waits for an answer.")
        case RunState.AWAITING:
            return gettext("This request waits for a decision on an action.")
        case RunState.TURN:
            return gettext("This request goes on when the other one in its conversation has ended.")
    return gettext("This request is being worked on.")


def _effects(run: Run) -> str:
    """Return how many actions changed something, said plainly: that is what a reader wants to know first."""
    done = sum(call.state == CallState.SUCCEEDED and call.effect != "none" for call in run.calls.all())
    if any(call.state == CallState.UNKNOWN for call in run.calls.all()):
        return gettext("The outcome of an action is not known.")
    if not done:
        return gettext("Nothing was changed.")
    return ngettext("%(count)d action changed something.", "%(count)d actions changed something.", done) % {
        "count": done
    }
