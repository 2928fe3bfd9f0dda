"""The prose of an answer: a model may write it, inside limits; else the designer's own text stands."""

import logging
import re
from collections.abc import Sequence
from decimal import Decimal
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
#: Digits, in groups of three or not, and decimals.
_NUMBER = re.compile(r"(?<!\d)\d{1,3}(?:[ \u00a0\u202f'.,]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")


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
    strange = _strange_number(text, f"{dumps(view.scope())}\n{fallback_text(view, field)}")
    return f"a figure that no fact holds: {strange}" if strange else ""


def _strange_number(text: str, known: str) -> str:
    """Return the first number in `text` that `known` does not hold, in whatever notation; empty for none."""
    values = {value for number in _NUMBER.findall(known) for value in _readings(number)}
    return next((number for number in _NUMBER.findall(text) if not _readings(number) & values), "")


def _readings(number: str) -> set[Decimal]:
    """Return what a written number can mean: "1,234" is one thousand and something, or one and something."""
    compact = re.sub(r"[^\d.,]", "", number)
    last = max(compact.rfind("."), compact.rfind(","))
    digits = re.sub(r"[.,]", "", compact)
    if last < 0:
        return {Decimal(digits)}
    found = {Decimal(f"{re.sub('[.,]', '', compact[:last])}.{compact[last + 1 :]}")}
    return found | {Decimal(digits)} if _GROUPED.fullmatch(compact) else found


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
