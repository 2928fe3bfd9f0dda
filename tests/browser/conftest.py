"""A browser on a running site, with the people of the demonstration.

Every page of these tests is watched: an error on its console (a refused script or style, a failed load that
no test asked for) fails the test.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from accounts.models import User
from tests.browser.chat import Chat
from tests.live import Site

# On a busy machine a worker needs some time to start.
expect.set_options(timeout=30_000)

PHONE = {"width": 375, "height": 740}
DESK = {"width": 1280, "height": 800}


class Visitors:
    """Opens pages for people, each person in a context of their own."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self.browser, self.site = browser, site
        self.contexts: list[BrowserContext] = []
        self.problems: list[str] = []

    def __call__(self, person: str, **options: Any) -> Chat:
        """A page of `person` (the name before the @) at the chat's start, in a session of their own.

        The session is opened here; `Desk.sign_in` goes by the sign-in page.
        """
        page = self.anonymous(**options)
        name, value = settings.SESSION_COOKIE_NAME, session_of(person)
        page.context.add_cookies([{"name": name, "value": value, "url": self.site.url}])
        page.goto("/")
        page.wait_for_selector("#composer-text")
        # The composer can be seen before the page's modules have run.
        page.wait_for_load_state()
        return Chat(page)

    def anonymous(self, **options: Any) -> Page:
        context = self.browser.new_context(
            base_url=self.site.url, **{"viewport": DESK, "locale": "en-GB", **options}
        )
        context.set_default_timeout(30_000)
        self.contexts.append(context)
        return self.watched(context.new_page())

    def watched(self, page: Page) -> Page:
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        return page

    def tab(self, chat: Chat) -> Chat:
        """A second tab of the same person on the same page."""
        page = self.watched(chat.page.context.new_page())
        page.goto(chat.page.url)
        return Chat(page)

    def forgive(self, *texts: str) -> None:
        """Forget the problems that a test caused on purpose: those that contain one of `texts`."""
        self.problems = [each for each in self.problems if not any(text in each for text in texts)]

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(message.text)


def session_of(person: str) -> str:
    """Open a session on the site, and return its cookie's value."""
    client = Client()
    client.force_login(User.objects.get(email=f"{person}@example.com"))
    return client.cookies[settings.SESSION_COOKIE_NAME].value


@pytest.fixture
def visit(chromium: Browser, live: Site) -> Iterator[Visitors]:
    visitors = Visitors(chromium, live)
    yield visitors
    for context in visitors.contexts:
        context.close()
    assert visitors.problems == [], visitors.problems
