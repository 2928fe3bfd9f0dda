"""The three people of every permission test: the owner, another member, a stranger. And an auditor."""

import pytest

from accounts import actions as accounts
from accounts.models import Role, User, Workspace
from tests.api.people import Program, person, program


@pytest.fixture
def workspace(db) -> Workspace:
    return accounts.workspace_create(slug="here", name="Here")


@pytest.fixture
def other_workspace(db) -> Workspace:
    return accounts.workspace_create(slug="elsewhere", name="Elsewhere")


@pytest.fixture
def owner(workspace) -> User:
    return person("owner@example.com", workspace)


@pytest.fixture
def owner_program(owner) -> Program:
    return program(owner)


@pytest.fixture
def member_program(workspace) -> Program:
    return program(person("member@example.com", workspace))


@pytest.fixture
def stranger_program(other_workspace) -> Program:
    return program(person("stranger@example.com", other_workspace))


@pytest.fixture
def auditor_program(workspace) -> Program:
    return program(person("auditor@example.com", workspace, Role.AUDITOR))
