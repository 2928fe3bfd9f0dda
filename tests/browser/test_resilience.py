"""Nothing is lost, nothing comes twice: tabs, reloads, lost connections, refused messages."""

import re

import pytest
from playwright.sync_api import expect

from examples.billing import known
from examples.billing.models import Refund
from runs.models import Message
from runs.states import Outcome
from tests.browser.conftest import Visitors
from tests.live import Site

pytestmark = pytest.mark.browser

FIRST, SECOND, THIRD, FOURTH = known.REFUNDABLE_INVOICES
WEATHER = "What's the weather in Lyon?"


def refund(number: str) -> str:
    return f"Refund invoice {number}, the item arrived broken."


def test_a_pending_confirmation_is_there_after_a_reload_and_in_a_second_tab(visit: Visitors) -> None:
    chat = visit("alice").ask(refund(FIRST))
    expect(chat.dialog).to_contain_text(FIRST)
    chat.page.reload()
    expect(chat.dialog).to_contain_text(FIRST)
    other = visit.tab(chat)
    expect(other.dialog).to_contain_text(FIRST)
    other.connected()
    chat.dialog.locator("[data-confirm]").click()
    expect(other.dialog).to_have_count(0)
    expect(other.last.locator(".decided")).to_contain_text("Confirmed by you")
    expect(other.last.locator("[data-finished]")).to_be_visible()
    assert Refund.objects.filter(invoice__number=FIRST).count() == 1


def test_two_tabs_that_decide_at_once_decide_once(visit: Visitors) -> None:
    chat = visit("alice").ask(refund(SECOND))
    other = visit.tab(chat)
    other.page.route("**/ws/**", lambda route: route.abort())
    expect(other.dialog).to_be_visible()
    address = chat.page.locator("[data-deed*=confirmations]").get_attribute("data-deed")
    digest = chat.page.locator("input[name=digest]").get_attribute("value")
    statuses = chat.page.evaluate(
        """async ([address, digest]) => {
            const token = JSON.parse(document.body.getAttribute('hx-headers'))['X-CSRFToken'];
            const decide = (decision) => fetch(address, {
                method: 'POST', headers: {'X-CSRFToken': token, 'HX-Request': 'true'},
                body: new URLSearchParams({decision, digest}),
            }).then((response) => response.status);
            return Promise.all(Array.from({length: 10}, () => decide('confirm')));
        }""",
        [address, digest],
    )
    assert sorted(statuses) == [200] + [409] * 9
    expect(chat.last.locator("[data-finished]")).to_be_visible()
    assert Refund.objects.filter(invoice__number=SECOND).count() == 1
    visit.forgive("409", "ERR_FAILED")


def test_a_lost_connection_loses_nothing_and_repeats_nothing(visit: Visitors, live: Site) -> None:
    chat = visit("alice").ask(WEATHER)
    chat.connected()
    live.stop_worker()
    chat.send(f"Refund invoice {THIRD}, the item arrived broken.")
    expect(chat.articles).to_have_count(2)
    chat.page.context.set_offline(True)
    expect(chat.page.locator("[data-offline]")).to_be_visible()
    live.worker.start()
    run = chat.run()
    chat.text.fill("a draft written on a train")
    while run.state != "awaiting_confirmation":
        run.refresh_from_db()
    chat.page.context.set_offline(False)
    expect(chat.dialog).to_contain_text(THIRD)
    expect(chat.page.locator("[data-offline]")).to_be_hidden()
    expect(chat.page.locator("[data-connection]")).to_be_hidden()
    expect(chat.articles).to_have_count(2)
    assert chat.text.input_value() == "a draft written on a train"
    chat.dialog.locator("button[value=refuse]").click()
    expect(chat.last.locator("[data-finished]")).to_be_visible()
    visit.forgive("ERR_INTERNET_DISCONNECTED", "WebSocket", "htmx:", "undefined")


def test_without_a_socket_the_page_asks_by_itself(visit: Visitors) -> None:
    chat = visit("alice")
    chat.page.route_web_socket(re.compile("/ws/"), lambda socket: socket.close(code=1013))
    chat.start(WEATHER)
    expect(chat.last.locator("[data-finished]")).to_be_visible(timeout=20_000)
    expect(chat.page.locator("[data-connection]")).to_be_visible()
    visit.forgive("WebSocket", "htmx:wsError")


def test_a_message_sent_offline_is_kept_and_sent_once(visit: Visitors) -> None:
    chat = visit("alice").ask(WEATHER)
    chat.connected()
    chat.page.context.set_offline(True)
    chat.send("And in Paris?")
    expect(chat.notice).to_contain_text("did not reach the server")
    expect(chat.text).to_have_value("And in Paris?")
    chat.page.context.set_offline(False)
    chat.text.press("Enter")
    expect(chat.articles).to_have_count(2)
    expect(chat.text).to_have_value("")
    assert Message.objects.filter(conversation=chat.run().conversation, text="And in Paris?").count() == 1
    visit.forgive("ERR_INTERNET_DISCONNECTED", "WebSocket", "htmx:")


def test_a_draft_survives_a_reload(visit: Visitors) -> None:
    chat = visit("alice").ask(WEATHER)
    chat.text.fill("half a thought")
    chat.page.reload()
    expect(chat.text).to_have_value("half a thought")


def test_a_second_message_during_a_run_is_refused_and_kept(visit: Visitors, live: Site) -> None:
    live.stop_worker()
    chat = visit("alice").start(WEATHER)
    expect(chat.page.get_by_role("button", name="Stop")).to_be_visible()
    chat.send("Something else meanwhile")
    expect(chat.notice).to_contain_text("still working")
    expect(chat.text).to_have_value("Something else meanwhile")
    assert chat.articles.count() == 1
    live.worker.start()
    expect(chat.last.locator("[data-finished]")).to_be_visible()
    chat.text.press("Enter")
    expect(chat.articles).to_have_count(2)
    expect(chat.notice).to_be_empty()
    visit.forgive("409")


def test_stop_stops(visit: Visitors, live: Site) -> None:
    live.stop_worker()
    chat = visit("alice").start(refund(FOURTH))
    chat.page.get_by_role("button", name="Stop").click()
    expect(chat.outcome).to_contain_text("Stopped")
    expect(chat.page.get_by_role("button", name="Send")).to_be_visible()
    live.worker.start()
    assert chat.run().outcome == Outcome.CANCELLED
    assert not Refund.objects.filter(invoice__number=FOURTH).exists()


def test_stop_withdraws_a_pending_confirmation(visit: Visitors) -> None:
    chat = visit("alice").ask(refund(FOURTH))
    chat.page.keyboard.press("Escape")
    chat.page.get_by_role("button", name="Stop").click()
    expect(chat.outcome).to_contain_text("Stopped")
    expect(chat.page.locator("dialog[data-confirmation]")).to_have_count(0)
    assert not Refund.objects.filter(invoice__number=FOURTH).exists()


@pytest.mark.parametrize(("text", "sentence"), [("   ", "empty message"), ("x" * 100_000, "at most 8000")])
def test_a_message_that_cannot_be_sent_is_kept(visit: Visitors, text: str, sentence: str) -> None:
    chat = visit("alice").ask(WEATHER)
    chat.send(text)
    expect(chat.notice).to_contain_text(sentence)
    assert chat.text.input_value() == text
    assert chat.articles.count() == 1
    visit.forgive("422")


def test_what_is_typed_into_a_question_stays_while_other_things_change(visit: Visitors) -> None:
    chat = visit("alice").ask("Analyse my relationship with John Doe")
    start = chat.last.locator("input[type=date]").first
    start.fill("2025-01-01")
    chat.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    other = visit.tab(chat)
    other.connected()
    chat.page.context.set_offline(True)
    chat.page.context.set_offline(False)
    chat.connected()
    expect(start).to_have_value("2025-01-01")
    chat.last.get_by_role("button", name="Answer").click()
    expect(chat.last.locator(".field__error")).to_be_visible()
    expect(chat.last.locator("input[type=date]").first).to_have_value("2025-01-01")
    visit.forgive("ERR_INTERNET_DISCONNECTED", "WebSocket", "htmx:", "422")


def test_a_signed_out_page_leads_to_the_sign_in_and_keeps_the_draft(visit: Visitors) -> None:
    chat = visit("alice").ask(WEATHER)
    address = chat.page.url
    chat.page.context.clear_cookies()
    chat.send("written too late")
    chat.page.wait_for_url(re.compile(".*/accounts/.*next=.*"))
    chat.page.locator("input[type=email]").fill("alice@example.com")
    chat.page.locator("input[type=password]").fill("mandate-demo-2026")
    chat.page.locator("input[type=password]").press("Enter")
    chat.page.wait_for_url(address)
    expect(chat.text).to_have_value("written too late")
    visit.forgive("WebSocket")


def test_a_page_that_lost_its_token_is_read_anew_and_keeps_the_draft(visit: Visitors) -> None:
    chat = visit("alice").ask(WEATHER)
    chat.page.context.clear_cookies(name="csrftoken")
    with chat.page.expect_navigation():
        chat.send("written without a token")
    expect(chat.text).to_have_value("written without a token")
    chat.page.locator("#composer-send").click()
    expect(chat.text).to_have_value("")
