"""Sockets' addresses."""

from typing import Any

from django.urls import path

from runs.consumers import ConversationConsumer

websocket_urlpatterns: list[Any] = [
    path("ws/conversations/<uuid:conversation_id>/", ConversationConsumer.as_asgi()),
]
