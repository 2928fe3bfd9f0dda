"""Old runs: the list with its filters, page by page, and everything about one run."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import get_language

from accounts.access import may
from accounts.models import Membership, User, Workspace
from activities.models.agent import ActivityIdentity
from activities.models.fields import in_language
from runs import selectors
from runs.chat import tones
from runs.models import Run
from runs.states import ACTIVE_RUN_STATES, WAITING_OUTCOME, Outcome, RunState

PAGE = 30
#: The filter's word for runs that still work.
ACTIVE = "active"
_STATE_OF = {outcome.value: state for state, outcome in WAITING_OUTCOME.items()}


@dataclass(frozen=True)
class Filters:
    """What the list is narrowed to; empty means everything. Values that are not valid are empty."""

    person: UUID | None = None
    activity: UUID | None = None
    outcome: str = ""
    since: date | None = None
    until: date | None = None
    before: UUID | None = None

    @property
    def narrows(self) -> bool:
        return any((self.person, self.activity, self.outcome, self.since, self.until))


@dataclass(frozen=True)
class Choice:
    value: str
    label: str


@dataclass(frozen=True)
class Row:
    """One run in the list."""

    run: Run
    activity: str
    outcome: str
    tone: tones.Tone
    words: str


@dataclass(frozen=True)
class Page:
    rows: list[Row]
    older: UUID | None


def read_filters(data: QueryDict) -> Filters:
    outcome = data.get("outcome", "")
    return Filters(
        person=_uuid(data.get("person", "")),
        activity=_uuid(data.get("activity", "")),
        outcome=outcome if outcome in {*Outcome.values, ACTIVE} else "",
        since=_day(data.get("since", "")),
        until=_day(data.get("until", "")),
        before=_uuid(data.get("before", "")),
    )


def sees_everybody(user: User, workspace: Workspace) -> bool:
    return may(user, "accounts.view_all_runs", workspace)


def page_of_runs(user: User, workspace: Workspace, filters: Filters) -> Page:
    """Return a page of the runs `user` may see, newest first. `older` is where the next one begins."""
    found = _narrowed(selectors.runs_visible_to(user, workspace), filters)
    if filters.before:
        found = found.filter(pk__lt=filters.before)
    related = found.select_related("user", "activity", "revision", "conversation")
    runs = list(related.prefetch_related("messages").order_by("-id")[: PAGE + 1])
    rows = [_row(run) for run in runs[:PAGE]]
    return Page(rows, rows[-1].run.pk if len(runs) > PAGE else None)


def people(workspace: Workspace) -> list[Choice]:
    """Return the members to choose from, by name."""
    members = Membership.objects.filter(workspace=workspace).select_related("user")
    named = members.order_by("user__full_name")[:500]
    return [Choice(str(member.user_id), member.user.get_full_name()) for member in named]


def activities(workspace: Workspace) -> list[Choice]:
    """Return the activities to choose from, over all their revisions, by their latest name."""
    identities = ActivityIdentity.objects.filter(agent__workspace=workspace)
    named = identities.order_by("pk", "-activities__revision__number").distinct("pk")
    rows = named.values_list("pk", "key", "activities__name")
    language = get_language() or "en"
    choices = [Choice(str(pk), in_language(name or {}, language) or key) for pk, key, name in rows]
    return sorted(choices, key=lambda choice: choice.label.casefold())


def _narrowed(runs: QuerySet[Run], filters: Filters) -> QuerySet[Run]:
    conditions: dict[str, Any] = {
        "user_id": filters.person,
        "activity__identity_id": filters.activity,
        "created_at__gte": _start_of(filters.since),
        "created_at__lt": _start_of(filters.until + timedelta(days=1)) if filters.until else None,
        **_outcome_condition(filters.outcome),
    }
    return runs.filter(**{name: value for name, value in conditions.items() if value is not None})


def _outcome_condition(outcome: str) -> dict[str, Any]:
    if outcome == ACTIVE:
        return {"state__in": ACTIVE_RUN_STATES}
    if outcome == Outcome.ESCALATED:
        return {"state": RunState.ESCALATED}
    if outcome in _STATE_OF:
        return {"state": _STATE_OF[outcome]}
    return {"outcome": outcome} if outcome else {}


def _row(run: Run) -> Row:
    outcome = run.outcome or WAITING_OUTCOME.get(run.state, "")
    first = next(iter(run.messages.all()), None)
    return Row(
        run=run,
        activity=in_language(run.activity.name, get_language() or "en") if run.activity else "",
        outcome=str(Outcome(outcome).label if outcome else RunState(run.state).label),
        tone=tones.OUTCOMES[outcome] if outcome else tones.RUNS[run.state],
        words=run.words or (first.text if first else ""),
    )


def _start_of(day: date | None) -> datetime | None:
    return timezone.make_aware(datetime.combine(day, time.min)) if day else None


def _day(text: str) -> date | None:
    try:
        return parse_date(text)
    except ValueError:
        return None


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
