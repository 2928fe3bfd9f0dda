"""Running all test prompts on a revision, and what came of it beside the revision before."""

from decimal import Decimal
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST

from activities import designing, evaluations
from activities.admin.page import Link, attempt, desk, person, revision_tabs, revision_trail, show, to
from activities.models import Evaluation
from runs.trials.evaluating import evaluation_run


@require_GET
@desk
def evaluations_page(request: HttpRequest, revision_id: UUID) -> HttpResponse:
    """The newest evaluation of a revision: per prompt, per step, beside the previous revision's."""
    revision = designing.revision_for(person(request), revision_id)
    newest = revision.evaluations.order_by("-id").first()
    found = revision.evaluations.filter(finished_at__isnull=False).order_by("-id").first()
    if found is not None:
        found.revision = revision
    context = {
        "revision": revision,
        "newest": newest,
        "working": newest is not None and newest.finished_at is None,
        "done": newest.results.count() if newest and newest.finished_at is None else 0,
        "rights": designing.desk_for(person(request), revision.agent),
        "trail": [*revision_trail(revision), Link(_("Evaluations"))],
        "tabs": revision_tabs(revision, "desk_evaluations"),
        **(_result(found) if found else {}),
    }
    return show(request, "evaluations.html", context, title=_("Evaluations"))


def _result(found: Evaluation) -> dict[str, Any]:
    before = evaluations.previous_evaluation(found)
    earlier = evaluations.verdicts(before) if before else {}
    return {
        "evaluation": found,
        "outdated": found.version != found.revision.version,
        "rate": evaluations.pass_rate(found),
        "before": before,
        "rate_before": evaluations.pass_rate(before) if before else None,
        "results": [
            {"row": row, "earlier": earlier.get(row.key)}
            for row in found.results.order_by("passed", "position")
        ],
        "steps": _steps(found, before),
    }


def _steps(found: Evaluation, before: Evaluation | None) -> list[dict[str, Any]]:
    earlier = (
        {(each.activity_key, each.key): each.rate for each in evaluations.step_rates(before)}
        if before
        else {}
    )
    none: Decimal | None = None
    return [
        {"step": each, "earlier": earlier.get((each.activity_key, each.key), none)}
        for each in evaluations.step_rates(found)
    ]


@require_POST
@desk
def run(request: HttpRequest, revision_id: UUID) -> HttpResponse:
    """Queue an evaluation."""
    revision = designing.revision_for(person(request), revision_id)
    done = _("The evaluation is at work. This takes a moment.")
    attempt(request, done, lambda: evaluation_run(revision, person(request)))
    return to("desk_evaluations", revision.pk)
