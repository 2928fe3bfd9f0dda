"""Reading the request: which activity, and with which inputs."""

from collections.abc import Sequence
from time import monotonic
from typing import Any

from accounts.models import ActorKind
from accounts.standing import Standing
from activities.models import Activity, ActivityInput, DiscoveryCandidate, DiscoveryLog
from activities.models.activity import FieldKind
from activities.models.discovery import DiscoveryStage
from activities.models.fields import in_language
from activities.rights import can_be_done, may_use
from runs import answers
from runs.arguments import BadArguments, parse_arguments
from runs.engine.ask import GO_ON, PAUSE, Onward, ask_for, settling
from runs.engine.ask import Asked as AskedModel
from runs.engine.commit import commit
from runs.engine.light import follow
from runs.engine.requests import input_request, route_request
from runs.engine.several import Part, read_parts, write_plan
from runs.finishing import finish_run
from runs.handover import earlier_records, from_earlier
from runs.inputs import READ_BY_CODE, Settled, asked, settle
from runs.journal import Journal
from runs.llm.base import CHOOSE_ACTIVITY, FILL_INPUTS, SEVERAL, FieldSpec, ModelRequest, drain
from runs.llm.builtin import BuiltinModel
from runs.models import Plan, RunInput, RunStep
from runs.models.question import AskedBecause
from runs.models.run import Origin
from runs.offered import offered_to
from runs.questions import ACTIVITY_FIELD, Asked, Choice, ask_person, choice_from_words
from runs.references import MAX_CANDIDATES, Eyes
from runs.specs import card_key, card_of, input_spec
from runs.states import Outcome, QuestionState, RunState, change_state
from runs.view import RunView

_READER = BuiltinModel()


def route(view: RunView) -> Onward:
    """Find the activity. Returns how the run goes on."""
    offered = offered_to(view.run)
    picked = _picked_by_words(view, offered)
    if picked is not None:
        with commit(view, activity=picked, revision=picked.revision) as journal:
            _pin(view, picked, journal)
        return GO_ON
    if not offered:
        return _decline(view, offered)
    return _route_by_model(view, offered)


def _picked_by_words(view: RunView, offered: Sequence[Activity]) -> Activity | None:
    """Return the activity an answer in words picks among those that were asked about."""
    asked_before = next((q for q in reversed(view.questions) if q.state == QuestionState.ANSWERED), None)
    if asked_before is None or not view.messages:
        return None
    field = next((f for f in asked_before.fields.all() if f.name == ACTIVITY_FIELD), None)
    key = choice_from_words(field, view.messages[-1].text) if field else None
    return next((activity for activity in offered if card_key(activity) == key), None)


def _route_by_model(view: RunView, offered: list[Activity]) -> Onward:
    started = monotonic()
    request = route_request(view, [card_of(item, view.language) for item in offered], "\n".join(view.words))
    asked_model, answer = ask_for(view, request, CHOOSE_ACTIVITY)
    by_key = {card_key(activity): activity for activity in offered}
    decision = answer.get("decision")
    parts = read_parts(answer, by_key, view.words) if decision == SEVERAL else []
    if len(parts) > 1:
        return _plan_several(view, asked_model, parts)
    if parts:
        decision, answer = "activity", {"activity": card_key(parts[0].activity)}
    chosen = by_key.get(str(answer.get("activity")))
    named = answer.get("alternatives")
    keys = map(str, named if isinstance(named, list) else ())
    alternatives = [by_key[key] for key in dict.fromkeys(keys) if key in by_key]
    pinned = {"activity": chosen, "revision": chosen.revision} if decision == "activity" and chosen else {}
    with settling(view, asked_model, **pinned) as journal:
        milliseconds = round((monotonic() - started) * 1000)
        if not view.run.trial:
            _log_search(view, list(by_key), str(decision), chosen, milliseconds)
        if decision == "activity" and chosen is not None:
            _pin(view, chosen, journal)
            return GO_ON
        if decision == "unclear" and len(alternatives) > 1:
            _ask_which(view, alternatives, journal)
            return PAUSE
        _declined(view, offered, journal)
    return PAUSE


def _plan_several(view: RunView, asked_model: AskedModel, parts: Sequence[Part]) -> Onward:
    """Put the plan on record, and go on with its first part as this run."""
    plan, first = Plan(conversation_id=view.run.conversation_id), parts[0].activity
    begun = {"plan": plan, "part": 1, "words": parts[0].words, "activity": first, "revision": first.revision}
    with settling(view, asked_model, **begun) as journal:
        write_plan(plan, parts, journal)
        _pin(view, first, journal)
    return GO_ON


def _log_search(
    view: RunView, keys: list[str], decision: str, chosen: Activity | None, milliseconds: int
) -> None:
    log = DiscoveryLog.objects.create(
        workspace=view.run.workspace,
        user=view.run.user,
        run_id=view.run.pk,
        stage=DiscoveryStage.ROUTE,
        query=view.vault.hide("\n".join(view.words)),
        language=view.language,
        permitted=len(keys),
        shown=len(keys),
        decision=decision[:40],
        chosen_key=card_key(chosen) if chosen else "",
        milliseconds=milliseconds,
    )
    DiscoveryCandidate.objects.bulk_create(
        DiscoveryCandidate(log=log, position=index, key=key, shown=True) for index, key in enumerate(keys)
    )


def _pin(view: RunView, activity: Activity, journal: Journal) -> None:
    view.use_activity(activity.pk)
    journal.event(
        "run.routed",
        {
            "activity": card_key(activity),
            "revision": activity.revision.number,
            "revision_id": str(activity.revision_id),
        },
    )


def _ask_which(view: RunView, alternatives: Sequence[Activity], journal: Journal) -> None:
    choices = tuple(
        Choice(
            card_key(item), in_language(item.name, view.language), in_language(item.summary, view.language)
        )
        for item in alternatives[:5]
    )
    item = Asked(ACTIVITY_FIELD, FieldKind.CHOICE, "", AskedBecause.ACTIVITY, choices)
    _pause_for(view, [item], journal)


def _pause_for(view: RunView, items: Sequence[Asked], journal: Journal) -> None:
    change_state(view.run, RunState.NEEDS_INPUT, where={"fence": view.run.fence}, lease_until=None)
    view.questions.append(ask_person(view.run, items, journal))


def _decline(view: RunView, offered: Sequence[Activity]) -> Onward:
    with commit(view) as journal:
        _declined(view, offered, journal)
    return PAUSE


def _declined(view: RunView, offered: Sequence[Activity], journal: Journal) -> None:
    finish_run(view.run, Outcome.DECLINED, journal, answer=answers.declined(offered, view.language))


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
        settled, problems = _with_earlier(view, open_fields, settled, problems, view.eyes(rights))
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
            _pause_for(view, problems, journal)
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


def _with_earlier(
    view: RunView,
    fields: Sequence[ActivityInput],
    settled: Sequence[Settled],
    problems: Sequence[Asked],
    eyes: Eyes,
) -> tuple[list[Settled], list[Asked]]:
    """Take what the words leave open from the part this one builds on; of several, the person chooses."""
    done = {item.name for item in settled}
    named = {item.name: item for item in problems if item.because != AskedBecause.UNKNOWN}
    wanted = [
        field for field in fields if field.required and field.name not in done and field.name not in named
    ]
    records = earlier_records(view.run) if wanted else []
    taken, asks = list(settled), list(problems)
    for field in wanted if records else ():
        offers = from_earlier(field, records, eyes)
        if len(offers) == 1:
            item = offers[0]
            taken.append(Settled(field.name, item.value, item.label, item.path, Origin.HANDED_OVER))
        elif offers:
            choices = tuple(Choice(str(item.value), item.label) for item in offers[:MAX_CANDIDATES])
            asks = [ask for ask in asks if ask.name != field.name]
            asks.append(asked(view, field, AskedBecause.AMBIGUOUS, candidates=choices, words=view.run.words))
    mine = {item.name for item in taken}
    return taken, [ask for ask in asks if ask.name not in mine]


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
    RunInput.objects.bulk_create(rows)
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
    RunStep.objects.bulk_create(rows)
    view.steps = rows
    journal.event("run.started", {"steps": [row.step.key for row in rows]})
