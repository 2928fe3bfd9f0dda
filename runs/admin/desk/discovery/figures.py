"""How searches went over time: counted by the database, in one pass over the period."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from runs.admin.desk.discovery.filters import Filters
from runs.models import Missed
from runs.models.missed import MissCause

#: Where nothing had to be searched, all being few, there was no search.
_SQL = """
    WITH searches AS (
        SELECT date_trunc(%(unit)s, l.at AT TIME ZONE %(zone)s)::date AS day,
            l.decision, l.milliseconds, l.rewritten_query <> '' AS rewritten, m.log_id IS NOT NULL AS missed
        FROM activities_discoverylog l
        LEFT JOIN (
            SELECT DISTINCT log_id FROM runs_missed
            WHERE workspace_id = %(workspace)s AND searched_at >= %(since)s AND log_id IS NOT NULL
                AND struck_at IS NULL
        ) m ON m.log_id = l.id
        WHERE l.workspace_id = %(workspace)s AND l.at >= %(since)s AND NOT l.trial AND l.decision <> 'all'
            AND (%(stage)s = '' OR l.stage = %(stage)s)
            AND (%(agent)s = '' OR l.agents @> ARRAY[%(agent)s]::varchar[])
    )
    SELECT day, count(*), count(*) FILTER (WHERE decision IN ('activity', 'several', 'found', 'group')),
        count(*) FILTER (WHERE decision IN ('unclear', 'weak')), count(*) FILTER (WHERE decision = 'none'),
        count(*) FILTER (WHERE rewritten), count(*) FILTER (WHERE missed),
        percentile_disc(0.5) WITHIN GROUP (ORDER BY milliseconds),
        percentile_disc(0.95) WITHIN GROUP (ORDER BY milliseconds)
    FROM searches GROUP BY GROUPING SETS ((day), ()) ORDER BY day
"""


@dataclass(frozen=True)
class Figures:
    """The searches of a day or week, or with no `day` of the whole period. Times in milliseconds."""

    day: date | None
    searches: int = 0
    found: int = 0
    unclear: int = 0
    none: int = 0
    rewritten: int = 0
    missed: int = 0
    median: int | None = None
    percentile_95: int | None = None

    def _rate(self, part: int) -> float | None:
        return 100 * part / self.searches if self.searches else None

    @property
    def found_rate(self) -> float | None:
        return self._rate(self.found)

    @property
    def none_rate(self) -> float | None:
        return self._rate(self.none)

    @property
    def missed_rate(self) -> float | None:
        """The false negatives: searches known to have missed a card, in percent of all."""
        return self._rate(self.missed)


@dataclass(frozen=True)
class Rates:
    """The whole period, and each of its days or weeks, those without a search as well."""

    whole: Figures
    parts: list[Figures]
    expected: int  #: missed by test prompts of evaluations, which are no searches of people


def rates(filters: Filters) -> Rates:
    """Count. Two queries."""
    values: dict[str, Any] = {
        "unit": filters.unit,
        "zone": str(timezone.get_current_timezone()),
        "workspace": filters.workspace.pk,
        "since": filters.since,
        "stage": filters.stage,
        "agent": filters.agent,
    }
    with connection.cursor() as cursor:
        cursor.execute(_SQL, values)
        rows = [Figures(*row) for row in cursor.fetchall()]
    whole = next(row for row in rows if row.day is None)
    return Rates(whole, _filled(filters, [row for row in rows if row.day is not None]), _expected(filters))


def _filled(filters: Filters, rows: Iterable[Figures]) -> list[Figures]:
    known = {row.day: row for row in rows}
    step = timedelta(days=1 if filters.unit == "day" else 7)
    day, last = filters.since.date(), timezone.localdate()
    day = day if filters.unit == "day" else day - timedelta(days=day.weekday())
    found: list[Figures] = []
    while day <= last:
        found.append(known.get(day) or Figures(day))
        day += step
    return found


def _expected(filters: Filters) -> int:
    conditions: dict[str, Any] = {"stage": filters.stage} if filters.stage else {}
    if filters.agent:
        conditions["result__evaluation__revision__agent__key"] = filters.agent
    since = Missed.objects.filter(workspace=filters.workspace, searched_at__gte=filters.since)
    return since.filter(cause=MissCause.EXPECTED, **conditions).count()
