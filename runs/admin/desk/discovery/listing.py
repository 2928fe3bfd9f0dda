"""What the pages of discovery list: requests that led nowhere, what was missed, what is never met."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, Max, OuterRef, Prefetch, Q, QuerySet

from activities.discovery.parts import tool_cards
from activities.models import Activity, Card, DiscoveryCandidate, DiscoveryLog, RevisionState, StepOpening
from activities.models.discovery import NOT_FOUND, DiscoveryStage
from activities.openings import part_of
from runs.admin.desk.discovery.filters import Filters
from runs.admin.desk.discovery.naming import card_names, name_now
from runs.models import Escalation, Missed, Run
from runs.models.missed import MissCause

PAGE = 30
#: So many of the most missed are told.
MOST = 50
ESCALATED = "escalated"


@dataclass(frozen=True)
class Page:
    """Rows, newest first; `older` is where the next page begins."""

    rows: Sequence[Any]
    older: UUID | None


def requests(filters: Filters, only: str) -> Page:
    """Return the searches that led to nothing for certain; `only` one decision of them, or what escalated."""
    found = _narrowed(
        DiscoveryLog.objects.filter(workspace=filters.workspace, at__gte=filters.since), filters
    )
    if only == ESCALATED:
        handed = Escalation.objects.filter(run__workspace=filters.workspace, created_at__gte=filters.since)
        found = found.filter(run_id__in=handed.values("run_id"))
    else:
        found = found.filter(decision__in=[only] if only in NOT_FOUND else NOT_FOUND)
    counted = Prefetch("missed", Missed.objects.filter(struck_at=None))
    page = _page(found.prefetch_related(counted), filters)
    name_now([item for row in page.rows for item in row.missed.all()], filters.workspace)
    return page


def _narrowed(rows: QuerySet[Any], filters: Filters) -> QuerySet[Any]:
    if filters.stage:
        rows = rows.filter(stage=filters.stage)
    return rows.filter(agents__contains=[filters.agent]) if filters.agent else rows


def _page(rows: QuerySet[Any], filters: Filters) -> Page:
    if filters.before:
        rows = rows.filter(pk__lt=filters.before)
    found = list(rows.order_by("-pk")[: PAGE + 1])
    return Page(found[:PAGE], found[PAGE - 1].pk if len(found) > PAGE else None)


def missed(filters: Filters) -> QuerySet[Missed]:
    """Return what was missed in the period. An agent's are its activities, and tools of its open steps."""
    found = Missed.objects.filter(workspace=filters.workspace, searched_at__gte=filters.since)
    if filters.stage:
        found = found.filter(stage=filters.stage)
    if filters.agent:
        own = Q(stage=DiscoveryStage.ROUTE, key__startswith=f"{filters.agent}.")
        found = found.filter(own | Q(stage=DiscoveryStage.TOOLS, log__agents__contains=[filters.agent]))
    return found


def missed_page(filters: Filters) -> Page:
    page = _page(missed(filters).select_related("named_by", "struck_by", "log"), filters)
    name_now(page.rows, filters.workspace)
    return page


def most_missed(filters: Filters) -> list[Any]:
    """Return the cards missed most often, with how each became known."""
    causes = {cause.value: Count("pk", filter=Q(cause=cause)) for cause in MissCause}
    grouped = missed(filters).filter(struck_at=None).order_by().values("stage", "key")
    counted = grouped.annotate(times=Count("pk"), name=Max("label"), **causes)
    found = list(counted.order_by("-times", "key")[:MOST])
    names = card_names({row["key"] for row in found}, filters.workspace)
    return [{**row, "name": names.get(row["key"], row["name"])} for row in found]


@dataclass(frozen=True)
class Unmet:
    """What nobody was led to, and the tools that no search showed, of those that an open step could."""

    activities: list[Activity]
    tools: list[Card]
    more: int


def unmet(filters: Filters) -> Unmet:
    """Return what never surfaced in the period. Four queries."""
    tools = _unshown(filters)
    count = tools.count()
    return Unmet(_unled(filters), list(tools.order_by("key")[:MOST]), max(0, count - MOST))


def _unled(filters: Filters) -> list[Activity]:
    led = Run.objects.filter(
        activity__identity=OuterRef("identity"), created_at__gte=filters.since, trial=False
    )
    published = Activity.objects.filter(
        revision__state=RevisionState.PUBLISHED, revision__agent__workspace=filters.workspace, entry=True
    )
    if filters.agent:
        published = published.filter(revision__agent__key=filters.agent)
    found = published.exclude(Exists(led)).select_related("revision__agent")
    return list(found.order_by("revision__agent__key", "position")[:MOST])


def _unshown(filters: Filters) -> QuerySet[Card]:
    openings = StepOpening.objects.filter(
        step__activity__revision__state=RevisionState.PUBLISHED,
        step__activity__revision__agent__workspace=filters.workspace,
    )
    if filters.agent:
        openings = openings.filter(step__activity__revision__agent__key=filters.agent)
    shown = DiscoveryCandidate.objects.filter(
        key=OuterRef("key"),
        shown=True,
        log__workspace=filters.workspace,
        log__stage=DiscoveryStage.TOOLS,
        log__at__gte=filters.since,
        log__trial=False,
    )
    return tool_cards(filters.workspace, part_of(openings)).exclude(Exists(shown))
