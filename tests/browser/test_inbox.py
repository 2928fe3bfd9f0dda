"""A step goes from the person who asked to the one who decides and back, in two browsers at once."""

import re

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from accounts.access import workspace_group
from accounts.models import User
from examples.billing import known
from examples.billing.demo import REFUNDERS
from examples.billing.models import Refund
from runs.models import Escalation
from runs.states import EscalationState, Outcome
from tests.browser import looks
from tests.browser.chat import Chat
from tests.browser.conftest import PHONE, Visitors

pytestmark = pytest.mark.browser


class Lent:
    """The right to refund, taken from somebody between their request and their confirmation."""

    def __init__(self, person: str) -> None:
        self.user = User.objects.get(email=f"{person}@example.com")
        membership = self.user.memberships.get()
        self.group = workspace_group(membership.workspace, REFUNDERS)

    def take(self) -> None:
        self.user.groups.remove(self.group)

    def give_back(self) -> None:
        self.user.groups.add(self.group)


def escalated(chat: Chat, person: str, invoice: str) -> Escalation:
    """Ask for a refund, lose the right to it, confirm: the step is handed over."""
    lent = Lent(person)
    ask = {
        "alice": "Refund invoice {}, the item arrived broken.",
        "benoit": "Rembourse la facture {}, article cassé.",
    }
    chat.ask(ask[person].format(invoice))
    expect(chat.dialog).to_be_visible()
    lent.take()
    try:
        chat.dialog.locator("button[value=confirm]").click()
        expect(chat.last.locator("[data-handed]")).to_be_visible()
    finally:
        lent.give_back()
    return Escalation.objects.get(run=chat.run(), state=EscalationState.OPEN)


def listening(page: Page) -> None:
    expect(page.locator("html")).to_have_attribute("data-inbox", "yes")


def test_from_the_requester_to_the_decider_and_back(visit: Visitors) -> None:
    alice, erin = visit("alice"), visit("erin").page
    listening(erin)
    expect(erin.locator("#inbox-count")).to_have_count(0)
    escalation = escalated(alice, "alice", known.REFUNDABLE_INVOICES[0])
    # The number appears by itself, on whatever page she is.
    expect(erin.locator("#inbox-count")).to_contain_text("1")
    erin.goto("/inbox/")
    listening(erin)
    erin.locator(f"a[href='/inbox/{escalation.pk}/']").click()
    expect(erin.locator("h1")).to_contain_text("Refund")
    expect(erin.get_by_text("Alice Carter asked:")).to_be_visible()
    expect(erin.get_by_text("Written by code, from the facts.")).to_be_visible()
    listening(erin)
    erin.get_by_role("button", name="I am on it").click()
    expect(alice.last).to_contain_text("Erin Walsh is on it")
    erin.locator("details.choice summary", has_text="Do it yourself").click()
    erin.locator("details.choice[open] button[value=act]").click()
    expect(erin.get_by_role("heading", name="Confirm what you are about to do")).to_be_visible()
    expect(alice.last).to_contain_text("Erin Walsh is deciding")
    assert not Refund.objects.filter(invoice__number=known.REFUNDABLE_INVOICES[0]).exists()
    erin.get_by_role("button", name="Confirm", exact=True).click()
    expect(alice.last.locator("[data-finished]")).to_be_visible()
    expect(alice.outcome).to_contain_text("Succeeded")
    expect(alice.last).to_contain_text("did it themselves")
    expect(erin.locator(".page-head .badge").first).to_contain_text("Solved")
    expect(erin.locator("#inbox-count")).to_have_count(0)
    run = escalation.run
    run.refresh_from_db()
    assert run.outcome == Outcome.SUCCEEDED
    assert Refund.objects.filter(invoice__number=known.REFUNDABLE_INVOICES[0]).count() == 1
    alice.page.goto(f"/runs/{run.pk}/")
    expect(alice.page.get_by_text("by Erin Walsh", exact=True)).to_be_visible()


def test_a_reason_comes_back_and_another_tab_is_told(visit: Visitors) -> None:
    alice, erin = visit("alice"), visit("erin")
    escalation = escalated(alice, "alice", known.REFUNDABLE_INVOICES[1])
    address = f"/inbox/{escalation.pk}/"
    erin.page.goto(address)
    other = visit.tab(erin).page
    listening(other)
    other.locator("#decide-instruction").fill("half a thought")
    page = erin.page
    page.bring_to_front()  # of two tabs only one has the focus
    page.locator("details.choice summary", has_text="Close it as not done").click()
    page.get_by_role("button", name="Close it", exact=True).click()
    expect(page.locator("#decide-reason-error")).to_be_visible()
    expect(page.locator("#decide-reason")).to_be_focused()
    page.locator("#decide-reason").fill("The customer withdrew it.")
    page.get_by_role("button", name="Close it", exact=True).click()
    expect(page.locator(".page-head .badge").first).to_contain_text("Closed")
    expect(other.locator(".page-head .badge").first).to_contain_text("Closed")
    expect(alice.answer).to_contain_text("The customer withdrew it.")
    expect(alice.outcome).to_contain_text("Refused")
    assert not Refund.objects.filter(invoice__number=known.REFUNDABLE_INVOICES[1]).exists()
    visit.forgive("422")


def test_what_is_opened_and_typed_while_an_answer_is_under_way_stays(visit: Visitors) -> None:
    alice, erin = visit("alice"), visit("erin").page
    escalation = escalated(alice, "alice", known.REFUNDABLE_INVOICES[1])
    erin.goto(f"/inbox/{escalation.pk}/")
    listening(erin)
    held: list[tuple[Route, APIResponse]] = []
    erin.route("**/decide", lambda route: held.append((route, route.fetch())))
    erin.get_by_role("button", name="I am on it").click()
    expect(erin.locator("#escalation-head")).to_contain_text("Erin Walsh")  # the socket was faster
    erin.locator("details.choice summary", has_text="Close it as not done").click()
    erin.locator("#decide-reason").fill("half a thought")
    route, answer = held[0]
    route.fulfill(response=answer)
    expect(erin.locator("#escalation-notice .notice")).to_be_visible()
    expect(erin.locator("#decide-reason")).to_be_visible()
    expect(erin.locator("#decide-reason")).to_have_value("half a thought")


def test_with_the_keyboard(visit: Visitors) -> None:
    alice, erin = visit("alice"), visit("erin").page
    escalation = escalated(alice, "alice", known.REFUNDABLE_INVOICES[1])
    erin.goto("/inbox/")
    erin.locator(f"a[href='/inbox/{escalation.pk}/']").focus()
    erin.keyboard.press("Enter")
    erin.wait_for_url(f"**/inbox/{escalation.pk}/")
    summary = erin.locator("details.choice summary", has_text="Close it as not done")
    summary.focus()
    erin.keyboard.press("Enter")
    erin.keyboard.press("Tab")
    expect(erin.locator("#decide-reason")).to_be_focused()
    erin.keyboard.type("Not this time.")
    erin.keyboard.press("Tab")
    erin.keyboard.press("Enter")
    expect(erin.locator(".page-head .badge").first).to_contain_text("Closed")
    expect(erin.locator("h1")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [None, PHONE], ids=["desk", "phone"])
def test_the_pages_look_right(visit: Visitors, viewport: dict[str, int] | None, scheme: str) -> None:
    benoit = visit("benoit")
    escalation = escalated(benoit, "benoit", known.REFUNDABLE_INVOICES[2])
    options = {"viewport": viewport} if viewport else {}
    page = visit("erin", color_scheme=scheme, **options).page
    for address in ("/inbox/", f"/inbox/{escalation.pk}/", f"/runs/{escalation.run_id}/"):
        page.goto(address)
        page.evaluate("document.querySelectorAll('details.choice').forEach((each) => { each.open = true; })")
        assert page.evaluate(looks.TOO_WIDE) <= 0, address
        assert page.evaluate(looks.WEAK_TEXTS) == [], address
        assert page.evaluate(looks.UNSOUND) == [], address
    page.goto(f"/inbox/{escalation.pk}/")
    page.locator("details.choice summary", has_text=re.compile("Close it")).click()
    page.locator("#decide-reason").fill("No.")
    page.get_by_role("button", name="Close it", exact=True).click()
    expect(page.locator(".page-head .badge").first).to_contain_text("Closed")
    expect(benoit.answer).to_contain_text("Motif")
