"""The prose of an answer: a model may write it, inside limits; else the designer's own text stands."""

import logging
import re
from collections.abc import Sequence
from typing import Any

from activities.models import ActivityOutput
from activities.models.activity import OutputSource
from agentapp.kernel.canonical import dumps
from agentapp.kernel.text import clean_text, shorten
from runs.engine.ask import ModelFailed, Onward, Prepared, ask_for, settling
from runs.engine.commit import commit
from runs.engine.light import follow
from runs.engine.requests import fallback_text, prose_request, unwritten
from runs.journal import Journal
from runs.llm.base import WRITE_PROSE
from runs.models import RunOutput
from runs.view import RunView

logger = logging.getLogger(__name__)
_NUMBER = re.compile(r"\d[\d\s.,\u00a0\u202f]*\d|\d")


def write_prose(view: RunView, prepared: Prepared | None) -> Onward:
    """Let the model write the prose fields; what it may not say is replaced by the designer's own text."""
    fields = unwritten(view)
    request = prepared.request if prepared else prose_request(view, fields)
    try:
        asked_model, texts = ask_for(view, request, WRITE_PROSE, prepared)
    except ModelFailed as error:
        logger.warning("Prose falls back to the designer's text: %s", error.message)
        with commit(view) as journal:
            _keep(view, [_fallback(view, field, error.reason) for field in fields], journal)
            return follow(view, journal)
    rows = [_prose(view, field, texts.get(field.name), asked_model.reply.model) for field in fields]
    with settling(view, asked_model) as journal:
        _keep(view, rows, journal)
        return follow(view, journal)


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
