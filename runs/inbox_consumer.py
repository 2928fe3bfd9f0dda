"""The inbox's socket: it only says that something changed; what did is asked for over HTTP."""

from typing import Any
from uuid import UUID

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.contrib.auth.models import AnonymousUser

from accounts import access
from accounts.models import User
from agentapp.kernel.broadcast import group_name
from agentapp.kernel.errors import MandateError
from runs import selectors
from runs.consumers import CLOSE_NOT_FOUND
from runs.listener import EVERYBODY, listener

CHANGED = "changed"


class InboxConsumer(AsyncWebsocketConsumer):
    """Hints for one person: of their workspaces' escalations, and, on the page of one, of its run."""

    async def connect(self) -> None:
        self._groups: list[str] = []
        topics = await self._topics(
            self.scope["user"], self.scope["url_route"]["kwargs"].get("escalation_id")
        )
        if topics is None:
            await self.close(CLOSE_NOT_FOUND)
            return
        await listener.ensure_listening()
        self._groups = [*(group_name(topic) for topic in topics), EVERYBODY]
        for group in self._groups:
            await self.channel_layer.group_add(group, self.channel_name)
        await self.accept()

    async def disconnect(self, code: int) -> None:
        for group in self._groups:
            await self.channel_layer.group_discard(group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Nothing a browser says here does anything."""

    async def topic_changed(self, event: dict[str, Any]) -> None:
        await self.send(text_data=CHANGED)

    async def topic_refresh(self, event: dict[str, Any]) -> None:
        await self.send(text_data=CHANGED)

    @database_sync_to_async
    def _topics(self, user: User | AnonymousUser, escalation_id: UUID | None) -> list[UUID] | None:
        """Return what to listen to, None for whom nothing may be heard."""
        if not isinstance(user, User):
            return None
        topics = [workspace.pk for workspace in access.workspaces_of(user)]
        if escalation_id is None:
            return topics
        try:
            return [*topics, selectors.escalation_for(user, escalation_id).run.conversation_id]
        except MandateError:
            return None
