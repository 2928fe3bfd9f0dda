"""A designer builds an activity from nothing, tries it, publishes it, and somebody uses it."""

import re

import pytest
from playwright.sync_api import expect

from activities.models import Agent, RevisionState
from runs.models import Run
from tests.browser.conftest import DESK, PHONE, Visitors
from tests.browser.desk import Desk
from tests.browser.looks import TOO_WIDE, WEAK_TEXTS
from tests.live import Site

pytestmark = pytest.mark.browser

REQUEST = "Show me the unpaid invoices of Kestrel Robotics."


def test_from_nothing_to_an_answer(visit: Visitors, live: Site) -> None:
    desk = Desk(visit.anonymous()).sign_in("daniel")
    retire_the_demonstration(desk)
    build(desk)

    before = Run.objects.filter(trial=False).count()
    desk.try_out(REQUEST, "Alice")
    expect(desk.page.locator("#trial")).to_have_attribute("data-outcome", "succeeded")
    expect(desk.page.locator("#trial [data-trial-answer]")).to_contain_text("invoices match.")
    expect(desk.page.locator("#trial")).to_contain_text("List invoices")
    assert Run.objects.filter(trial=False).count() == before

    desk.tab("Activities")
    expect(desk.page.get_by_text("Ready to publish")).to_be_visible()
    desk.button("Publish")
    expect(desk.page.get_by_text("This revision is frozen.", exact=False)).to_be_visible()
    assert Agent.objects.get(key="finder").revisions.get().state == RevisionState.PUBLISHED

    alice = visit("alice")
    alice.ask(REQUEST)
    expect(alice.answer).to_contain_text("invoices match.")
    run = alice.run()
    assert (run.activity.key, run.outcome, run.trial) == ("find_invoices", "succeeded", False)


def retire_the_demonstration(desk: Desk) -> None:
    """The demonstration's own agent finds invoices too; this test is about another."""
    desk.open()
    desk.link("Billing")
    desk.page.locator("tr", has_text="published").get_by_role("link").first.click()
    desk.button("Retire")
    expect(desk.page.get_by_text("The revision is retired", exact=False)).to_be_visible()


def build(desk: Desk) -> None:
    desk.new_agent("Invoice finder", "finder")
    revision = desk.page.url
    expect(desk.page.get_by_text("It has no activity", exact=False)).to_be_visible()
    desk.new_activity("Find invoices", "Trouver des factures", "find_invoices")
    desk.card()
    desk.inputs()
    desk.tools()
    desk.steps()
    desk.answer()
    desk.page.locator(".desk-trail").get_by_role("link", name="Invoice finder").click()
    desk.give("Billing readers")
    desk.page.goto(revision)
