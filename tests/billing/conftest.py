"""Workspaces for the tests of billing: an empty one, and one with the generator's whole history."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.db import transaction

from accounts.models import Workspace
from activities.tools import ToolContext
from examples.billing.generator import INVOICES, generate
from examples.billing.generator.ledger import Ledger
from tests.billing import build


@pytest.fixture
def workspace(db: None) -> Workspace:
    return build.workspace()


@pytest.fixture
def ctx(workspace: Workspace) -> ToolContext:
    return build.context(workspace, key="key-1")


@dataclass(frozen=True)
class History:
    """A generated history and the context of somebody who works in its workspace."""

    ledger: Ledger
    ctx: ToolContext


@pytest.fixture(scope="module")
def _generated(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: object
) -> Iterator[History]:
    """Generate once for a module, in a transaction that is rolled back after it.

    A module that sets WHOLE_HISTORY gets all of it; the others get as much as they need.
    """
    size = INVOICES if getattr(request.module, "WHOLE_HISTORY", False) else 1_500
    with django_db_blocker.unblock(), transaction.atomic():
        workspace = build.workspace("history")
        ledger = generate(workspace, today=build.TODAY, invoices=size)
        yield History(ledger, build.context(workspace))
        transaction.set_rollback(True)


@pytest.fixture
def history(_generated: History, db: None) -> History:
    return _generated
