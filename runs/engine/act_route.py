"""Which activity a message asks for; when it asks for several things, the plan of them."""

from collections.abc import Sequence
from time import monotonic

from activities.discovery.reading import Reading
from activities.models import Activity
from activities.models.activity import FieldKind
from activities.models.fields import in_language
from runs import answers, missing
from runs.engine.act_intake import pause_for
from runs.engine.ask import GO_ON, PAUSE, Onward, ask_for, settling
from runs.engine.ask import Asked as AskedModel
from runs.engine.commit import commit
from runs.engine.nearest import Nearest, log_routing, nearest
from runs.engine.requests import route_request
from runs.engine.several import Part, read_parts, write_plan
from runs.finishing import finish_run
from runs.journal import Journal
from runs.llm.base import CHOOSE_ACTIVITY, SEVERAL
from runs.llm.builtin.smalltalk import forbids
from runs.models import Plan
from runs.models.question import AskedBecause
from runs.offered import offered_to
from runs.questions import ACTIVITY_FIELD, Asked, Choice, choice_from_words
from runs.specs import card_key, cards_of
from runs.states import Outcome, QuestionState
from runs.view import RunView


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
    near = nearest(view, offered)
    cards = cards_of(near.activities, view.language, view.run.workspace)
    request = route_request(view, cards, "\n".join(view.words))
    asked_model, answer = ask_for(view, request, CHOOSE_ACTIVITY)
    milliseconds = round((monotonic() - started) * 1000)
    by_key = {card_key(activity): activity for activity in near.activities}
    decision = answer.get("decision")
    parts = read_parts(answer, by_key, view.words) if decision == SEVERAL else []
    if len(parts) > 1:
        return _plan_several(view, asked_model, parts, near, milliseconds)
    if parts:
        decision, answer = "activity", {"activity": card_key(parts[0].activity)}
    chosen = by_key.get(str(answer.get("activity")))
    named = answer.get("alternatives")
    keys = map(str, named if isinstance(named, list) else ())
    alternatives = [by_key[key] for key in dict.fromkeys(keys) if key in by_key]
    pinned = {"activity": chosen, "revision": chosen.revision} if decision == "activity" and chosen else {}
    with settling(view, asked_model, **pinned) as journal:
        log_routing(view, near, str(decision), chosen, milliseconds)
        if decision == "activity" and chosen is not None:
            _pin(view, chosen, journal)
            return GO_ON
        if decision == "unclear" and len(alternatives) > 1:
            _ask_which(view, alternatives, journal)
            return PAUSE
        _declined(view, offered, journal)
    return PAUSE


def _plan_several(
    view: RunView, asked_model: AskedModel, parts: Sequence[Part], near: Nearest, milliseconds: int
) -> Onward:
    """Put the plan on record, and go on with its first part as this run."""
    plan, first = Plan(conversation_id=view.run.conversation_id), parts[0].activity
    begun = {"plan": plan, "part": 1, "words": parts[0].words, "activity": first, "revision": first.revision}
    with settling(view, asked_model, **begun) as journal:
        log_routing(view, near, SEVERAL, None, milliseconds)
        write_plan(plan, parts, journal)
        _pin(view, first, journal)
    return GO_ON


def _pin(view: RunView, activity: Activity, journal: Journal) -> None:
    view.use_activity(activity.pk)
    missing.routed(view.run, activity, asked=bool(view.questions))
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
    pause_for(view, [item], journal)


def _decline(view: RunView, offered: Sequence[Activity]) -> Onward:
    with commit(view) as journal:
        _declined(view, offered, journal)
    return PAUSE


def _declined(view: RunView, offered: Sequence[Activity], journal: Journal) -> None:
    answer, code = answers.declined(offered, view.language), ""
    if forbids(Reading.of("\n".join(view.words))):
        answer, code = answers.told_not_to(), answers.TOLD_NOT_TO
    finish_run(view.run, Outcome.DECLINED, journal, answer=answer, code=code)
