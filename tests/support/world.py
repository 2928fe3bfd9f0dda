"""Two workspaces with their people, a published agent, and runs driven in this process by a script."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.utils import timezone

from accounts import access
from accounts import actions as accounts
from accounts.models import Role, User, Workspace
from activities.actions import agent_import, revision_publish
from activities.models import Activity, Revision
from agentapp.kernel.ids import uuid7
from runs import actions, jobs
from runs.llm import use_model
from runs.llm.base import ModelRequest, Purpose
from runs.llm.scripted import Line, ScriptedModel, call
from runs.models import Confirmation, Run, RunInput, ToolCall
from runs.selectors import events_of
from runs.states import ConfirmationState
from tests.support.blueprints import Json, agent
from tests.support.store import PERMISSIONS

LABEL = "Store keepers"


def person(name: str, **fields: Any) -> User:
    return accounts.user_create(email=f"{name}@example.org", full_name=name.title(), **fields)


def permissions() -> None:
    """The rights of the store's app, as its migrations would make them."""
    kind, _created = ContentType.objects.get_or_create(app_label="store", model="stock")
    for name in PERMISSIONS:
        codename = name.partition(".")[2]
        Permission.objects.get_or_create(content_type=kind, codename=codename, defaults={"name": codename})


@dataclass
class World:
    """`owner` may use the agent and all tools; `member` belongs here without rights; `stranger` elsewhere.

    `root` is a superuser and a member here, without any right of a run.
    """

    workspace: Workspace
    elsewhere: Workspace
    keepers: Group
    owner: User
    member: User
    stranger: User
    root: User
    designer: User
    revision: Revision | None = None
    models: list[ScriptedModel] = field(default_factory=list)

    @classmethod
    def make(cls) -> "World":
        permissions()
        here = accounts.workspace_create(slug="here", name="Here")
        elsewhere = accounts.workspace_create(slug="elsewhere", name="Elsewhere")
        keepers = access.group_create(here, LABEL)
        theirs = access.group_create(elsewhere, LABEL)
        for name in PERMISSIONS:
            access.grant(name, keepers)
            access.grant(name, theirs)
        world = cls(
            here,
            elsewhere,
            keepers,
            person("olive"),
            person("max"),
            person("sasha"),
            person("root", is_staff=True, is_superuser=True),
            person("dora"),
        )
        accounts.member_add(here, world.owner, [Role.BUSINESS], groups=[keepers])
        accounts.member_add(here, world.member, [Role.BUSINESS])
        accounts.member_add(here, world.root, [Role.BUSINESS])
        accounts.member_add(here, world.designer, [Role.DESIGNER])
        accounts.member_add(elsewhere, world.stranger, [Role.BUSINESS, Role.AUDITOR], groups=[theirs])
        return world

    def draft(self, *activities: Json) -> Revision:
        return agent_import(agent(*activities), workspace=self.workspace, actor=self.designer)

    def publish(self, *activities: Json) -> Revision:
        """Publish an agent with these activities; the owner may use it."""
        self.revision = revision_publish(self.draft(*activities), actor=self.designer)
        access.grant("activities.use_agent", self.keepers, self.revision.agent)
        return self.revision

    def activity(self, key: str = "handle") -> Activity:
        assert self.revision is not None
        return self.revision.activities.get(key=key)

    def post(self, text: str = "Please see to A-100 and A-200.", user: User | None = None) -> Run:
        """Post a message in a new conversation; its run is queued."""
        person = user or self.owner
        conversation = actions.conversation_create(user=person, workspace=self.workspace)
        posted = actions.message_post(
            user=person, conversation_id=conversation.pk, text=text, client_id=uuid7()
        )
        return posted.run

    def start(
        self, text: str = "Please see to A-100 and A-200.", *, key: str = "handle", **inputs: Any
    ) -> Run:
        """A queued run whose activity and inputs are settled: its script begins with the first step."""
        run = self.post(text)
        chosen = self.activity(key)
        Run.objects.filter(pk=run.pk).update(activity=chosen, revision=chosen.revision)
        RunInput.objects.bulk_create(
            RunInput(run=run, name=name, value=value, label=str(value), origin="words", words=str(value))
            for name, value in inputs.items()
        )
        return run

    def play(self, run: Run, *lines: Line) -> Run:
        """Drive the run to its next pause; every line must be used."""
        model = ScriptedModel(list(lines))
        self.models.append(model)
        with use_model(model), model:
            return jobs.run_drain(run.pk)

    def requests(self) -> list[ModelRequest]:
        """Every request made to any model so far."""
        return [request for model in self.models for request in model.requests]

    def run(self, *lines: Line, text: str = "Please see to A-100 and A-200.", **inputs: Any) -> Run:
        return self.play(self.start(text, **inputs), *lines)

    def confirm(self, run: Run, decision: str = "confirm") -> None:
        """Decide every pending confirmation as the owner."""
        for item in pending(run):
            actions.confirmation_decide(
                user=self.owner, confirmation_id=item.pk, decision=decision, digest=item.digest
            )


def act(name: str, arguments: Any = None) -> Line:
    """The model calls one tool of the store."""
    return call(f"store_{name}", arguments, purpose=Purpose.STEP)


def pending(run: Run) -> list[Confirmation]:
    return list(
        Confirmation.objects.filter(run=run, state=ConfirmationState.PENDING).order_by("call__position")
    )


def calls_of(run: Run) -> list[ToolCall]:
    return list(run.calls.prefetch_related("arguments").order_by("position"))


def states_of(run: Run) -> list[str]:
    return [call.state for call in calls_of(run)]


def refusals_of(run: Run) -> list[str]:
    return [call.error_code for call in calls_of(run)]


def final(tool_call: ToolCall) -> dict[str, Any]:
    """The final arguments of a call."""
    return {item.name: item.value for item in tool_call.arguments.all()}


def drop_lease(run: Run) -> None:
    """Let the lease run out, as if its worker had been silent for long."""
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def expire_now(rows: Sequence[Any]) -> None:
    for row in rows:
        type(row).objects.filter(pk=row.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


def event_types(run: Run) -> list[str]:
    return [event.type for event in events_of(run)]


def text_of(request: ModelRequest) -> str:
    """Everything of a request that leaves this process."""
    texts = [message.text for message in request.messages]
    texts += [item.arguments for message in request.messages for item in message.calls]
    texts += [
        f"{function.name} {function.description} {function.parameters}" for function in request.functions
    ]
    return "\n".join(texts)
