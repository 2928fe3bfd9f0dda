"""The inputs of an activity: read from the words, asked for where missing; then the steps laid out."""

from collections.abc import Sequence
from typing import Any

from accounts.models import ActorKind
from accounts.standing import Standing
from activities.models import Activity, ActivityInput
from activities.models.activity import FieldKind
from activities.models.fields import in_language
from activities.rights import can_be_done, may_use
from agentapp.kernel.rows import insert
from runs import answers
from runs.arguments import BadArguments, parse_arguments
from runs.engine.ask import PAUSE, Onward, ask_for, settling
from runs.engine.ask import Asked as AskedModel
from runs.engine.commit import commit
from runs.engine.earlier import with_earlier
from runs.engine.light import follow
from runs.engine.requests import input_request
from runs.finishing import finish_run
from runs.inputs import READ_BY_CODE, Settled, asked, settle
from runs.journal import Journal
from runs.llm.base import FILL_INPUTS, FieldSpec, ModelRequest, drain
from runs.llm.builtin import BuiltinModel
from runs.models import RunStep
from runs.models.question import AskedBecause
from runs.models.run import Origin
from runs.questions import Asked, ask_person, choice_from_words
from runs.references import Eyes
from runs.specs import input_spec
from runs.states import Outcome, RunState, change_state
from runs.view import RunView

_READER = BuiltinModel()


def pause_for(view: RunView, items: Sequence[Asked], journal: Journal) -> None:
    """Ask the person for these, and let go of the run until they answer."""
    change_state(view.run, RunState.NEEDS_INPUT, where={"fence": view.run.fence}, lease_until=None)
    view.questions.append(ask_person(view.run, items, journal))


def fill_inputs(view: RunView) -> Onward:
    """Fill the inputs from the words, ask for what is missing, else lay out the steps."""
    activity = view.activity
    assert activity is not None  # noqa: S101 - the plan fills inputs of a routed run only
    rights = view.rights()
    if not _is_open(view, activity, rights):
        return _not_open(view, activity)
    answered, said = _unread_words(view)
    open_fields = _open_fields(view, answered)
    settled, problems, asked_model = (
        _read_words(view, open_fields, answered, said, view.eyes(rights))
        if open_fields and said
        else ([], [], None)
    )
    if view.run.words:
        settled, problems = with_earlier(view, open_fields, settled, problems, view.eyes(rights))
    done = {item.name for item in settled}
    named = {item.name for item in problems}
    problems += [
        asked(view, field, AskedBecause.MISSING)
        for field in open_fields
        if (field.required or field.name in answered) and field.name not in done | named
    ]
    with settling(view, asked_model) if asked_model else commit(view) as journal:
        _record_inputs(view, settled, journal)
        if problems:
            pause_for(view, problems, journal)
            return PAUSE
        if not view.steps:
            _lay_out(view, journal)
        return follow(view, journal)


def _is_open(view: RunView, activity: Activity, rights: Standing) -> bool:
    """True when the person may use the activity; of a linked run, nobody has asked that before."""
    if not may_use(rights, activity, view.run.workspace):
        return False
    return view.run.parent_id is None or can_be_done(activity, rights.permissions)


def _not_open(view: RunView, activity: Activity) -> Onward:
    outcome, answer = Outcome.FAILED, answers.failed("permission")
    if view.run.parent_id is not None and not view.steps:
        outcome = Outcome.REFUSED
        answer = answers.not_permitted(in_language(activity.name, view.language))
    with commit(view) as journal:
        finish_run(view.run, outcome, journal, answer=answer, code="permission")
    return PAUSE


def _open_fields(view: RunView, answered: list[str]) -> list[ActivityInput]:
    """Return the inputs to fill: those that an answer is about, else all that have no value."""
    fields = view.activity.inputs.all() if view.activity else ()
    unfilled = [field for field in fields if field.name not in view.inputs]
    return [field for field in unfilled if field.name in answered] if view.steps else unfilled


def _unread_words(view: RunView) -> tuple[list[str], list[str]]:
    """Return what an answer in words is about (nothing: the request itself), and the words not read yet."""
    if view.unread_answer and view.answers:
        return view.unread_answer, view.answers[-1:]
    read_before = any(
        call.purpose == "inputs" and call.ended and not call.error_code for call in view.model_calls
    )
    return ([], []) if read_before else ([], view.words)


def _read_words(
    view: RunView, fields: Sequence[ActivityInput], answered: list[str], said: list[str], eyes: Eyes
) -> tuple[list[Settled], list[Asked], AskedModel | None]:
    direct = _answer_taken_whole(view, fields, answered, said, eyes)
    if direct:
        kept = [item for item in direct if isinstance(item, Settled)]
        return kept, [item for item in direct if isinstance(item, Asked)], None
    specs = [input_spec(field, view.language) for field in fields]
    request = input_request(view, specs, "\n".join(said), eyes)
    asked_model, values = ask_for(view, request, FILL_INPUTS)
    values = _checked_by_code(view.vault.restore(values), request, specs, asked_model.reply.model)
    settled: list[Settled] = []
    problems: list[Asked] = []
    for field in fields:
        result = settle(view, field, values.get(field.name), view.words, eyes)
        if isinstance(result, Settled):
            settled.append(result)
        elif isinstance(result, Asked):
            problems.append(result)
    return settled, problems, asked_model


def _answer_taken_whole(
    view: RunView, fields: Sequence[ActivityInput], answered: list[str], said: list[str], eyes: Eyes
) -> list[Settled | Asked]:
    """Read an answer to a single question as that value: a candidate, a record's name, a text."""
    if len(answered) != 1 or not view.questions:
        return []
    field = next((item for item in fields if item.name == answered[0]), None)
    row = next(iter(view.questions[-1].fields.all()), None)
    if field is None or row is None:
        return []
    text = said[0].strip()
    picked = choice_from_words(row, text) if row.candidates.all() else None
    if picked is not None:
        return [item for item in [settle(view, field, picked, [picked], eyes)] if item is not None]
    if field.kind in (FieldKind.TEXT, FieldKind.REFERENCE) and not field.is_list:
        result = settle(view, field, text, said, eyes)
        return [result] if isinstance(result, Settled) else []
    return []


def _checked_by_code(
    values: dict[str, Any], request: ModelRequest, specs: Sequence[FieldSpec], model: str
) -> dict[str, Any]:
    """Let code read numbers and dates too: what it finds stands, what it does not find is asked."""
    if model == _READER.name or not any(spec.type in READ_BY_CODE for spec in specs):
        return values
    reply = drain(_READER.stream(request), _READER.name)
    try:
        found = parse_arguments(reply.calls[0].arguments) if reply.calls else {}
    except BadArguments:
        found = {}
    return {
        **values,
        **{spec.name: found.get(spec.name) for spec in specs if spec.type in READ_BY_CODE},
    }


def _record_inputs(view: RunView, settled: Sequence[Settled], journal: Journal) -> None:
    rows = [item.row(view) for item in settled]
    insert(rows)
    view.inputs.update({row.name: row for row in rows})
    for row in rows:
        journal.event(
            "run.input",
            {"name": row.name, "value": row.value, "label": row.label, "origin": row.origin},
            ActorKind.SYSTEM if row.origin == Origin.HANDED_OVER else ActorKind.PERSON,
        )


def _lay_out(view: RunView, journal: Journal) -> None:
    rows = [
        RunStep(run=view.run, step=step, position=index) for index, step in enumerate(view.procedure, start=1)
    ]
    insert(rows)
    view.steps = rows
    journal.event("run.started", {"steps": [row.step.key for row in rows]})
