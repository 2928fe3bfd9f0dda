"""The list of conversations: searched, grouped by day, with what waits for the person marked."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from django.db.models import OuterRef, Subquery
from django.utils import formats, timezone
from django.utils.translation import gettext

from accounts.models import User, Workspace
from runs import selectors
from runs.models import Conversation, Run
from runs.states import DRIVEN_RUN_STATES, RunState

PAGE = 40
#: About so much of a title has room in the list.
SHOWN = 28


@dataclass(frozen=True)
class Day:
    label: str
    conversations: list[Conversation]


@dataclass(frozen=True)
class Listing:
    """One page of the list. `next_page` is 0 at its end."""

    query: str
    days: list[Day]
    next_page: int


def listing(user: User, workspace: Workspace, query: str = "", page: int = 1) -> Listing:
    """Return a page of the conversations of `user` that match `query`."""
    start = (page - 1) * PAGE
    last_state = Run.objects.filter(conversation=OuterRef("pk")).order_by("-id").values("state")[:1]
    found = selectors.conversations_of(user, workspace, query).annotate(run_state=Subquery(last_state))
    rows = list(found[start : start + PAGE + 1])
    beginnings = Counter(_beginning(row) for row in rows)
    for row in rows:
        row.mark = _mark(row.run_state)  # type: ignore[attr-defined]
        row.begun = _begun(row) if beginnings[_beginning(row)] > 1 else ""  # type: ignore[attr-defined]
    return Listing(query, _days(rows[:PAGE]), page + 1 if len(rows) > PAGE else 0)


def _beginning(conversation: Conversation) -> str:
    return conversation.title[:SHOWN].casefold()


def _begun(conversation: Conversation) -> str:
    """Return when it began, for one whose title reads like another's: the time, with the day before today."""
    begun = timezone.localtime(conversation.created_at)
    time = formats.time_format(begun, "TIME_FORMAT")
    if begun.date() == timezone.localdate():
        return str(time)
    return f"{formats.date_format(begun, 'SHORT_DATE_FORMAT')} {time}"


def _mark(state: str | None) -> str:
    """Return how the list marks a conversation: "wait" where it waits for the person, "busy", or ""."""
    if state in (RunState.NEEDS_INPUT, RunState.AWAITING):
        return "wait"
    return "busy" if state in DRIVEN_RUN_STATES else ""


def _days(conversations: Iterable[Conversation]) -> list[Day]:
    today = timezone.localdate()
    groups = groupby(conversations, key=lambda item: _day_label(timezone.localdate(item.updated_at), today))
    return [Day(label, list(items)) for label, items in groups]


def _day_label(day: date, today: date) -> str:
    if day >= today:
        return gettext("Today")
    if day == today - timedelta(days=1):
        return gettext("Yesterday")
    if day > today - timedelta(days=7):
        return gettext("Last seven days")
    return formats.date_format(day, "YEAR_MONTH_FORMAT").capitalize()
