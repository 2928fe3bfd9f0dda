"""Escalations as the screens show them: why, who decides, until when, and what was decided."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Group
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import Role, User
from runs.chat import tones
from runs.chat.present.actions import tool_title
from runs.chat.values import readable, title_of
from runs.deciders import holder
from runs.models import Escalation, EscalationDecision
from runs.states import DecisionKind, EscalationState


@dataclass(frozen=True)
class DecisionView:
    """One thing somebody did with it, as a phrase, with their own words."""

    who: str
    what: str
    text: str
    at: datetime
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class EscalationView:
    id: UUID
    step_id: UUID
    state: str
    state_label: str
    tone: tones.Tone
    reason: str
    reason_label: str
    gap: str
    summary: str
    intention: str
    addressed: str
    taken_by: str
    due_at: datetime | None
    created_at: datetime
    closed_at: datetime | None
    closed_by: str
    decisions: tuple[DecisionView, ...]
    is_open: bool
    is_overdue: bool

    @property
    def waits_for(self) -> str:
        """Who is on it, else to whom it is addressed."""
        return self.taken_by or self.addressed


def escalation_view(row: Escalation) -> EscalationView:
    is_open = row.state == EscalationState.OPEN
    held_by = holder(row) if is_open else None
    return EscalationView(
        id=row.pk,
        step_id=row.step_id,
        state=row.state,
        state_label=row.get_state_display(),
        tone=tones.ESCALATIONS[row.state],
        reason=row.reason,
        reason_label=row.get_reason_display(),
        gap=row.gap,
        summary=row.summary,
        intention=row.intention,
        addressed=addressed_to(row),
        taken_by=held_by.get_full_name() if held_by else "",
        due_at=row.due_at,
        created_at=row.created_at,
        closed_at=row.closed_at,
        closed_by=row.closed_by.get_full_name() if row.closed_by else "",
        decisions=tuple(decision_view(item) for item in row.decisions.all()),
        is_open=is_open,
        is_overdue=is_open and row.due_at is not None and row.due_at <= timezone.now(),
    )


def addressed_to(row: Escalation) -> str:
    """Return to whom it goes: a person it was passed on to, a group, or all who may approve."""
    if row.assignee:
        return row.assignee.get_full_name()
    return group_name(row.group) if row.group else gettext("those who may approve")


def group_name(group: Group) -> str:
    """Return the group's label; of a role, the role in the reader's language."""
    found = getattr(group, "workspace_group", None)
    if found is None:
        return group.name
    return str(Role(found.role).label) if found.role else str(found.label)


def decision_view(row: EscalationDecision) -> DecisionView:
    return DecisionView(
        who=row.by.get_full_name(),
        what=_what(row),
        text=row.text,
        at=row.created_at,
        values=tuple((title_of(name), readable(value)) for name, value in _mapping(row.values).items()),
    )


def _mapping(values: Any) -> Mapping[str, Any]:
    return values if isinstance(values, Mapping) else {}


def _what(row: EscalationDecision) -> str:
    match row.kind:
        case DecisionKind.TAKE:
            return gettext("took it")
        case DecisionKind.SUPPLY if row.values and not row.text:
            return gettext("gave a missing value and let the step go on")
        case DecisionKind.SUPPLY:
            return gettext("gave an instruction and let the step go on")
        case DecisionKind.ACT:
            tool = tool_title(row.call.tool_key) if row.call else ""
            return gettext("did it themselves: %(tool)s") % {"tool": tool}
        case DecisionKind.PASS_ON:
            return gettext("passed it on to %(who)s") % {"who": _passed_to(row.to_user, row.to_group)}
    return gettext("closed it as not done")


def _passed_to(user: User | None, group: Group | None) -> str:
    return user.get_full_name() if user else group_name(group) if group else ""
