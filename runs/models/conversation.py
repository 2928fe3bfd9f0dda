"""Conversations and their messages."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Workspace
from activities.models.fields import Identified


class Conversation(Identified):
    """One person's thread in one workspace. `search_text` is the folded text of its messages.

    A trial has a conversation of its own, of the designer who tries; nobody is shown it.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="conversations")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations")
    title = models.CharField(max_length=120, blank=True)
    search_text = models.TextField(blank=True)
    trial = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        ordering = ["-updated_at"]
        indexes = [models.Index(fields=["user", "workspace", "-updated_at"])]

    def __str__(self) -> str:
        return self.title or str(self.pk)


class MessageAuthor(models.TextChoices):
    PERSON = "person", _("you")
    PRODUCT = "product", _("assistant")


class Message(Identified):
    """What a person wrote. `client_id` is the sender's own, so that a retry is one message."""

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    run = models.ForeignKey("runs.Run", null=True, on_delete=models.SET_NULL, related_name="messages")
    client_id = models.UUIDField()
    author = models.CharField(max_length=8, choices=MessageAuthor.choices, default=MessageAuthor.PERSON)
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["conversation", "client_id"], name="message_once_per_client_id")
        ]

    def __str__(self) -> str:
        return self.text[:60]
