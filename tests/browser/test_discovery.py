"""What was missed is named in the chat and learned at the desk, with real people and a real interpreter."""

import pytest
from playwright.sync_api import Page, expect

from activities.models import CardPhrase
from runs.models import Missed
from tests.browser.chat import Chat
from tests.browser.conftest import PHONE, Visitors
from tests.browser.desk import Desk
from tests.browser.looks import TOO_WIDE, UNSOUND, WEAK_TEXTS

pytestmark = pytest.mark.browser
BASE = "/admin/activities/agent/discovery/"
ODD = "Zorblax the Kestrel Robotics quibbles"


def offer(chat: Chat) -> Page:
    """Open the control on a refused answer with the keyboard, up to its first choice."""
    summary = chat.last.locator(".missed__offer summary")
    summary.focus()
    chat.page.keyboard.press("Enter")
    expect(chat.last.locator(".missed button.candidate").first).to_be_visible()
    return chat.page


def test_from_the_refusal_to_the_alias_and_the_next_request(visit: Visitors) -> None:
    alice, desk = visit("alice"), Desk(visit.anonymous()).sign_in("daniel")
    alice.ask(ODD)
    expect(alice.outcome).to_have_text("Declined")
    page = offer(alice)
    assert page.evaluate(UNSOUND) == []
    page.keyboard.press("Tab")
    choice = alice.last.locator("button.candidate", has_text="Find invoices")
    choice.focus()
    page.keyboard.press("Enter")
    expect(alice.last.get_by_text("Noted: Find invoices.")).to_be_in_viewport()
    expect(alice.last.locator(".missed__named")).to_be_focused()
    assert Missed.objects.get(run=alice.run()).key == "billing.find_invoices"
    alice.last.get_by_text("There is something else for this").click()
    expect(alice.last.locator("button.candidate").first).to_be_visible()

    desk.page.goto(f"{BASE}requests/")
    desk.page.get_by_role("link", name=ODD).click()
    expect(desk.page.get_by_role("heading", name="A request")).to_be_visible()
    assert desk.page.evaluate(TOO_WIDE) <= 0
    assert desk.page.evaluate(WEAK_TEXTS) == []
    expect(desk.page.locator("[name=card] option:checked")).to_contain_text("billing.find_invoices")
    desk.fill(text="Zorblax the quibbles")
    desk.button("Add the alias")
    expect(desk.page.get_by_text("The card knows these words from now on.")).to_be_visible()

    alice.ask(ODD)
    expect(alice.last.locator(".understood__activity")).to_contain_text("Find invoices")

    desk.tab("Learned words")
    desk.button("Remove")
    expect(desk.page.get_by_text("The card no longer knows these words.")).to_be_visible()
    assert not CardPhrase.objects.filter(learned=True).exists()
    alice.ask(ODD)
    expect(alice.outcome).to_have_text("Declined")


def test_in_french_on_a_phone_in_the_dark(visit: Visitors) -> None:
    benoit = visit("benoit", viewport=PHONE, color_scheme="dark")
    benoit.ask("Commande une pizza")
    page = offer(benoit)
    expect(benoit.last).to_contain_text("Il existe quelque chose pour cela")
    assert page.evaluate(TOO_WIDE) <= 0
    assert page.evaluate(WEAK_TEXTS) == []
    benoit.last.locator("button.candidate").first.click()
    named = benoit.last.locator(".missed__named")
    expect(named).to_contain_text("C’est noté")
    expect(named).to_be_in_viewport()
    expect(named).to_be_focused()
