"""Everything with the keyboard, and said to screen readers."""

import re

import pytest
from playwright.sync_api import expect

from examples.billing import known
from tests.browser.conftest import PHONE, Visitors

pytestmark = pytest.mark.browser

REFUND = f"Refund invoice {known.REFUNDABLE_INVOICES[0]}, the item arrived broken."


def test_a_refund_from_beginning_to_end(visit: Visitors) -> None:
    chat = visit("alice")
    keys = chat.page.keyboard
    expect(chat.text).to_be_focused()
    keys.type(REFUND)
    keys.press("Enter")
    expect(chat.dialog).to_be_visible()
    expect(chat.dialog.locator("[data-title]")).to_be_focused()
    keys.press("Enter")
    keys.press("Space")
    expect(chat.dialog).to_be_visible()  # what was being typed decides nothing
    keys.press("Escape")
    expect(chat.dialog).to_have_count(0)
    expect(chat.text).to_be_focused()
    review = chat.last.get_by_role("button", name="Review and decide")
    review.focus()
    keys.press("Enter")
    expect(chat.dialog).to_be_visible()
    keys.press("Escape")
    expect(review).to_be_focused()
    keys.press("Enter")
    expect(chat.dialog.locator("[data-title]")).to_be_focused()
    for _ in range(10):
        keys.press("Tab")
        if chat.page.evaluate("document.activeElement.value") == "refuse":
            break
    keys.press("Enter")
    expect(chat.last.locator("[data-finished]")).to_be_visible()
    expect(chat.last.locator(".decided")).to_contain_text("Refused by you")
    assert chat.page.evaluate("document.activeElement !== document.body")


def test_shift_enter_makes_a_new_line(visit: Visitors) -> None:
    chat = visit("alice")
    expect(chat.text).to_be_focused()
    chat.page.keyboard.type("one")
    chat.page.keyboard.press("Shift+Enter")
    chat.page.keyboard.type("two")
    expect(chat.text).to_have_value("one\ntwo")


def test_the_skip_link_leads_to_the_content(visit: Visitors) -> None:
    page = visit("alice").page
    page.goto("/runs/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip-link")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_progress_is_said_politely_and_a_decision_at_once(visit: Visitors) -> None:
    chat = visit("alice")
    chat.page.add_init_script(
        """document.addEventListener('DOMContentLoaded', () => {
            for (const id of ['polite', 'assertive']) {
                const region = document.getElementById(id);
                const keep = (text) => text && region.setAttribute('data-said', text);
                new MutationObserver(() => keep(region.textContent))
                    .observe(region, {childList: true, characterData: true, subtree: true});
            }
        });"""
    )
    chat.ask(REFUND)
    expect(chat.dialog).to_be_visible()
    expect(chat.page.locator("#assertive")).to_have_attribute("data-said", re.compile("Œuvre"))
    chat.dialog.locator("button[value=refuse]").click()
    expect(chat.last.locator("[data-finished]")).to_be_visible()
    expect(chat.page.locator("#polite")).to_have_attribute("data-said", re.compile("refused", re.IGNORECASE))


def test_the_drawer_of_a_phone_opens_and_closes(visit: Visitors) -> None:
    chat = visit("alice", viewport=PHONE)
    drawer = chat.page.locator("#drawer")
    expect(drawer).to_be_hidden()
    expect(drawer).to_have_attribute("inert", "")  # the page's script is at work
    opener = chat.page.locator("[data-drawer-open]")
    opener.click()
    expect(drawer).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(opener).to_be_focused()
