"""Two workspaces with their people, a published agent, and runs driven in this process by a script."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.utils import timezone
from guardian.models import GroupObjectPermission

from accounts import access
from accounts.models import Membership, Role, User, Workspace, WorkspaceGroup
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


def permissions() -> list[Permission]:
    """The rights of the store's app, as its migrations would make them."""
    kind, _created = ContentType.objects.get_or_create(app_label="store", model="stock")
    names = [name.partition(".")[2] for name in PERMISSIONS]
    Permission.objects.bulk_create(
        [Permission(content_type=kind, codename=name, name=name) for name in names], ignore_conflicts=True
    )
    return list(Permission.objects.filter(content_type=kind))


def make_workspace(slug: str, rights: list[Permission]) -> tuple[Workspace, dict[str, Group]]:
    """A workspace as `accounts` makes it, with a group of store keepers, in few statements."""
    workspace = Workspace.objects.create(slug=slug, name=slug.title())
    labels = [*Role.values, LABEL]
    made = Group.objects.bulk_create([Group(name=f"{slug}/{label}") for label in labels])
    groups = dict(zip(labels, made, strict=True))
    WorkspaceGroup.objects.bulk_create(
        WorkspaceGroup(
            workspace=workspace, group=group, role=label if label in Role.values else "", label=label
        )
        for label, group in groups.items()
    )
    own = {item.codename: item for item in Permission.objects.filter(content_type__model="workspace")}
    GroupObjectPermission.objects.bulk_create(
        GroupObjectPermission(
            group=groups[role.value],
            permission=own[codename],
            content_type_id=own[codename].content_type_id,
            object_pk=str(workspace.pk),
        )
        for role, codenames in access.ROLE_GRANTS.items()
        for codename in codenames
    )
    groups[LABEL].permissions.set(rights)
    workspace.escalation_group = groups[Role.APPROVER]
    workspace.save(update_fields=["escalation_group"])
    return workspace, groups


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
        rights = permissions()
        here, groups = make_workspace("here", rights)
        elsewhere, others = make_workspace("elsewhere", rights)
        names = ("olive", "max", "sasha", "root", "dora")
        people = [User(email=f"{name}@example.org", full_name=name.title()) for name in names]
        owner, member, stranger, root, designer = people
        root.is_staff = root.is_superuser = True
        for user in people:
            user.set_unusable_password()
        User.objects.bulk_create(people)
        Membership.objects.bulk_create(
            Membership(user=user, workspace=elsewhere if user is stranger else here) for user in people
        )
        belongs = (
            (owner, groups[Role.BUSINESS]),
            (owner, groups[LABEL]),
            (member, groups[Role.BUSINESS]),
            (root, groups[Role.BUSINESS]),
            (designer, groups[Role.DESIGNER]),
            (stranger, others[Role.AUDITOR]),
            (stranger, others[LABEL]),
        )
        rows = User.groups.through
        rows._default_manager.bulk_create(rows(user_id=user.pk, group_id=group.pk) for user, group in belongs)
        return cls(here, elsewhere, groups[LABEL], owner, member, stranger, root, designer)

    def draft(self, *activities: Json) -> Revision:
        """A draft of an agent with these activities; the owner may use it."""
        draft = agent_import(agent(*activities), workspace=self.workspace, actor=self.designer)
        access.grant("activities.use_agent", self.keepers, draft.agent)
        return draft

    def publish(self, *activities: Json) -> Revision:
        """Publish an agent with these activities; the owner may use it."""
        self.revision = revision_publish(self.draft(*activities), actor=self.designer)
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
