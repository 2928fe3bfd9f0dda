"""Rows of conversations and runs, written as the engine writes them: with their events."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from accounts import actions as accounts
from accounts import audit
from accounts.models import ActorKind, Role, User, Workspace
from activities.models import Activity, ActivityIdentity, Agent, Revision, Step
from runs.models import (
    Confirmation,
    Conversation,
    Message,
    Question,
    QuestionCandidate,
    QuestionField,
    Run,
    RunStep,
    ToolCall,
)
from runs.states import CallState, Outcome, RunState, StepState

DIGEST = "d" * 64


def person(email: str, workspace: Workspace, *roles: Role) -> User:
    user = accounts.user_create(email=email, full_name=email.split("@")[0].title())
    accounts.member_add(workspace, user, roles or (Role.BUSINESS,))
    return user


def activity(workspace: Workspace) -> Activity:
    """An activity of one step, in a draft: its rows can still be made freely."""
    agent, _made = Agent.objects.get_or_create(
        workspace=workspace, key="desk", defaults={"name": {"en": "Desk"}}
    )
    revision = Revision.objects.create(agent=agent, number=agent.revisions.count() + 1)
    identity, _made = ActivityIdentity.objects.get_or_create(agent=agent, key="lend")
    made = Activity.objects.create(
        revision=revision, identity=identity, key="lend", name={"en": "Lend a book"}
    )
    Step.objects.create(activity=made, key="hand", name={"en": "Hand it over"}, goal="hand it over")
    return made


def conversation(user: User, title: str = "A talk") -> Conversation:
    workspace = Workspace.objects.get(memberships__user=user)
    return Conversation.objects.create(user=user, workspace=workspace, title=title, search_text=title.lower())


def run(talk: Conversation, text: str = "Lend me a book", **values: Any) -> Run:
    """A run that ended well, unless told otherwise."""
    ended = {"state": RunState.FINISHED, "outcome": Outcome.SUCCEEDED, "answer": "Here it is."}
    made = Run.objects.create(
        workspace=talk.workspace,
        conversation=talk,
        user=talk.user,
        language="en",
        time_zone="UTC",
        **{**({} if "state" in values else ended), **values},
    )
    Message.objects.create(conversation=talk, run=made, client_id=uuid4(), text=text)
    happened(made, "run.created")
    return made


def happened(made: Run, kind: str) -> None:
    """Write an event, which wakes those who watch."""
    with transaction.atomic():
        audit.record(
            stream=made.pk,
            type=kind,
            workspace=made.workspace,
            actor=None,
            actor_kind=ActorKind.SYSTEM,
            data={},
            topic=made.conversation_id,
        )


def changed(made: Run, **values: Any) -> None:
    """Change a run as the engine does: with an event in the same transaction."""
    with transaction.atomic():
        Run.objects.filter(pk=made.pk).update(**values)
        happened(made, "run.changed")


def pending(talk: Conversation, **preview: Any) -> Confirmation:
    """A run that waits for a decision."""
    lend = activity(talk.workspace)
    made = run(talk, state=RunState.AWAITING, activity=lend, revision=lend.revision)
    step = RunStep.objects.create(run=made, step=lend.steps.get(), position=0, state=StepState.ENGAGED)
    call = ToolCall.objects.create(
        run=made,
        step=step,
        position=0,
        tool_key="desk.lend",
        risk="high",
        state=CallState.AWAITING,
        digest=DIGEST,
    )
    return Confirmation.objects.create(
        run=made,
        call=call,
        digest=DIGEST,
        preview={"summary": "A book leaves the house.", **preview},
        expires_at=timezone.now() + timedelta(minutes=10),
    )


def question(talk: Conversation, text: str = "Which book?", label: str = "The blue one") -> Question:
    """A run that waits for an answer."""
    made = run(talk, state=RunState.NEEDS_INPUT)
    asked = Question.objects.create(run=made, text=text, expires_at=timezone.now() + timedelta(days=1))
    field = QuestionField.objects.create(
        question=asked, name="book", kind="choice", label="Book", because="missing"
    )
    QuestionCandidate.objects.create(field=field, value="b1", label=label)
    return asked
