"""The sentences a run ends with when it has no template to fill: plain, in the person's language."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from activities.models import Activity
from activities.models.fields import in_language
from activities.templates import escape_markdown
from runs.guardrails import Limit
from runs.states import Outcome

#: The code of a declined run whose words forbid something.
TOLD_NOT_TO = "told_not_to"


def declined(offered: Iterable[Activity], language: str) -> str:
    """Return a kind no, with what this person can ask for."""
    lines = [
        _("- **%(activity)s**: %(summary)s")
        % {
            "activity": escape_markdown(in_language(activity.name, language)),
            "summary": escape_markdown(in_language(activity.summary, language)),
        }
        for activity in offered
    ]
    if not lines:
        return _(
            "I cannot help with that: no activity is open to you here yet. "
            "Ask the people who run this workspace to give you the right to one."
        )
    intro = _("I cannot help with that here. This is what you can ask me for:")
    return f"{intro}\n\n" + "\n".join(lines)


def told_not_to() -> str:
    """Return what to say when the person said what must not be done: it was not refused to them."""
    return _(
        "Nothing was done: you said not to. If there is something else that you do want, ask for that alone."
    )


def tried_out(answer: str) -> str:
    """Return a trial's answer, which must not be mistaken for a real one."""
    intro = _("**This was a trial: nothing was executed.** After confirming, a person would read:")
    return f"{intro}\n\n{answer}"


def limit_reached(code: str) -> str:
    """Return what to say when a guardrail stopped the run."""
    which = {
        Limit.MODEL_CALLS: _("the number of model calls"),
        Limit.TOOL_CALLS: _("the number of tool calls"),
        Limit.DURATION: _("the time"),
        Limit.OUTPUT_TOKENS: _("the length of the model's replies"),
        Limit.CONTEXT: _("the amount of context"),
    }
    name = next((said for limit, said in which.items() if limit.value == code), code)
    return _(
        "I stopped because this activity's limit on %(limit)s was reached. "
        "What was already done is shown above; the rest was not started."
    ) % {"limit": name}


def failed(code: str) -> str:
    """Return what to say when a run could not be carried on. Never a claim that something worked."""
    sentences = {
        "model_unavailable": _(
            "The model that reads your requests did not answer. Nothing more was started. "
            "Please try again in a moment; if it goes on, tell the people who run this service."
        ),
        "model_unusable": _(
            "The model that reads your requests gave answers I cannot use. Nothing more was started. "
            "Please try again, perhaps in other words."
        ),
        "contract_changed": _(
            "A tool this activity relies on has changed since the activity was published. "
            "I stopped before using it; the designer has to review it."
        ),
        "permission": _("You no longer hold the right this needs. Nothing more was started."),
    }
    return sentences.get(code) or _(
        "Something went wrong on our side and I stopped. "
        "What was done so far is shown above; nothing else was started."
    )


def not_permitted(activity: str) -> str:
    """Return what to say when a run hands over to what this person has no right to."""
    return _(
        "The next activity, “%(activity)s”, needs a right that you do not hold. Nothing of it was started. "
        "Ask the people who run this workspace, or somebody who has the right to go on."
    ) % {"activity": escape_markdown(activity)}


def refused(detail: str) -> str:
    """Return what to say when a person or a business rule said no."""
    return escape_markdown(detail) if detail else _("You refused, so nothing was executed.")


def cancelled() -> str:
    return _("Stopped, as you asked. Nothing more was started.")


def expired() -> str:
    return _("The time to decide ran out, so nothing was executed. Ask again if you still need it.")


def escalated(gap: str) -> str:
    return _(
        "I could not complete this within the activity's limits, so I have handed it over to someone who can "
        "decide. The step stays open; nothing is counted as done. Reason: %(gap)s"
    ) % {"gap": escape_markdown(gap)}


def closed(name: str, reason: str) -> str:
    """Return what to say when somebody decided that an escalated step is not done."""
    return _("%(name)s decided that this is not done. Nothing more was started. Reason: %(reason)s") % {
        "name": escape_markdown(name),
        "reason": escape_markdown(reason),
    }


def unknown_outcome() -> str:
    return _(
        "An action was started and its outcome is not known. It will not be repeated. "
        "Someone has to check what really happened."
    )


def for_outcome(outcome: Outcome, code: str, detail: str) -> str:
    """Return the answer of a run that ends with `outcome` and has no template of its own."""
    match outcome:
        case Outcome.GUARDRAIL:
            return limit_reached(code)
        case Outcome.REFUSED:
            return _("You refused, so nothing was executed.") if code == "person_refused" else refused(detail)
        case Outcome.CANCELLED:
            return cancelled()
        case Outcome.EXPIRED:
            return expired()
    return failed(code)
