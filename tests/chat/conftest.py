"""Three people and conversations made of rows, for tests of what is shown."""

from collections.abc import Callable

import pytest
from django.test import Client

from accounts import actions as accounts
from accounts.models import Role, User, Workspace
from tests.chat.rows import person


@pytest.fixture
def workspace(db: None) -> Workspace:
    return accounts.workspace_create(slug="here", name="Here")


@pytest.fixture
def owner(workspace: Workspace) -> User:
    return person("owner@example.com", workspace)


@pytest.fixture
def member(workspace: Workspace) -> User:
    return person("member@example.com", workspace)


@pytest.fixture
def auditor(workspace: Workspace) -> User:
    return person("auditor@example.com", workspace, Role.AUDITOR)


@pytest.fixture
def stranger(db: None) -> User:
    return person("stranger@example.com", accounts.workspace_create(slug="elsewhere", name="Elsewhere"))


@pytest.fixture
def client_of() -> Callable[[User], Client]:
    """A browser's client of a person, with CSRF as in a browser."""

    def signed_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return signed_in
