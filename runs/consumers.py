"""The socket of a conversation's page. It only pushes: a change in the rows becomes HTML to swap in."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.utils import timezone, translation
from django.utils.crypto import constant_time_compare

from accounts.models import User
from agentapp.kernel.broadcast import group_name
from agentapp.kernel.errors import MandateError
from runs import selectors
from runs.chat.frames import Hello, Ping, read_frame
from runs.chat.updates import Seen, Updates, updates_for
from runs.listener import EVERYBODY, listener

#: Missing, invisible, or not signed in (any more).
CLOSE_NOT_FOUND = 4404
#: Changes that come closer together than this are sent together.
BREATH_SECONDS = 0.05


class ConversationConsumer(AsyncWebsocketConsumer):
    """Sends the page what it does not show yet.

    The page says on every connect which parts it shows (`hello`); from then on each change in the
    conversation is compared with what this page was last sent, and only the difference leaves. Nothing is
    lost with a connection, because nothing is kept in one.
    """

    conversation_id: UUID

    async def connect(self) -> None:
        self.conversation_id = self.scope["url_route"]["kwargs"]["conversation_id"]
        self._seen: Mapping[UUID, Seen] = {}
        self._composer = ""
        self._also: set[UUID] = set()
        self._wake = asyncio.Event()
        self._pusher: asyncio.Task[None] | None = None
        if not await self._may_watch():
            await self.close(CLOSE_NOT_FOUND)
            return
        await listener.ensure_listening()
        for group in (group_name(self.conversation_id), EVERYBODY):
            await self.channel_layer.group_add(group, self.channel_name)
        await self.accept()

    async def disconnect(self, code: int) -> None:
        for group in (group_name(self.conversation_id), EVERYBODY):
            await self.channel_layer.group_discard(group, self.channel_name)
        if self._pusher is not None:
            self._pusher.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        match read_frame(text_data or ""):
            case Hello() as hello:
                self._seen, self._composer = hello.seen(), hello.composer
                self._wake.set()
                if self._pusher is None:
                    self._pusher = asyncio.create_task(self._push_changes())
            case Ping():
                await self._answer_ping()

    async def topic_changed(self, event: dict[str, Any]) -> None:
        """Something happened in this conversation. Only noted here, so that the channel never fills up."""
        stream = event["payload"].get("stream")
        if stream:
            self._also.add(UUID(stream))
        self._wake.set()

    async def topic_refresh(self, event: dict[str, Any]) -> None:
        """Notifications may have been missed."""
        self._wake.set()

    async def _push_changes(self) -> None:
        """One change after the other, until the socket closes. A failure closes it: the page comes back."""
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                await self._push()
                await asyncio.sleep(BREATH_SECONDS)
        except Exception:
            await self.close(1011)
            raise

    async def _push(self) -> None:
        also, self._also = self._also, set()
        updates = await self._updates(self._seen, self._composer, also)
        if updates is None:
            await self.close(CLOSE_NOT_FOUND)
            return
        self._seen, self._composer = updates.seen, updates.composer
        if updates.html:
            await self.send(text_data=updates.html)

    async def _answer_ping(self) -> None:
        if await self._may_watch():
            await self.send(text_data=json.dumps({"type": "pong", "now": timezone.now().isoformat()}))
        else:
            await self.close(CLOSE_NOT_FOUND)

    @database_sync_to_async
    def _may_watch(self) -> bool:
        return _watcher(self.scope, self.conversation_id) is not None

    @database_sync_to_async
    def _updates(self, seen: Mapping[UUID, Seen], composer: str, also: set[UUID]) -> Updates | None:
        user = _watcher(self.scope, self.conversation_id)
        if user is None:
            return None
        conversation = selectors.conversation_for(user, self.conversation_id)
        with timezone.override(ZoneInfo(user.time_zone)), translation.override(user.language):
            return updates_for(conversation, user, seen, composer=composer, also=also)


def _watcher(scope: Mapping[str, Any], conversation_id: UUID) -> User | None:
    """Return the person as they are now, if the conversation is theirs and the session still holds."""
    signed_in, session = scope["user"], scope["session"]
    if not signed_in.is_authenticated or not session.exists(session.session_key):
        return None
    user: User | None = User.objects.filter(pk=signed_in.pk, is_active=True).first()
    if user is None or not _of_this_password(session, user):
        return None
    try:
        selectors.conversation_for(user, conversation_id)
    except MandateError:
        return None
    return user


def _of_this_password(session: SessionBase, user: User) -> bool:
    """False once the person has another password than the one the session was opened with."""
    return constant_time_compare(session.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
