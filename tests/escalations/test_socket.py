"""The inbox's socket: a hint for who decides, nothing for others, and nothing is ever done through it."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from runs import actions
from runs.inbox_consumer import CHANGED, InboxConsumer
from runs.listener import listener
from runs.models import Escalation
from tests.escalations.hands import approver, escalated, opened
from tests.support.world import World

PATIENCE = 10
Connect = Callable[..., Any]


@pytest.fixture
async def connect(shared_world: World) -> AsyncIterator[Connect]:
    opened_sockets: list[WebsocketCommunicator] = []

    async def open_socket(user: Any, escalation: Escalation | None = None) -> tuple[Any, bool]:
        socket = WebsocketCommunicator(InboxConsumer.as_asgi(), "/ws/inbox/")
        named = {"escalation_id": escalation.pk} if escalation else {}
        socket.scope.update({"user": user, "url_route": {"kwargs": named}})
        opened_sockets.append(socket)
        accepted, _code = await socket.connect(timeout=PATIENCE)
        return socket, accepted

    yield open_socket
    for socket in opened_sockets:
        await socket.disconnect()
    if listener._task is not None:
        listener._task.cancel()


async def test_who_decides_hears_of_it(shared_world: World, connect: Connect) -> None:
    erin = await sync_to_async(approver)(shared_world, "erin")
    socket, accepted = await connect(erin)
    assert accepted
    run = await sync_to_async(escalated)(shared_world)
    assert await socket.receive_from(PATIENCE) == CHANGED
    escalation = await sync_to_async(opened)(run)
    watching, accepted = await connect(erin, escalation)
    assert accepted
    await sync_to_async(actions.escalation_take)(user=erin, escalation_id=escalation.pk)
    assert await watching.receive_from(PATIENCE) == CHANGED
    await watching.send_to('{"type": "decide"}')


async def test_others_do_not_get_in(shared_world: World, connect: Connect) -> None:
    await sync_to_async(approver)(shared_world, "erin")
    escalation = await sync_to_async(lambda: opened(escalated(shared_world)))()
    for user in (shared_world.owner, shared_world.member, shared_world.stranger):
        assert not (await connect(user, escalation))[1]
    assert not (await connect(AnonymousUser()))[1]
    assert isinstance(shared_world.stranger, User)
