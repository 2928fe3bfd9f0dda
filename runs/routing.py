"""Sockets' addresses."""

from typing import Any

from django.urls import path

from runs.consumers import ConversationConsumer
from runs.inbox_consumer import InboxConsumer

websocket_urlpatterns: list[Any] = [
    path("ws/conversations/<uuid:conversation_id>/", ConversationConsumer.as_asgi()),
    path("ws/inbox/", InboxConsumer.as_asgi()),
    path("ws/inbox/<uuid:escalation_id>/", InboxConsumer.as_asgi()),
]
