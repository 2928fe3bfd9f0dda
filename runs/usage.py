"""What recent real runs of an activity used of its limits, over all its revisions. Trials do not count."""

from dataclasses import dataclass

from django.db import connection

from activities.models import ActivityIdentity
from runs.guardrails import Limit
from runs.states import RunState

#: So many of the newest finished runs are looked at.
RECENT = 500
#: limit -> the run's column that counts towards it
_COLUMNS = {
    Limit.MODEL_CALLS: "model_calls",
    Limit.TOOL_CALLS: "tool_calls",
    Limit.DURATION: "active_seconds",
    Limit.OUTPUT_TOKENS: "output_tokens",
    Limit.CONTEXT: "context_bytes",
}
_FIGURES = ", ".join(
    f"percentile_disc(0.5) WITHIN GROUP (ORDER BY {column}),"
    f" percentile_disc(0.95) WITHIN GROUP (ORDER BY {column}), max({column})"
    for column in _COLUMNS.values()
)
_SQL = f"""
    SELECT count(*), {_FIGURES}
    FROM (
        SELECT r.* FROM runs_run r JOIN activities_activity a ON a.id = r.activity_id
        WHERE a.identity_id = %s AND r.state = %s AND NOT r.trial
        ORDER BY r.id DESC LIMIT %s
    ) recent
"""  # noqa: S608 - names of our own columns


@dataclass(frozen=True)
class Used:
    """What runs used of one limit, in its unit. Each figure is one that really occurred."""

    median: float
    percentile_95: float
    highest: float


@dataclass(frozen=True)
class Usage:
    """How many runs were looked at, and what they used, by limit; nothing where there was none."""

    runs: int
    by_limit: dict[Limit, Used]


def used(identity: ActivityIdentity) -> Usage:
    """Return median, 95th percentile and highest use of each limit, in one query."""
    with connection.cursor() as cursor:
        cursor.execute(_SQL, [identity.pk, RunState.FINISHED.value, RECENT])
        count, *figures = cursor.fetchone()
    if not count:
        return Usage(0, {})
    threes = [figures[index : index + 3] for index in range(0, len(figures), 3)]
    return Usage(count, {limit: Used(*three) for limit, three in zip(_COLUMNS, threes, strict=True)})
