"""The demonstration: an invented company, its people, three years of its billing, and the billing agent.

Passwords exist for these people only, and only where DEMO is on.
"""

from dataclasses import dataclass
from pathlib import Path

import yaml
from django.db import transaction
from django.utils import timezone

from accounts import access
from accounts.actions import member_add, user_create, workspace_create
from accounts.models import Role, User, Workspace
from activities.actions import agent_import, prompts_import, revision_publish
from activities.blueprint import AgentBlueprint
from activities.models import Agent, RevisionState
from activities.prompt_parts import PromptFile
from activities.publishing import outdated_tools
from examples.billing.generator import CUSTOMERS, INVOICES, generate
from examples.billing.models import Customer

SLUG = "orvelle"
NAME = "Orvelle Office Furniture"
BLUEPRINT = Path(__file__).parent / "agents" / "billing.yaml"
PROMPTS = Path(__file__).parent / "prompts.yaml"
#: libyaml reads them in a tenth of the time, where it is there.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PASSWORD = "mandate-demo-2026"  # noqa: S105 - shown on the demonstration's sign-in page on purpose

READERS = "Billing readers"
REFUNDERS = "Billing refunds"

#: What everybody in billing may do, and what only some may.
READ = (
    "billing.view_customer",
    "billing.view_product",
    "billing.view_invoice",
    "billing.view_payment",
    "billing.analyse_customer",
    "billing.draft_creditnote",
    "billing.schedule_followup",
    "billing.send_reminder",
)
COMMIT = ("billing.refund_invoice", "billing.settle_payment")


@dataclass(frozen=True)
class Person:
    """One demo user. `groups` are the workspace's own groups, beside the roles."""

    email: str
    full_name: str
    roles: tuple[Role, ...]
    groups: tuple[str, ...]
    language: str
    about: str
    is_staff: bool = False


PEOPLE = (
    Person(
        "alice@example.com",
        "Alice Carter",
        (Role.BUSINESS,),
        (READERS, REFUNDERS),
        "en",
        "business, may refund",
    ),
    Person(
        "benoit@example.com",
        "Benoît Léger",
        (Role.BUSINESS,),
        (READERS, REFUNDERS),
        "fr",
        "business, may refund",
    ),
    Person(
        "chloe@example.com", "Chloé Moreau", (Role.BUSINESS,), (READERS,), "fr", "business, may not refund"
    ),
    Person(
        "daniel@example.com", "Daniel Osei", (Role.DESIGNER,), (READERS,), "en", "designer", is_staff=True
    ),
    Person("erin@example.com", "Erin Walsh", (Role.APPROVER,), (READERS, REFUNDERS), "en", "approver"),
    Person("farid@example.com", "Farid Benali", (Role.AUDITOR,), (), "fr", "auditor"),
)


def sign_ins() -> list[tuple[str, str, str]]:
    """Return (e-mail, password, what they may do) of the demo's people."""
    return [(person.email, PASSWORD, person.about) for person in PEOPLE]


def seed_demo(*, customers: int = CUSTOMERS, invoices: int = INVOICES) -> Workspace:
    """Make what is missing of the demonstration, all or nothing; a second call changes nothing."""
    with transaction.atomic():
        workspace = _workspace()
        people = {person.email: _person(workspace, person) for person in PEOPLE}
        if not Customer.objects.filter(workspace=workspace).exists():
            generate(workspace, today=timezone.localdate(), customers=customers, invoices=invoices)
        designer = people["daniel@example.com"]
        agent = _agent(workspace, designer)
        prompts_import(agent, load_prompts().prompts, actor=designer)
    return workspace


def load_blueprint() -> AgentBlueprint:
    """Return the billing agent as it is written in the repository."""
    return AgentBlueprint.model_validate(_read(BLUEPRINT))


def load_prompts() -> PromptFile:
    """Return the agent's test prompts as they are written in the repository."""
    return PromptFile.model_validate(_read(PROMPTS))


def _read(path: Path) -> object:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - both are safe loaders


def _workspace() -> Workspace:
    found = Workspace.objects.filter(slug=SLUG).first()
    if found is not None:
        return found
    workspace = workspace_create(slug=SLUG, name=NAME, default_language="en")
    for label, permissions in ((READERS, READ), (REFUNDERS, COMMIT)):
        group = access.group_create(workspace, label)
        for permission in permissions:
            access.grant(permission, group)
    return workspace


def _person(workspace: Workspace, person: Person) -> User:
    found = User.objects.filter(email=person.email).first()
    if found is not None:
        return found
    user = user_create(
        email=person.email,
        full_name=person.full_name,
        password=PASSWORD,
        language=person.language,
        time_zone="Europe/Paris" if person.language == "fr" else "Europe/London",
        is_staff=person.is_staff,
    )
    groups = [access.workspace_group(workspace, label) for label in person.groups]
    member_add(workspace, user, person.roles, groups=groups)
    return user


def _agent(workspace: Workspace, designer: User) -> Agent:
    """Publish the agent, and again when its file or the tools it relies on have changed since.

    What a designer published or retired in its place stays as it is.
    """
    blueprint = load_blueprint()
    note = f"{BLUEPRINT.name}, {blueprint.fingerprint[:16]}"
    agent = Agent.objects.filter(workspace=workspace, key=blueprint.key).first()
    published = agent.revisions.filter(state=RevisionState.PUBLISHED).first() if agent else None
    if agent is not None and (published is None or not published.note.startswith(f"{BLUEPRINT.name}, ")):
        return agent
    if published is not None and published.note == note and not outdated_tools(published):
        return published.agent
    revision = agent_import(blueprint, workspace=workspace, actor=designer, note=note)
    access.grant("activities.use_agent", access.workspace_group(workspace, READERS), revision.agent)
    revision_publish(revision, actor=designer)
    return revision.agent
