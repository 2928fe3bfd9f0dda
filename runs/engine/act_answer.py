"""The end of a run that passed all its steps: prose, output from facts, the template filled."""

import logging
import re
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from activities import conditions
from activities.models import ActivityOutput
from activities.models.activity import OutputSource
from activities.models.fields import in_language
from activities.paths import NoSuchValue, read
from activities.templates import BadTemplate, escape_markdown, render
from agentapp.kernel.canonical import dumps
from agentapp.kernel.text import clean_text, shorten
from runs import answers
from runs.engine.ask import ModelFailed, ask_for, settling
from runs.engine.commit import commit
from runs.engine.requests import fallback_text, prose_request
from runs.view import RunView
from runs.finishing import finish_run
from runs.journal import Journal
from runs.llm.base import WRITE_PROSE
from runs.models import RunOutput
from runs.states import Outcome

logger = logging.getLogger(__name__)
_NUMBER = re.compile(r"\d[\d\s.,\u00a0\u202f]*\d|\d")


def write_prose(view: RunView) -> bool:
    """Let the model write the prose fields; what it may not say is replaced by the designer's own text."""
    fields = [
        field
        for field in (view.activity.outputs.all() if view.activity else ())
        if field.source == OutputSource.PROSE and field.name not in view.outputs
    ]
    try:
        asked_model, texts = ask_for(view, prose_request(view, fields), WRITE_PROSE)
    except ModelFailed as error:
        logger.warning("Prose falls back to the designer's text: %s", error.message)
        with commit(view) as journal:
            _keep(view, [_fallback(view, field, error.reason) for field in fields], journal)
        return True
    rows = [_prose(view, field, texts.get(field.name), asked_model.reply.model) for field in fields]
    with settling(view, asked_model) as journal:
        _keep(view, rows, journal)
    return True


def _prose(view: RunView, field: ActivityOutput, raw: Any, model: str) -> RunOutput:
    text = view.vault.restore(clean_text(raw)).strip() if isinstance(raw, str) else ""
    problem = _why_not(view, field, text)
    if problem:
        return _fallback(view, field, problem)
    return RunOutput(run=view.run, name=field.name, value=text, source=OutputSource.PROSE, detail=model[:200])


def _why_not(view: RunView, field: ActivityOutput, text: str) -> str:
    """Return why a text is refused: empty, too long, or with a figure that no fact holds."""
    if not text:
        return "empty"
    if len(text) > field.max_length:
        return "too long"
    known = _digits_in(dumps(view.scope())) | _digits_in(fallback_text(view, field))
    strange = _digits_in(text) - known
    return f"a figure that no fact holds: {sorted(strange)[0]}" if strange else ""


def _digits_in(text: str) -> set[str]:
    """Return the numbers in `text` as digit strings, whatever their separators; their parts as well."""
    found: set[str] = set()
    for match in _NUMBER.findall(text):
        whole = re.sub(r"\D", "", match)
        found.update({whole, whole.rstrip("0") or "0", *re.findall(r"\d+", match)})
    return found


def _fallback(view: RunView, field: ActivityOutput, problem: str) -> RunOutput:
    text = shorten(fallback_text(view, field), field.max_length)
    return RunOutput(
        run=view.run, name=field.name, value=text, source=OutputSource.PROSE, detail=f"fallback: {problem}"[:200]
    )


def _keep(view: RunView, rows: Sequence[RunOutput], journal: Journal) -> None:
    RunOutput.objects.bulk_create(rows)
    view.outputs.update({row.name: row for row in rows})
    journal.event("prose.written", {row.name: row.detail for row in rows})


def finish(view: RunView, outcome: Outcome, code: str, detail: str) -> bool:
    """End the run. Only a run whose steps are all passed comes here with *succeeded*."""
    if outcome is Outcome.SUCCEEDED:
        return _succeed(view)
    with commit(view) as journal:
        finish_run(view.run, outcome, journal, answer=answers.for_outcome(outcome, code, detail), code=code)
    return False


def _succeed(view: RunView) -> bool:
    rows = [row for field in view.activity.outputs.all() if (row := _output(view, field))] if view.activity else []
    answer, code = _filled(view, rows)
    with commit(view) as journal:
        RunOutput.objects.bulk_create(rows)
        view.outputs.update({row.name: row for row in rows})
        route = _routing(view)
        if route:
            journal.event("run.routing", {"outcome": route})
        finish_run(view.run, Outcome.SUCCEEDED, journal, answer=answer, code=code)
    return False


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
    """Return the answer and an error code. A template that cannot be filled loses no fact: they are listed."""
    assert view.activity is not None  # noqa: S101 - a run without activity never succeeds
    values = {row.name: row.value for row in [*view.outputs.values(), *rows]}
    source = in_language(view.activity.template, view.language)
    try:
        return render(source, {**view.scope(), "output": values}, view.language).strip(), ""
    except BadTemplate as error:
        logger.error("The template of %s cannot be filled: %s", view.activity.key, error)
    labels = {field.name: in_language(field.label, view.language) for field in view.activity.outputs.all()}
    lines = [f"- {escape_markdown(labels.get(name) or name)}: {escape_markdown(str(value))}" for name, value in values.items()]
    intro = _("This is done. Its answer could not be laid out as designed, so here are the facts as they are:")
    return "\n".join([intro, "", *lines]), "template_failed"


def _routing(view: RunView) -> str:
    """Return the name of the routing outcome that holds, empty for none."""
    for outcome in view.activity.routing.all() if view.activity else ():
        if conditions.evaluate(outcome.condition, view.scope()).holds:
            return str(outcome.name)
    return ""
