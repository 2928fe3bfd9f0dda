"""The demonstration: made once, by the actions everybody uses, with rights that differ."""

from io import StringIO

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command

from accounts import access
from accounts.models import AuditEvent, User, Workspace
from activities.actions import revision_draft_from, revision_publish, revision_retire
from activities.models import Agent, Revision
from activities.rights import offered_activities
from examples.billing import demo
from examples.billing.models import Customer, Invoice


@pytest.fixture(autouse=True)
def _quick_passwords(settings: object) -> None:
    """Hashing six passwords well takes longer than everything else here."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def workspace(db: None) -> Workspace:
    return demo.seed_demo(customers=120, invoices=60)


def offered(email: str, workspace: Workspace) -> set[str]:
    return {activity.key for activity in offered_activities(User.objects.get(email=email), workspace)}


def test_a_second_time_changes_nothing(workspace: Workspace) -> None:
    def everything() -> list[int]:
        models = (Workspace, User, Customer, Invoice, Agent, Revision, AuditEvent)
        return [model.objects.count() for model in models]

    before = everything()
    assert demo.seed_demo(customers=120, invoices=60) == workspace
    assert everything() == before


@pytest.mark.parametrize("retired", [False, True])
def test_what_a_designer_published_or_retired_stays(workspace: Workspace, retired: bool) -> None:
    designer = User.objects.get(email="daniel@example.com")
    revision = revision_draft_from(Revision.objects.get(), actor=designer)
    revision_publish(revision, actor=designer)
    if retired:
        revision_retire(revision, actor=designer)
    before = set(Revision.objects.values_list("pk", "state"))
    demo.seed_demo(customers=120, invoices=60)
    assert set(Revision.objects.values_list("pk", "state")) == before


def test_everybody_can_sign_in_as_announced(workspace: Workspace) -> None:
    assert len(demo.sign_ins()) == 6
    for email, password, about in demo.sign_ins():
        assert authenticate(username=email, password=password) is not None, email
        assert about
        assert access.is_member(User.objects.get(email=email), workspace)
    assert not User.objects.filter(is_superuser=True).exists()


def test_who_is_offered_what(workspace: Workspace) -> None:
    everything = offered("alice@example.com", workspace)
    assert everything == {
        "analyse_customer_relationship",
        "refund_invoice",
        "send_payment_reminder",
        "find_invoices",
        "draft_credit_note",
        "analyse_payment_exception",
    }
    assert offered("benoit@example.com", workspace) == everything
    assert offered("chloe@example.com", workspace) == everything - {"refund_invoice"}
    assert offered("farid@example.com", workspace) == set()


def test_rights_follow_the_announced_roles(workspace: Workspace) -> None:
    def may(email: str, perm: str) -> bool:
        return access.may(User.objects.get(email=email), perm, workspace)

    assert may("alice@example.com", "billing.refund_invoice")
    assert not may("chloe@example.com", "billing.refund_invoice")
    assert not may("chloe@example.com", "billing.settle_payment")
    assert may("erin@example.com", "accounts.approve_runs")
    assert may("farid@example.com", "accounts.view_all_runs")
    assert may("daniel@example.com", "accounts.design_agents")
    assert not may("farid@example.com", "billing.view_invoice")


def test_the_command_makes_the_whole_of_it_and_tells_the_sign_ins(db: None) -> None:
    said = StringIO()
    call_command("seed_demo", stdout=said)
    workspace = Workspace.objects.get(slug=demo.SLUG)
    assert Invoice.objects.filter(workspace=workspace).count() > 4_900
    assert all(
        email in said.getvalue() and password in said.getvalue() for email, password, _ in demo.sign_ins()
    )
