"""Deciding on other people's open steps, from the inbox. See `runs.escalations` for what each does."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from accounts.models import User
from runs import escalations
from runs.models import Escalation, ToolCall


def escalation_take(*, user: User, escalation_id: UUID, over: bool = False) -> Escalation:
    """Say that one is on it; with `over`, take it from who has it. Raises NotFound, Conflict."""
    return escalations.take(escalation_id, user=user, over=over)


def escalation_supply(
    *, user: User, escalation_id: UUID, values: Mapping[str, Any] | None = None, instruction: str = ""
) -> Escalation:
    """Give missing values or an instruction; the step goes on. Raises NotFound, Conflict, InvalidInput."""
    return escalations.supply(escalation_id, user=user, values=values or {}, instruction=instruction)


def escalation_act(*, user: User, escalation_id: UUID, tool: str, params: Mapping[str, Any]) -> ToolCall:
    """Do an action of the open step oneself. Raises NotFound, Conflict, InvalidInput."""
    return escalations.act(escalation_id, user=user, tool=tool, params=params)


def escalation_pass_on(*, user: User, escalation_id: UUID, to: str) -> Escalation:
    """Give it to a group or a person. Raises NotFound, Conflict, InvalidInput."""
    return escalations.pass_on(escalation_id, user=user, to=to)


def escalation_close(*, user: User, escalation_id: UUID, reason: str) -> Escalation:
    """End the run as not done, with the reason. Raises NotFound, Conflict, InvalidInput."""
    return escalations.close(escalation_id, user=user, reason=reason)
