"""A designer builds an activity from nothing, tries it, publishes it, and somebody uses it."""

import pytest
from playwright.sync_api import expect

from activities.models import Activity, Agent, Revision, RevisionState
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


def test_two_designers_lose_nothing(visit: Visitors, live: Site) -> None:
    desk = Desk(visit.anonymous()).sign_in("daniel")
    desk.new_agent("Shared", "shared")
    desk.new_activity("One", "Une", "one")
    other = Desk(visit.watched(desk.page.context.new_page()))
    other.page.goto(desk.page.url)
    desk.fill(summary_en="Mine.", aliases_en="mine")
    other.fill(summary_en="Theirs.", aliases_en="theirs")
    desk.saved()
    other.button("Save")
    expect(other.page.get_by_role("alert")).to_contain_text("Daniel Osei changed this draft")
    expect(other.page.locator("[name='summary_en']")).to_have_value("Theirs.")
    assert Activity.objects.get(key="one").summary == {"en": "Mine."}
    other.saved()
    assert Activity.objects.get(key="one").summary == {"en": "Theirs."}
    visit.forgive("409")


def test_rows_are_moved_removed_and_kept_when_something_is_wrong(visit: Visitors, live: Site) -> None:
    desk = Desk(visit.anonymous()).sign_in("daniel")
    desk.new_agent("Rows", "rows")
    desk.new_activity("Rows", "Lignes", "row_by_row")
    desk.tab("Inputs")
    for name in ("first", "second", "Third One"):
        desk.field(desk.add("Add an input"), "name").fill(name)
    rows = desk.page.locator("[data-rows='inputs'] > [data-list] > *")
    rows.nth(1).get_by_role("button", name="Move up").click()
    desk.button("Save")
    expect(desk.page.locator(".desk-error")).to_contain_text("Use small letters")
    expect(rows.nth(2).locator("[name$='-name']")).to_have_value("Third One")
    expect(rows.first.locator("[name$='-name']")).to_have_value("second")
    rows.nth(2).get_by_role("button", name="Remove").click()
    desk.saved()
    names = Activity.objects.get(key="row_by_row").inputs.values_list("name", flat=True)
    assert list(names) == ["second", "first"]
    visit.forgive("422")


SIZES = {"desk": {"viewport": DESK}, "phone": {"viewport": PHONE}, "dark": {"color_scheme": "dark"}}


@pytest.mark.parametrize("look", SIZES)
def test_every_page_fits_and_can_be_read(visit: Visitors, live: Site, look: str) -> None:
    desk = Desk(visit.anonymous(**SIZES[look])).sign_in("daniel")
    revision = Agent.objects.get(key="billing").revisions.latest("number")
    for address in addresses(revision):
        desk.page.goto(address)
        expect(desk.page.locator(".desk")).to_be_visible()
        assert desk.page.evaluate(TOO_WIDE) <= 0, address
        assert desk.page.evaluate(WEAK_TEXTS) == [], address


def addresses(revision: Revision) -> list[str]:
    part = revision.activities.get(key="refund_invoice")
    base = "/admin/activities/agent/"
    about = ("", "trial/", "prompts/", "evaluations/", "difference/", "history/")
    sections = ("card", "inputs", "tools", "steps", "answer", "handover", "limits")
    return [
        f"{base}{revision.agent_id}/change/",
        f"{base}{revision.agent_id}/rights/",
        f"{base}import/",
        *(f"{base}discovery/{page}" for page in ("", "requests/", "missed/", "unmet/", "words/", "alike/")),
        *(f"{base}revisions/{revision.pk}/{page}" for page in about),
        *(f"{base}activities/{part.pk}/{page}/" for page in sections),
        f"{base}activities/{part.pk}/tools/billing.refund_invoice/",
        f"{base}activities/{part.pk}/steps/{part.steps.all()[0].pk}/",
    ]
