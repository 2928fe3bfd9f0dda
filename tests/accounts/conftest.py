"""The three people of every permission test: a member with a right, a member without it, a stranger."""

from dataclasses import dataclass

import pytest

from accounts import actions
from accounts.models import Role, User, Workspace

PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class House:
    """Two workspaces. The owner is an approver and auditor of the first, the stranger of the second."""

    workspace: Workspace
    elsewhere: Workspace
    owner: User
    member: User
    stranger: User


def make_user(name: str, **fields: object) -> User:
    email = f"{name.lower()}@example.org"
    return actions.user_create(email=email, full_name=name, password=PASSWORD, **fields)


@pytest.fixture(autouse=True)
def _quick_passwords(settings) -> None:
    """A password's hash is slow on purpose; not here."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def house(db: None) -> House:
    here = actions.workspace_create(slug="here", name="Here")
    elsewhere = actions.workspace_create(slug="elsewhere", name="Elsewhere")
    owner, member, stranger = make_user("Olive"), make_user("Max"), make_user("Sasha")
    actions.member_add(here, owner, [Role.APPROVER, Role.AUDITOR])
    actions.member_add(here, member, [Role.BUSINESS])
    actions.member_add(elsewhere, stranger, [Role.APPROVER, Role.AUDITOR])
    return House(here, elsewhere, owner, member, stranger)


@pytest.fixture
def superuser(db: None) -> User:
    return make_user("Root", is_staff=True, is_superuser=True)
