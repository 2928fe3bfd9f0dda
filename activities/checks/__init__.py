"""What must hold before a revision is published: all problems at once, each with place and remedy.

Each check is a function over one activity (`Look`), or over all of a revision; what they share is in
`problem.py`. They only read, and cost about a millisecond an activity.
"""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from activities.checks import (
    cards,
    conditions,
    grounding,
    inputs,
    narrowing,
    openings,
    outputs,
    overlap,
    params,
    rights,
    routing,
    steps,
    templates,
    tools,
)
from activities.checks.problem import Check, Look, Problem, RevisionCheck
from activities.exporting import whole
from activities.models import Activity, Revision

OF_AN_ACTIVITY: tuple[Check, ...] = (
    cards.alias,
    cards.length,
    cards.template,
    cards.procedure,
    inputs.declared,
    inputs.patterns,
    inputs.used,
    tools.exist,
    tools.unchanged,
    tools.risk,
    tools.preview,
    openings.lead_somewhere,
    openings.not_while_writing,
    params.known,
    params.decided,
    params.allowed,
    params.from_inputs,
    params.fixed_values,
    narrowing.inside_the_contract,
    narrowing.patterns,
    grounding.groundable,
    steps.can_act,
    steps.can_pass,
    steps.reachable,
    conditions.readable,
    conditions.fitting,
    outputs.filled,
    outputs.known,
    routing.conditions_fit,
    routing.mapping,
    templates.answer,
    templates.other_texts,
)
OF_A_REVISION: tuple[RevisionCheck, ...] = (
    routing.targets,
    routing.loops,
    routing.handed_over_to,
    overlap.between_cards,
    overlap.between_tools,
    rights.somebody_may_use_it,
)


def problems(revision: Revision) -> list[Problem]:
    """Return every reason why `revision` cannot be published, activity by activity."""
    looks = [Look(activity) for activity in whole(revision.activities.select_related("identity"))]
    if not looks:
        return [Problem(str(revision), _("It has no activity. Add one."))]
    for look in looks:
        look.activity.revision = revision
    found = [*(each for look in looks for each in _of_one(look)), *_of_all(looks)]
    order = {look.key: position for position, look in enumerate(looks)}
    return sorted(found, key=lambda problem: order.get(problem.place.split(" / ")[0], len(order)))


def activity_problems(activity: Activity) -> list[Problem]:
    """Return what can be said of one activity alone, as it was read (`activities.exporting.whole`)."""
    return list(_of_one(Look(activity)))


def _of_one(look: Look) -> Iterator[Problem]:
    for check in OF_AN_ACTIVITY:
        yield from check(look)


def _of_all(looks: list[Look]) -> Iterator[Problem]:
    for check in OF_A_REVISION:
        yield from check(looks)


__all__ = ["OF_AN_ACTIVITY", "OF_A_REVISION", "Look", "Problem", "activity_problems", "problems"]
