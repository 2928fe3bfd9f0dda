"""The end of a run: the output filled from facts, the answer from the designer's template."""

import logging
from collections.abc import Sequence

from django.utils.translation import gettext as _

from activities.models import ActivityOutput
from activities.models.activity import OutputSource
from activities.models.fields import in_language
from activities.paths import NoSuchValue, read
from activities.templates import BadTemplate, escape_markdown, render
from runs import answers
from runs.engine.steps import Finish
from runs.finishing import finish_run
from runs.handover import hand_over_of
from runs.journal import Journal
from runs.models import RunOutput
from runs.states import Outcome
from runs.view import RunView

logger = logging.getLogger(__name__)


def finish(view: RunView, ending: Finish, journal: Journal) -> None:
    """End the run. Only a run whose steps are all passed comes here with *succeeded*."""
    if ending.outcome is Outcome.SUCCEEDED:
        _succeed(view, journal)
        return
    answer = answers.for_outcome(ending.outcome, ending.code, ending.detail)
    finish_run(view.run, ending.outcome, journal, answer=answer, code=ending.code)


def _succeed(view: RunView, journal: Journal) -> None:
    rows = (
        [row for field in view.activity.outputs.all() if (row := _output(view, field))]
        if view.activity
        else []
    )
    answer, code = _filled(view, rows)
    RunOutput.objects.bulk_create(rows)
    view.outputs.update({row.name: row for row in rows})
    hand_over = hand_over_of(view)
    if hand_over is not None:
        journal.event("run.routing", {"outcome": hand_over.outcome})
    if any(fact.simulated for fact in view.facts):
        answer = answers.tried_out(answer)
        finish_run(view.run, Outcome.SIMULATED, journal, answer=answer, code=code, hand_over=hand_over)
        return
    finish_run(view.run, Outcome.SUCCEEDED, journal, answer=answer, code=code, hand_over=hand_over)


def _output(view: RunView, field: ActivityOutput) -> RunOutput | None:
    """Return one output field, None for prose (written before) and for a fact that is not there."""
    if field.source == OutputSource.PROSE:
        return None
    if field.source == OutputSource.FIXED:
        return RunOutput(run=view.run, name=field.name, value=field.fixed_value, source=field.source)
    path = field.fact_path if field.source == OutputSource.FACT else f"inputs.{field.input_name}"
    try:
        value = read(path, view.scope())
    except NoSuchValue:
        value = None
    return RunOutput(run=view.run, name=field.name, value=value, source=field.source, detail=path)


def _filled(view: RunView, rows: Sequence[RunOutput]) -> tuple[str, str]:
    """Return the answer and an error code. Where a template cannot be filled, the facts are listed."""
    assert view.activity is not None  # noqa: S101 - a run without activity never succeeds
    values = {row.name: row.value for row in [*view.outputs.values(), *rows]}
    source = in_language(view.activity.template, view.language)
    try:
        return render(source, {**view.scope(), "output": values}, view.language).strip(), ""
    except BadTemplate as error:
        logger.error("The template of %s cannot be filled: %s", view.activity.key, error)
    labels = {field.name: in_language(field.label, view.language) for field in view.activity.outputs.all()}
    lines = [
        f"- {escape_markdown(labels.get(name) or name)}: {escape_markdown(str(value))}"
        for name, value in values.items()
    ]
    intro = _(
        "This is done. Its answer could not be laid out as designed, so here are the facts as they are:"
    )
    return "\n".join([intro, "", *lines]), "template_failed"
