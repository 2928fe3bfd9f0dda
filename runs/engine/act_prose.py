"""The prose of an answer: a model may write it, inside limits; else the designer's own text stands."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from activities.models import ActivityOutput
from activities.models.activity import OutputSource
from agentapp.kernel.canonical import dumps
from agentapp.kernel.text import clean_text, shorten
from runs.engine.ask import Asked, ModelFailed, Onward, Prepared, ask_for, settling
from runs.engine.claims import strange
from runs.engine.commit import commit
from runs.engine.failures import record_failure
from runs.engine.light import follow
from runs.engine.requests import fallback_text, prose_request
from runs.guardrails import GuardrailReached
from runs.journal import Journal
from runs.llm.base import WRITE_PROSE
from runs.models import FailureKind, RunOutput
from runs.view import RunView

logger = logging.getLogger(__name__)


def write_prose(view: RunView, prepared: Prepared | None) -> Onward:
    """Let the model write the prose fields; what it may not say is replaced by the designer's own text.

    A text that says more than the facts is refused and asked for once more, with what was wrong.
    """
    fields = view.unwritten_prose
    request = prepared.request if prepared else prose_request(view, fields)
    try:
        asked_model, texts = ask_for(view, request, WRITE_PROSE, prepared)
    except ModelFailed as error:
        return _without_model(view, fields, {}, error)
    rows, imagined = _read_all(view, fields, texts, asked_model)
    if not imagined:
        with settling(view, asked_model) as journal:
            _keep(view, rows, journal)
            return follow(view, journal)
    with settling(view, asked_model) as journal:
        _name(view, imagined, asked_model, journal)
    return _write_again(view, fields, rows, imagined)


def _write_again(
    view: RunView, fields: Sequence[ActivityOutput], rows: Sequence[RunOutput], imagined: dict[str, str]
) -> Onward:
    """Ask once more for the refused texts; what is refused again is dropped."""
    again = [field for field in fields if field.name in imagined]
    kept = [row for row in rows if row.name not in imagined]
    try:
        asked_model, texts = ask_for(view, prose_request(view, again, refused=imagined), WRITE_PROSE)
    except (ModelFailed, GuardrailReached) as error:
        return _without_model(view, again, {row.name: row for row in kept}, error, imagined)
    rewritten, still = _read_all(view, again, texts, asked_model)
    with settling(view, asked_model) as journal:
        _name(view, still, asked_model, journal)
        _keep(view, [*kept, *rewritten], journal)
        return follow(view, journal)


def _without_model(
    view: RunView,
    fields: Sequence[ActivityOutput],
    kept: dict[str, RunOutput],
    error: ModelFailed | GuardrailReached,
    refused: Mapping[str, str] | None = None,
) -> Onward:
    why = error.reason if isinstance(error, ModelFailed) else error.code
    logger.warning("Prose falls back to the designer's text: %s", error.message)
    fallbacks = [_fallback(view, field, (refused or {}).get(field.name, why)) for field in fields]
    with commit(view) as journal:
        _keep(view, [*kept.values(), *fallbacks], journal)
        return follow(view, journal)


def _read_all(
    view: RunView, fields: Sequence[ActivityOutput], texts: Mapping[str, Any], asked_model: Asked
) -> tuple[list[RunOutput], dict[str, str]]:
    """Return every field's row, and of those whose text says more than the facts, what it says."""
    rows: list[RunOutput] = []
    imagined: dict[str, str] = {}
    for field in fields:
        raw = texts.get(field.name)
        text = view.vault.restore(clean_text(raw)).strip() if isinstance(raw, str) else ""
        problem = _limits(field, text)
        if not problem and (found := strange(text, f"{dumps(view.scope())}\n{fallback_text(view, field)}")):
            problem = imagined[field.name] = f"a figure or name that no fact holds: {found}"
        rows.append(_fallback(view, field, problem) if problem else _written(view, field, text, asked_model))
    return rows, imagined


def _limits(field: ActivityOutput, text: str) -> str:
    if not text:
        return "empty"
    return "too long" if len(text) > field.max_length else ""


def _written(view: RunView, field: ActivityOutput, text: str, asked_model: Asked) -> RunOutput:
    model = asked_model.reply.model[:200]
    return RunOutput(run=view.run, name=field.name, value=text, source=OutputSource.PROSE, detail=model)


def _name(view: RunView, imagined: Mapping[str, str], asked_model: Asked, journal: Journal) -> None:
    step = view.current_step or view.steps[-1]
    for name, problem in imagined.items():
        record_failure(
            view,
            FailureKind.IMAGINED_RESULT,
            f"{name}: {problem}",
            journal,
            step=step,
            model_call_id=asked_model.row.pk,
        )


def _fallback(view: RunView, field: ActivityOutput, problem: str) -> RunOutput:
    text = shorten(fallback_text(view, field), field.max_length)
    return RunOutput(
        run=view.run,
        name=field.name,
        value=text,
        source=OutputSource.PROSE,
        detail=f"fallback: {problem}"[:200],
    )


def _keep(view: RunView, rows: Sequence[RunOutput], journal: Journal) -> None:
    RunOutput.objects.bulk_create(rows)
    view.outputs.update({row.name: row for row in rows})
    journal.event("prose.written", {row.name: row.detail for row in rows})
