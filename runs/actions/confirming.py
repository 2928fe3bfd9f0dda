"""Deciding on a high-risk action."""

from uuid import UUID

from accounts.models import User
from runs import confirmations
from runs.models import Confirmation
from runs.selectors import confirmation_for


def confirmation_decide(*, user: User, confirmation_id: UUID, decision: str, digest: str) -> Confirmation:
    """Confirm or refuse one pending call, as the person whose run it is.

    Raises NotFound for anybody else's, InvalidInput, Conflict; see `runs.confirmations.decide`.
    """
    found = confirmation_for(user, confirmation_id)
    return confirmations.decide(found.pk, user=user, decision=decision, digest=digest)
