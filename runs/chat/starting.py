"""A conversation begins with its first message, or not at all."""

from uuid import UUID

from django.db import transaction

from accounts.models import User, Workspace
from runs import actions
from runs.models import Message


def conversation_start(*, user: User, workspace: Workspace, text: str, client_id: UUID) -> UUID:
    """Post `text` in a new conversation, return its id. Sent twice with one id, it is one conversation."""
    with transaction.atomic():
        # One after the other for one person: sent twice at the same moment, the second finds the first.
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        own = Message.objects.filter(conversation__user=user, conversation__workspace=workspace)
        known = own.filter(client_id=client_id).values_list("conversation_id", flat=True)
        found: UUID | None = known.first()
        if found is not None:
            return found
        conversation = actions.conversation_create(user=user, workspace=workspace)
        actions.message_post(user=user, conversation_id=conversation.pk, text=text, client_id=client_id)
    return conversation.pk
