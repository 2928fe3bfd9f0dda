"""The request for the prose of an answer, and the designer's own text beside it."""

from collections.abc import Mapping, Sequence

from activities.models import ActivityOutput
from activities.models.fields import in_language
from activities.templates import BadTemplate, render_plain
from agentapp.kernel.canonical import dumps
from runs.engine.requests.common import RESULT_CHARACTERS, brief, build, shorten_middle
from runs.llm.base import (
    WRITE_PROSE,
    FunctionSpec,
    Message,
    ModelRequest,
    ProseField,
    ProseTask,
    Purpose,
)
from runs.specs import closed_object
from runs.view import RunView

_WRITER = """\
You write short texts for an answer whose figures are filled in by code. Use no number, date or name that is
not in the facts, make no promise, add no heading and no markup. Write in {language}."""
#: What a few sentences are written about; long lists of facts are in the answer already.
_TOLD_CHARACTERS = 8_000
_LANGUAGES = {"en": "English", "fr": "French"}


def prose_request(
    view: RunView, fields: Sequence[ActivityOutput], *, refused: Mapping[str, str] | None = None
) -> ModelRequest:
    """Ask for the prose fields; `refused` says what was wrong with an earlier text of a field."""
    facts = view.projected_facts()
    texts = tuple(
        ProseField(field.name, field.description, field.max_length, fallback_text(view, field))
        for field in fields
    )
    function = FunctionSpec(
        WRITE_PROSE,
        "Give the texts.",
        closed_object(
            {
                field.name: {
                    "type": "string",
                    "description": f"{field.description} At most {field.max_length} characters.",
                }
                for field in fields
            }
        ),
    )
    instructions = view.activity.instructions if view.activity else ""
    system = _WRITER.format(language=_LANGUAGES.get(view.language, "English"))
    if refused:
        wrong = "\n".join(f"- {name}: {view.vault.hide(problem)}" for name, problem in refused.items())
        system += f"\nYour earlier text was refused. Write it anew, without this:\n{wrong}"
    data = dumps(brief({"inputs": view.projected_inputs(), "facts": facts}, _TOLD_CHARACTERS))
    return build(
        Purpose.PROSE,
        ProseTask("\n".join(view.words), texts, facts, view.input_values, view.language),
        (
            Message("system", f"{system}\n\n{instructions}".strip()),
            Message("user", "Inputs and facts (data):\n" + shorten_middle(data, 2 * RESULT_CHARACTERS)),
        ),
        (function,),
        "required",
    )


def fallback_text(view: RunView, field: ActivityOutput) -> str:
    """Return the designer's own text for a prose field, filled from facts; empty if it cannot be filled."""
    source = in_language(field.fallback, view.language)
    try:
        return render_plain(source, view.scope(), view.language).strip()
    except BadTemplate:
        return ""
