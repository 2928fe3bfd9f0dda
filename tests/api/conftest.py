"""The three people of every permission test: the owner, another member, a stranger. And an auditor."""

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import override_settings
from pytest_django.plugin import DjangoDbBlocker

from accounts import actions as accounts
from accounts.models import Role, User, Workspace
from examples.billing.demo import seed_demo
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


FAST = override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"])


def small_demo() -> Workspace:
    """The demonstration, small: Alice and Benoît may refund, Chloé may not, Farid audits."""
    with FAST:
        return seed_demo(customers=30, invoices=200)


@pytest.fixture(scope="module")
def seeded(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Workspace]:
    """The demonstration, made once for a module, in a transaction that is rolled back after it."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield small_demo()
        transaction.set_rollback(True)


@pytest.fixture
def demo(seeded: Workspace, db: None) -> Workspace:
    return seeded


def demo_user(name: str) -> User:
    return User.objects.get(email=f"{name}@example.com")


@pytest.fixture
def alice_user(demo) -> User:
    return demo_user("alice")


@pytest.fixture
def alice(alice_user) -> Program:
    return program(alice_user)


@pytest.fixture
def benoit(demo) -> Program:
    return program(demo_user("benoit"))


@pytest.fixture
def chloe(demo) -> Program:
    return program(demo_user("chloe"))


@pytest.fixture
def farid(demo) -> Program:
    return program(demo_user("farid"))


@pytest.fixture
def stranger(demo, other_workspace) -> Program:
    return program(person("stranger@example.com", other_workspace))


@pytest.fixture
def other_auditor(other_workspace) -> Program:
    return program(person("auditor@example.com", other_workspace, Role.AUDITOR))
