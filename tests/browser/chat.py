"""The chat as a person uses it."""

import re
from uuid import UUID

from playwright.sync_api import Locator, Page, expect

from runs.models import Run

#: A run that waits for nobody's work: it ended, or a person is asked.
SETTLED = "[data-finished], [data-handed], .question, .pending"
CONVERSATION = re.compile(r".*/conversations/[0-9a-f-]{36}/.*")


class Chat:
    """One page of the chat. Nothing here sleeps: every wait is for something to be seen."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @property
    def text(self) -> Locator:
        return self.page.locator("#composer-text")

    @property
    def articles(self) -> Locator:
        return self.page.locator("article.run")

    @property
    def last(self) -> Locator:
        return self.articles.last

    @property
    def dialog(self) -> Locator:
        return self.page.locator("dialog[open]")

    @property
    def notice(self) -> Locator:
        return self.page.locator("#notice")

    @property
    def answer(self) -> Locator:
        return self.last.locator("[data-answer]")

    @property
    def outcome(self) -> Locator:
        return self.last.locator(".status .badge")

    def start(self, text: str) -> "Chat":
        """Ask in a new conversation, with the keyboard."""
        self.page.goto("/")
        self.send(text)
        self.page.wait_for_url(CONVERSATION)
        return self

    def ask(self, text: str) -> "Chat":
        """Ask in a new conversation and wait until the request is done or asks back."""
        self.start(text)
        self.settled()
        return self

    def send(self, text: str) -> None:
        self.text.fill(text)
        self.text.press("Enter")

    def settled(self) -> None:
        expect(self.last.locator(SETTLED).first).to_be_attached()

    def connected(self) -> None:
        """Wait until the socket is open and has said what the page shows."""
        expect(self.page.locator("html")).to_have_attribute("data-connected", "yes")

    def run(self) -> Run:
        """The newest run on the page, as the database has it."""
        return Run.objects.get(pk=UUID(self.last.get_attribute("data-run")))
