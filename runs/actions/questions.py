"""Answering a question by its form."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import ActorKind, User
from activities.values import ValueInvalid
from agentapp.kernel.errors import Conflict, InvalidInput
from agentapp.kernel.ids import uuid7
from agentapp.kernel.text import clean_text, clean_value
from runs import missing
from runs.actions.messages import answer_question
from runs.inputs import Settled, answered
from runs.journal import Journal, write_events
from runs.models import Message, Question, QuestionField, Run, RunInput
from runs.offered import offered_to
from runs.questions import ACTIVITY_FIELD
from runs.selectors import question_for
from runs.specs import card_key
from runs.states import QuestionState, RunState
from runs.view import RunView


def question_answer(*, user: User, question_id: UUID, values: Mapping[str, Any]) -> Run:
    """Answer the open question of one's own run, all its fields at once.

    Raises NotFound, Conflict when it is closed, InvalidInput with `data["fields"]`: what is wrong with which.
    """
    found = question_for(user, question_id)
    with transaction.atomic():
        run = (
            Run.objects.select_for_update(of=("self",))
            .select_related("workspace", "user")
            .get(pk=found.run_id)
        )
        question = Question.objects.select_for_update().get(pk=found.pk)
        if question.state != QuestionState.OPEN or run.state != RunState.NEEDS_INPUT:
            raise Conflict(_("This question is no longer open."), state=question.state)
        fields = list(question.fields.prefetch_related("candidates"))
        given = {field.name: _given(values, field) for field in fields}
        missing = {name: _("Please answer this.") for name, value in given.items() if value in (None, "", [])}
        if missing:
            raise InvalidInput(_("Some answers are missing."), fields=missing)
        _apply(RunView.load(run.pk), fields, given, user)
        for field in fields:
            field.answer = given[field.name]
            field.save(update_fields=["answer"])
        answer_question(question, run, user, by_words=False)
    return run


def _given(values: Mapping[str, Any], field: QuestionField) -> Any:
    value = values.get(field.name)
    return clean_text(value).strip() if isinstance(value, str) else clean_value(value)


def _apply(view: RunView, fields: list[QuestionField], given: Mapping[str, Any], user: User) -> None:
    if fields and fields[0].question.step_id is not None:
        _say(view, fields, given)
    elif fields and fields[0].name == ACTIVITY_FIELD:
        _choose_activity(view, str(given[ACTIVITY_FIELD]), user)
    else:
        _fill(view, given, user)


def _say(view: RunView, fields: list[QuestionField], given: Mapping[str, Any]) -> None:
    """An answer to a question from within a step is the person's words."""
    Message.objects.create(
        conversation_id=view.run.conversation_id,
        run=view.run,
        client_id=uuid7(),
        text="\n".join(str(given[field.name])[:2_000] for field in fields),
    )


def _choose_activity(view: RunView, key: str, user: User) -> None:
    offered = {card_key(activity): activity for activity in offered_to(view.run)}
    chosen = offered.get(key)
    if chosen is None:
        raise InvalidInput(
            _("This is not one of the choices."), fields={ACTIVITY_FIELD: _("Choose one of these.")}
        )
    Run.objects.filter(pk=view.run.pk).update(activity=chosen, revision=chosen.revision)
    missing.routed(view.run, chosen, asked=True)
    journal = Journal()
    journal.event(
        "run.routed",
        {"activity": key, "revision": chosen.revision.number, "revision_id": str(chosen.revision_id)},
        ActorKind.PERSON,
    )
    write_events(view.run, journal, user)


def _fill(view: RunView, given: Mapping[str, Any], user: User) -> None:
    by_name = {field.name: field for field in (view.activity.inputs.all() if view.activity else ())}
    eyes = view.eyes()
    settled: list[Settled] = []
    wrong: dict[str, str] = {}
    for name, raw in given.items():
        try:
            settled.append(answered(view, by_name[name], raw, eyes))
        except ValueInvalid as error:
            wrong[name] = str(error)
    if wrong:
        raise InvalidInput(_("Some answers cannot be used."), fields=wrong)
    rows = [item.row(view) for item in settled]
    RunInput.objects.bulk_create(rows)
    journal = Journal()
    for row in rows:
        data = {"name": row.name, "value": row.value, "label": row.label, "origin": row.origin}
        journal.event("run.input", data, ActorKind.PERSON)
    write_events(view.run, journal, user)
