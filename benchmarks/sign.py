"""The first sign of life: from sending a message to seeing it taken, while the site is busy.

Twenty runs are working and two hundred sockets are open, as real processes over HTTP. What is timed is the
answer to the browser's own post, which carries the new run's article, and the first frame on the page's
socket, which says that a worker took it up.
"""

import asyncio
import json
import secrets
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from importlib import import_module
from pathlib import Path
from time import perf_counter
from urllib.parse import urlencode
from uuid import UUID

import httpx2
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from websockets.asyncio.client import ClientConnection, connect

from accounts.models import User
from agentapp.kernel.ids import uuid7
from benchmarks.ground import loopback_model
from benchmarks.table import Row, milliseconds, percentile
from runs.models import Conversation, Run
from runs.states import RunState
from tests.databases import TestServer
from tests.live import Site, open_site, orm_on

WORKING_RUNS = 20
SOCKETS = 200
MESSAGES = 40
#: Neither answers nor sockets may keep the measurement waiting for ever.
PATIENCE_SECONDS = 20.0


def measure(server: TestServer) -> list[Row]:
    """Return the rows of the first sign of life."""
    with tempfile.TemporaryDirectory() as folder, loopback_model("--slow") as base_url:
        environment = {
            "OPENAI_BASE_URL": base_url,
            "OPENAI_API_KEY": "none",
            "OPENAI_MODEL": "bench",
            "WORKER_CONCURRENCY": str(WORKING_RUNS + MESSAGES + 5),
            "DATABASE_POOL": "80",
        }
        with open_site(server, Path(folder), environment) as site, orm_on(site.database):
            visitor = _Visitor.of(site, "alice@example.com")
            _keep_busy(visitor)
            posts, frames = asyncio.run(_timed(visitor))
    return [_row("answer to the post", posts), _row("first frame on the socket", frames)]


def _row(what: str, seconds: Sequence[float]) -> Row:
    name = f"first sign of life: {what}, 95th percentile"
    context = f"aim 150 ms; {WORKING_RUNS} runs working, {SOCKETS} sockets"
    return Row(name, milliseconds(percentile(seconds, 0.95)), context)


class _Visitor:
    """A signed-in browser, as far as HTTP is concerned."""

    def __init__(self, site: Site, user: User, cookies: dict[str, str]) -> None:
        self.site, self.user, self.cookies = site, user, cookies
        self.workspace = user.memberships.get().workspace
        self.header = "; ".join(f"{name}={value}" for name, value in cookies.items())

    @classmethod
    def of(cls, site: Site, email: str) -> "_Visitor":
        user = User.objects.get(email=email)
        session = import_module(settings.SESSION_ENGINE).SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.save()
        return cls(site, user, {"sessionid": session.session_key, "csrftoken": secrets.token_hex(16)})

    def conversation(self) -> UUID:
        return Conversation.objects.create(user=self.user, workspace=self.workspace, title="Bench").pk

    def post(self, client: httpx2.Client, conversation: UUID) -> None:
        body = urlencode({"text": "Find the invoices of John Doe", "client_id": str(uuid7())})
        answer = client.post(
            f"{self.site.url}/conversations/{conversation}/messages",
            content=body,
            headers={
                "Content-Type": "application/x-www-form-urlencoded",
                "Cookie": self.header,
                "X-CSRFToken": self.cookies["csrftoken"],
                "HX-Request": "true",
                "Origin": self.site.url,
            },
        )
        if answer.status_code != 201:
            raise SystemExit(f"A message was answered with {answer.status_code}: {answer.text[:300]}")

    def socket(self, conversation: UUID) -> connect:
        address = self.site.url.replace("http://", "ws://")
        return connect(
            f"{address}/ws/conversations/{conversation}/",
            additional_headers={"Cookie": self.header},
            origin=self.site.url,  # type: ignore[arg-type]
        )


def _keep_busy(visitor: _Visitor) -> None:
    """Start runs that wait for a slow model, and wait until workers have taken all of them."""
    with httpx2.Client(timeout=PATIENCE_SECONDS) as client:
        for _run in range(WORKING_RUNS):
            visitor.post(client, visitor.conversation())
    deadline = perf_counter() + PATIENCE_SECONDS
    while Run.objects.filter(state=RunState.WORKING).count() < WORKING_RUNS:
        if perf_counter() > deadline:
            raise SystemExit("The workers did not take up the runs in time.")


async def _timed(visitor: _Visitor) -> tuple[list[float], list[float]]:
    conversations = await asyncio.to_thread(lambda: [visitor.conversation() for _number in range(SOCKETS)])
    posts: list[float] = []
    frames: list[float] = []
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(visitor.socket(item)) for item in conversations]
        for socket in sockets:
            await socket.send(json.dumps({"type": "hello", "runs": {}, "composer": ""}))
        client = stack.enter_context(httpx2.Client(timeout=PATIENCE_SECONDS))
        for conversation, socket in list(zip(conversations, sockets, strict=True))[:MESSAGES]:
            await _drained(socket)
            started = perf_counter()
            arrival = asyncio.create_task(socket.recv())
            await asyncio.to_thread(visitor.post, client, conversation)
            posts.append(perf_counter() - started)
            await asyncio.wait_for(arrival, PATIENCE_SECONDS)
            frames.append(perf_counter() - started)
    return posts, frames


async def _drained(socket: ClientConnection) -> None:
    """Take what the socket said so far, such as its answer to the greeting."""
    try:
        while True:
            await asyncio.wait_for(socket.recv(), 0.05)
    except TimeoutError:
        return
