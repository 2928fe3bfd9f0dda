"""Several requests in one message, and a hand-over, as a person sees them."""

import pytest
from playwright.sync_api import expect

from examples.billing import known
from runs.states import Outcome
from tests.browser.conftest import Visitors

pytestmark = pytest.mark.browser

ASKED = {
    "alice": "Show me the invoices of {name} and analyse my relationship with {name} over the past year.",
    "benoit": "Montre-moi les factures de {name} et analyse ma relation avec {name} sur l'année passée.",
}


@pytest.mark.parametrize("person", ASKED)
def test_a_plan_is_shown_and_carried_out_one_by_one(visit: Visitors, person: str) -> None:
    chat = visit(person).start(ASKED[person].format(name=known.RICH_CUSTOMER_NAME))
    expect(chat.articles).to_have_count(2)
    expect(chat.articles.first.locator(".plan li")).to_have_count(2)
    expect(chat.articles.first.locator("[data-finished]")).to_be_attached()
    chat.settled()
    assert chat.run().outcome == Outcome.SUCCEEDED
    chat.page.reload()
    expect(chat.articles).to_have_count(2)
    expect(chat.articles.first.locator(".plan li")).to_have_count(2)


def test_a_recommendation_leads_to_a_confirmation(visit: Visitors) -> None:
    chat = visit("alice").start(f"Analyse the payment exception {known.MATCHING_PAYMENT}.")
    expect(chat.articles).to_have_count(2)
    expect(chat.last.locator(".pending").first).to_be_attached()
    expect(chat.last).to_contain_text(known.MATCHING_INVOICE)
    chat.last.get_by_role("button", name="Refuse").first.click()
    expect(chat.outcome).to_contain_text("Refused")
