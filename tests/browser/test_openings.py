"""A designer opens a step to a part of the catalogue, tries it, and reads how its tools were found."""

import pytest
from playwright.sync_api import expect

from accounts.models import User
from activities.models import Agent
from examples.billing import known
from tests.browser.conftest import PHONE, Visitors
from tests.browser.desk import Desk
from tests.browser.looks import TOO_WIDE, WEAK_TEXTS
from tests.browser.test_looks import english_texts
from tests.live import Site

pytestmark = pytest.mark.browser

OPEN_ALL = "document.querySelectorAll('details').forEach((each) => each.open = true)"


def test_a_step_is_opened_tried_and_read(visit: Visitors, live: Site) -> None:
    desk = Desk(visit.anonymous()).sign_in("daniel")
    step = look_ups(desk)
    desk.page.goto(step)
    expect(desk.page.locator(".desk-note")).to_contain_text("8 tools may be used in this step")
    expect(desk.page.locator(".desk-note")).to_contain_text("the model is shown all of them")
    desk.page.locator("summary", has_text="Any tool tagged “reading”").click()
    expect(desk.page.locator(".desk-led")).to_contain_text("billing.get_invoice")

    agent = Agent.objects.get(key="lookups")
    desk.page.goto(f"/admin/activities/agent/{agent.pk}/change/")
    desk.give("Billing readers")
    desk.page.goto(f"/admin/activities/agent/revisions/{agent.revisions.get().pk}/")
    desk.try_out(f"Look up invoice {known.REFUNDABLE_INVOICES[0]}", "Alice")
    trial = desk.page.locator("#trial")
    expect(trial).to_contain_text("Tools were looked up for:")
    trial.locator("summary", has_text="Tools were looked up for:").click()
    expect(trial).to_contain_text("8 tools were permitted.")
    expect(trial).to_have_attribute("data-outcome", "succeeded")
    for options in ({}, {"viewport": PHONE}, {"color_scheme": "dark"}):
        other = Desk(visit.anonymous(**options)).sign_in("daniel")
        for address in (step, desk.page.url, "/admin/activities/toolgroup/add/"):
            other.page.goto(address)
            other.page.evaluate(OPEN_ALL)
            assert other.page.evaluate(TOO_WIDE) <= 0, (address, options)
            if "toolgroup" not in address:
                assert other.page.evaluate(WEAK_TEXTS) == [], (address, options)
    User.objects.filter(email="daniel@example.com").update(language="fr")
    desk.page.goto(step)
    expect(desk.page.locator("html")).to_have_attribute("lang", "fr")
    desk.page.evaluate(OPEN_ALL)
    expect(desk.page.locator(".desk-note")).to_contain_text("le modèle les voit tous")
    shown = {text.strip() for text in desk.page.locator("#desk-form").inner_text().splitlines()}
    assert not shown & english_texts()


def look_ups(desk: Desk) -> str:
    """Make an agent whose one step is open to the tools that read; returns the step's page."""
    desk.new_agent("Look-ups", "lookups")
    desk.new_activity("Look something up", "Consulter une fiche", "look_up")
    desk.fill(
        summary_en="Looks one record up: an invoice, a payment or a customer.",
        summary_fr="Consulte une fiche : facture, paiement ou client.",
        aliases_en="look up",
        aliases_fr="consulter",
    )
    desk.saved()
    desk.tab("Steps")
    desk.link("Add a step")
    desk.fill(
        name_en="Look it up", name_fr="Consulter", key="look", goal="Find the record that is asked for."
    )
    row = desk.add("Open to a part")
    expect(desk.field(row, "to")).to_contain_text("reading (8 tools)")
    desk.field(row, "to").select_option("tag:reading")
    desk.saved()
    desk.link("Look it up")
    return desk.page.url
