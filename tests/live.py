"""A running site for tests: web server and worker as real processes over a database of their own.

``live``   the site of this test module: demo data, started once for the module. While a test uses it, the ORM
           in the test process reads and writes the site's database, committed at once.
``chromium`` and ``page``   a real browser. CI fails without one; elsewhere these tests are skipped, loudly.
``open_site``   for a test that needs a site of its own, or other settings (a model endpoint, for example).
"""

import itertools
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from playwright.sync_api import Browser, Page, sync_playwright

from agentapp.config import get_config
from agentapp.management.commands.serve import children
from agentapp.supervision.child import Child
from agentapp.supervision.health import answers
from agentapp.supervision.listening import listen, visitor_address
from tests.databases import RUN_PREFIX, TestServer
from tests.environment import RUN_ID

START_SECONDS = 60.0
STOP_SECONDS = 5.0
NAMES = ("chromium", "chromium-browser", "google-chrome")
numbers = itertools.count()


@dataclass
class Site:
    """A running site. ``url`` has no slash at its end."""

    url: str
    database: str
    database_url: str
    web: Child
    worker: Child
    folder: Path

    @property
    def log(self) -> str:
        """What web server and worker wrote so far."""
        return (self.folder / "site.log").read_text(errors="replace")

    @property
    def mail(self) -> list[str]:
        """The mails sent so far, oldest first."""
        return [path.read_text() for path in sorted((self.folder / "mail").glob("*"))]

    def stop_worker(self) -> None:
        """Jobs wait until ``worker.start()``."""
        self.worker.stop(STOP_SECONDS)

    def kill_worker(self) -> None:
        """As a crash would: at once, whatever it was doing."""
        self.worker.wait_or_kill(0)


@contextmanager
def open_site(
    server: TestServer, folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Site]:
    """A site with the demonstration's data. ``environment`` adds variables (``OPENAI_BASE_URL`` …)."""
    suffix = os.environ.get("PYTEST_XDIST_WORKER", "main")
    name = f"{RUN_PREFIX}{RUN_ID}_{suffix}_site{next(numbers)}"
    server.copy(server.demo_template(), name)
    with ExitStack() as stack:
        stack.callback(server.drop, name)
        listener = stack.enter_context(listen("127.0.0.1", 0))
        web, worker = children(get_config(), listener)
        site = Site(
            f"http://127.0.0.1:{listener.getsockname()[1]}", name, server.url(name), web, worker, folder
        )
        for child in (web, worker):
            child.environment = {**child.environment, **_environment(site), **(environment or {})}
            child.output = folder / "site.log"
            child.start()
            stack.callback(child.stop, STOP_SECONDS)
        _wait_for_answer(site, visitor_address(listener))
        yield site


def _environment(site: Site) -> dict[str, str]:
    return {
        "DATABASE_URL": site.database_url,
        "DATABASE_POOL": "10",
        "WORKER_CONCURRENCY": "4",
        "EMAIL_URL": f"file://{site.folder}/mail",
    }


def _wait_for_answer(site: Site, address: tuple[str, int]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(address, ("127.0.0.1",)):
        dead = [child.name for child in (site.web, site.worker) if child.exit_code is not None]
        if dead or time.monotonic() > deadline:
            pytest.fail(
                f"The site does not answer; ended: {dead or 'nothing'}\n{site.log[-6000:]}", pytrace=False
            )


@contextmanager
def orm_on(name: str) -> Iterator[None]:
    """Django's connection of this process goes to database ``name`` for the block."""
    usual = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual


@pytest.fixture(scope="module")
def module_site(database_server: TestServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with open_site(database_server, tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture
def live(module_site: Site, django_db_blocker: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """The module's site, with the ORM on its database. Do not combine with ``db``."""
    # The browser's driver keeps an event loop in this thread; the ORM is used from it all the same.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    with django_db_blocker.unblock(), orm_on(module_site.database):
        yield module_site


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for the module, closed after it: its driver's event loop would disturb async tests."""
    path = browser_path()
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser, live: Site) -> Iterator[Page]:
    """A page of a fresh browser context (no cookies), 1280 by 800; relative addresses are the site's."""
    context = chromium.new_context(base_url=live.url, viewport={"width": 1280, "height": 800}, locale="en-GB")
    yield context.new_page()
    context.close()


def browser_path() -> str:
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None and os.environ.get("CI") == "true":
        pytest.fail("No Chromium on this machine: the browser tests cannot be left out in CI.", pytrace=False)
    if path is None:
        pytest.skip("NO CHROMIUM: browser tests skipped. Install chromium, or set CHROMIUM to its path.")
    return path
