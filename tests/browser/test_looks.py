"""Every screen, at desk and phone width, light and dark, in both languages: what can be measured of it."""

from collections.abc import Iterator
from functools import cache

import pytest
from babel.messages.pofile import read_po
from django.conf import settings
from playwright.sync_api import Page, expect

from examples.billing import known
from tests.browser import looks
from tests.browser.chat import Chat
from tests.browser.conftest import DESK, PHONE, Visitors

pytestmark = pytest.mark.browser

SENTENCES = {
    "alice": (
        "Analyse my relationship with John Doe over the past year.",
        f"Refund invoice {known.REFUNDABLE_INVOICES[0]}, the item arrived broken.",
        "Analyse my relationship",
        f"Analyse my relationship with {known.NAMESAKES_NAME} over the past year.",
        "What's the weather in Lyon?",
    ),
    "benoit": (
        "Analyse ma relation client avec John Doe sur l'année passée.",
        f"Rembourse la facture {known.REFUNDABLE_INVOICES[1]}, l'article est arrivé cassé.",
        "Analyse ma relation client",
        f"Analyse ma relation client avec {known.NAMESAKES_NAME} sur l'année passée.",
        "Quel temps fait-il à Lyon ?",
    ),
}


@cache
def english_texts() -> frozenset[str]:
    """The msgids whose French is another text. A language is called by its own name in every language."""
    with (settings.LOCALE_PATHS[0] / "fr/LC_MESSAGES/django.po").open("rb") as file:
        messages = [message for message in read_po(file) if message.id and isinstance(message.id, str)]
    translated = {message.id for message in messages if message.string != message.id}
    return frozenset(translated - {"English"})


def screens(chat: Chat, person: str) -> Iterator[str]:
    """Show one screen after the other; yields its name while it is shown."""
    page = chat.page
    yield "home"
    for number, sentence in enumerate(SENTENCES[person]):
        chat.ask(sentence)
        yield f"conversation {number}"
        if chat.dialog.count():
            page.keyboard.press("Escape")
            yield f"conversation {number}, dialog laid aside"
    page.goto(f"/runs/{chat.run().pk}/")
    yield "run"
    page.goto("/runs/")
    yield "runs"
    page.goto("/runs/?outcome=failed")
    yield "no runs"
    page.goto("/accounts/profile/")
    yield "profile"
    page.goto("/nowhere/")
    yield "not found"


def check(page: Page, name: str) -> list[str]:
    weak = page.evaluate(looks.WEAK_TEXTS)
    unsound = page.evaluate(looks.UNSOUND)
    wide = page.evaluate(looks.TOO_WIDE)
    return [f"{name}: {each}" for each in [*weak, *unsound, *([f"{wide} px too wide"] if wide > 0 else [])]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_screens_fit_and_can_be_read(visit: Visitors, viewport: dict[str, int], scheme: str) -> None:
    chat = visit("alice", viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
    problems = [problem for name in screens(chat, "alice") for problem in check(chat.page, name)]
    assert problems == []
    visit.forgive("404")


def test_french_screens_are_french(visit: Visitors) -> None:
    chat = visit("benoit")
    left = []
    for name in screens(chat, "benoit"):
        expect(chat.page.locator("html")).to_have_attribute("lang", "fr")
        left += [f"{name}: {text}" for text in chat.page.evaluate(looks.TEXTS) if text in english_texts()]
    assert left == []
    visit.forgive("404")


def test_an_auditors_page_fits_a_phone(visit: Visitors) -> None:
    chat = visit("farid", viewport=PHONE)
    chat.page.goto("/runs/")
    assert check(chat.page, "everybody's runs") == []


def test_the_sign_in_page_fits_and_speaks_both_languages(visit: Visitors) -> None:
    page = visit.anonymous(viewport=PHONE)
    page.goto("/")
    assert check(page, "sign in") == []
    page.get_by_role("button", name="Français").click()
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    assert [text for text in page.evaluate(looks.TEXTS) if text in english_texts()] == []


def test_the_colours_can_be_chosen_and_stay(visit: Visitors) -> None:
    page = visit("alice").page
    html = page.locator("html")
    light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.locator("[data-theme-toggle]").click()
    expect(html).not_to_have_css("background-color", light)
    page.reload()
    expect(html).to_have_attribute("data-theme", "dark")
    expect(html).not_to_have_css("background-color", light)
