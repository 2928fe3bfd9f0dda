"""The socket: for the owner only, the difference only, and nothing is ever done through it."""

import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection

from accounts.models import User, Workspace
from runs.consumers import CLOSE_NOT_FOUND, ConversationConsumer
from runs.listener import listener
from runs.models import Confirmation, Conversation, Run
from runs.states import ConfirmationState, Outcome, RunState
from tests.chat import rows

pytestmark = pytest.mark.django_db(transaction=True)
HELLO = {"type": "hello", "runs": {}, "composer": ""}
PATIENCE = 10
Connect = Callable[..., Any]


def session_of(user: User) -> SessionStore:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return session


@pytest.fixture
async def connect(transactional_db: None) -> AsyncIterator[Connect]:
    """Open the socket of a conversation as somebody; returns it and what the handshake said."""
    opened: list[WebsocketCommunicator] = []

    async def open_socket(
        user: User | AnonymousUser, talk_id: Any
    ) -> tuple[WebsocketCommunicator, tuple[bool, Any]]:
        socket = WebsocketCommunicator(ConversationConsumer.as_asgi(), f"/ws/conversations/{talk_id}/")
        session = await sync_to_async(session_of)(user) if isinstance(user, User) else SessionStore("none")
        socket.scope.update(
            {"user": user, "session": session, "url_route": {"kwargs": {"conversation_id": talk_id}}}
        )
        opened.append(socket)
        return socket, await socket.connect(timeout=PATIENCE)

    yield open_socket
    for socket in opened:
        await socket.disconnect()
    if listener._task is not None:
        listener._task.cancel()


def parts(html: str) -> set[str]:
    """The names of the parts that a frame replaces."""
    return set(re.findall(r'id="run-[0-9a-f-]{36}-(\w+)"[^>]*hx-swap-oob', html))


async def said(socket: WebsocketCommunicator) -> str:
    return str(await socket.receive_from(timeout=PATIENCE))


async def hear(socket: WebsocketCommunicator, wanted: str) -> str:
    """Receive frames until one has `wanted`."""
    while wanted not in (html := await said(socket)):
        pass
    return html


@pytest.fixture
def talk(owner: User) -> Conversation:
    return rows.conversation(owner)


async def test_only_the_owner_may_listen(
    connect: Connect, talk: Conversation, owner: User, member: User, stranger: User, auditor: User
) -> None:
    assert (await connect(owner, talk.pk))[1] == (True, None)
    for other in (member, stranger, auditor, AnonymousUser()):
        assert (await connect(other, talk.pk))[1] == (False, CLOSE_NOT_FOUND)
    assert (await connect(owner, uuid4()))[1] == (False, CLOSE_NOT_FOUND)


async def test_a_hello_brings_what_the_page_lacks_and_no_more(
    connect: Connect, talk: Conversation, owner: User
) -> None:
    first = await sync_to_async(rows.run)(talk, "First request")
    await sync_to_async(rows.run)(talk, "Second request")
    socket, _said = await connect(owner, talk.pk)
    await socket.send_to(json.dumps({**HELLO, "runs": {str(first.pk): {"version": 1, "digests": {}}}}))
    html = await said(socket)
    assert "Second request" in html
    assert "First request" not in html
    assert await socket.receive_nothing(timeout=0.2)


async def test_a_change_brings_only_the_parts_that_differ(
    connect: Connect, talk: Conversation, owner: User
) -> None:
    made = await sync_to_async(rows.run)(talk, state=RunState.WORKING)
    socket, _said = await connect(owner, talk.pk)
    await socket.send_to(json.dumps(HELLO))
    assert "Reading your request" in await said(socket)
    await sync_to_async(rows.changed)(
        made, state=RunState.FINISHED, outcome=Outcome.SUCCEEDED, answer="It is **done**."
    )
    html = await said(socket)
    assert "<strong>done</strong>" in html
    assert parts(html) == {"answer", "status"}
    assert 'id="composer-state"' in html


async def test_an_event_that_shows_nothing_new_sends_nothing(
    connect: Connect, talk: Conversation, owner: User
) -> None:
    made = await sync_to_async(rows.run)(talk)
    socket, _said = await connect(owner, talk.pk)
    await socket.send_to(json.dumps(HELLO))
    await said(socket)
    await sync_to_async(rows.happened)(made, "model.called")
    assert await socket.receive_nothing(timeout=0.5)


async def test_another_conversation_is_not_heard(connect: Connect, talk: Conversation, owner: User) -> None:
    other = await sync_to_async(rows.conversation)(owner, "Another talk")
    socket, _said = await connect(owner, talk.pk)
    await socket.send_to(json.dumps(HELLO))
    await sync_to_async(rows.run)(other, "Not for this page")
    assert await socket.receive_nothing(timeout=0.5)


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "decide", "decision": "confirm", "digest": rows.DIGEST},
        {"decision": "confirm", "digest": rows.DIGEST, "HEADERS": {"HX-Request": "true"}},
        {"type": "message", "text": "hello"},
        {"type": "websocket.close"},
    ],
)
async def test_a_forged_frame_does_nothing(
    connect: Connect, talk: Conversation, owner: User, frame: dict[str, Any]
) -> None:
    confirmation = await sync_to_async(rows.pending)(talk)
    socket, _said = await connect(owner, talk.pk)
    await socket.send_to(json.dumps({**frame, "confirmation": str(confirmation.pk)}))
    await socket.send_to(bytes_data=b"\x00\xff")
    await socket.send_to(json.dumps({"type": "ping"}))
    assert '"pong"' in await said(socket)
    now = await Confirmation.objects.aget(pk=confirmation.pk)
    assert now.state == ConfirmationState.PENDING
    assert await Run.objects.filter(conversation=talk).acount() == 1


async def test_a_session_that_ended_ends_the_socket(
    connect: Connect, talk: Conversation, owner: User
) -> None:
    socket, _said = await connect(owner, talk.pk)
    await sync_to_async(socket.scope["session"].delete)()
    await socket.send_to(json.dumps({"type": "ping"}))
    assert (await socket.receive_output(timeout=PATIENCE))["code"] == CLOSE_NOT_FOUND


async def test_a_new_password_ends_the_sockets_of_other_sessions(
    connect: Connect, talk: Conversation, owner: User
) -> None:
    socket, _said = await connect(owner, talk.pk)
    await socket.send_to(json.dumps(HELLO))
    owner.set_password("another password than before")
    await owner.asave(update_fields=["password"])
    await sync_to_async(rows.run)(talk, "A secret")
    output = await socket.receive_output(timeout=PATIENCE)
    assert (output["type"], output.get("code")) == ("websocket.close", CLOSE_NOT_FOUND)


async def test_a_member_who_left_hears_nothing_more(
    connect: Connect, talk: Conversation, owner: User, workspace: Workspace
) -> None:
    socket, _said = await connect(owner, talk.pk)
    await socket.send_to(json.dumps(HELLO))
    await sync_to_async(workspace.memberships.update)(active=False)
    await sync_to_async(rows.run)(talk, "A secret")
    assert (await socket.receive_output(timeout=PATIENCE))["type"] == "websocket.close"


async def test_after_a_lost_database_everything_is_looked_at_again(
    connect: Connect, talk: Conversation, owner: User
) -> None:
    socket, _said = await connect(owner, talk.pk)
    await socket.send_to(json.dumps(HELLO))
    await sync_to_async(_end_the_listeners_connection)()
    await sync_to_async(rows.run)(talk, "While nobody listened")
    assert "While nobody listened" in await hear(socket, "While nobody listened")
    await sync_to_async(rows.run)(talk, "Afterwards")
    assert "Afterwards" in await hear(socket, "Afterwards")


def _end_the_listeners_connection() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND query LIKE 'LISTEN%%'"
        )
        assert cursor.rowcount >= 1
