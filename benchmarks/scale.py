"""Searching large catalogues: 500, 10,000 and 100,000 cards, a tenth of them permitted, on one core.

The cards are synthetic (:mod:`benchmarks.synthetic`), the database is an embedded server made for the
measurement with the product's own parameters; this process and the server share one core. What is timed is a
whole search of a request that was never seen before: reading it, encoding it, the statements, the ranking.
Beside it stands what the search kept the core busy for, in both processes: on a machine that has other work
the first is mostly waiting.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import process_time

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from accounts.models import User, Workspace
from activities.checks.cards import tokens
from activities.discovery.embedding.chosen import warm
from activities.discovery.found import CataloguePart, Found
from activities.discovery.search import search
from activities.models import Card, CardVector
from agentapp import embedded
from benchmarks import synthetic
from benchmarks.synthetic import PERMISSION, Tool
from benchmarks.table import Row, milliseconds, percentile
from runs.engine.requests.step import SEARCH_AGAIN
from tests.environment import VAR_DIR

#: Cards, servers they come from, and the goal for the 95th percentile in seconds.
SIZES = ((500, 10, 0.010), (10_000, 100, 0.025), (100_000, 200, 0.060))
SEARCHES = 200
PEOPLE = 5
_WARM_UP = 20
_PART = CataloguePart(tags=frozenset(["bench"]))


@dataclass(frozen=True)
class Timed:
    """A search, and for how many seconds it kept the core busy."""

    found: Found
    busy: float


def measure(sizes: Sequence[tuple[int, int, float]] = SIZES) -> list[Row]:
    """Return the rows of searches at each size, and of what the tools of a turn cost a model to read."""
    rows: list[Row] = []
    with _one_core(), scratch_database():
        user, workspace = _somebody()
        warm()
        for count, servers, goal in sizes:
            catalogue = synthetic.tools(count, servers)
            _replace(catalogue)
            timed = _searches(user, workspace, catalogue, servers)
            rows.append(_latency(count, goal, timed))
            if count == sizes[0][0]:
                rows.append(_prompt(catalogue, timed))
    return rows


def _latency(count: int, goal: float, timed: Sequence[Timed]) -> Row:
    seconds = [one.found.milliseconds / 1000 for one in timed]
    middle = milliseconds(percentile(seconds, 0.5))
    busy = milliseconds(percentile([one.busy for one in timed], 0.95))
    return Row(
        f"search, {count:,} cards, {timed[0].found.permitted:,} permitted, 95th percentile",
        milliseconds(percentile(seconds, 0.95)),
        f"goal {goal * 1000:.0f} ms; median {middle}; core busy {busy}; one core, synthetic cards",
    )


def _prompt(catalogue: Sequence[Tool], timed: Sequence[Timed]) -> Row:
    """The functions a turn sends (what was found, and the search itself) against those of all tools."""
    costs = {tool.key: tokens(json.dumps(synthetic.definition(tool))) for tool in catalogue}
    again = tokens(json.dumps([SEARCH_AGAIN.name, SEARCH_AGAIN.description, SEARCH_AGAIN.parameters]))
    shown = settings.DISCOVERY_SHOWN
    turns = [again + sum(costs[card.key] for card in one.found.cards[:shown]) for one in timed]
    share = sum(turns) / len(turns) / sum(costs.values())
    return Row(
        f"prompt tokens for tools per turn, {len(catalogue)} tools",
        f"{share:.2%}",
        f"goal under 3%; about {sum(turns) // len(turns):,} instead of {sum(costs.values()):,}",
    )


def _searches(user: User, workspace: Workspace, catalogue: Sequence[Tool], servers: int) -> list[Timed]:
    chance = Random(11)  # noqa: S311 - no secret depends on it
    people = [frozenset(chance.sample(range(servers), servers // 10)) for _person in range(PEOPLE)]
    timed = []
    for place, text in enumerate(synthetic.requests(catalogue, SEARCHES + _WARM_UP)):
        before = _busy_seconds()
        found = search(
            user=user,
            workspace=workspace,
            permissions=frozenset(PERMISSION.format(server) for server in people[place % PEOPLE]),
            query=text,
            language="en",
            part=_PART,
        )
        timed.append(Timed(found, _busy_seconds() - before))
    return timed[_WARM_UP:]


def _busy_seconds() -> float:
    """How long this process and its database session have been running on a processor."""
    connection.ensure_connection()
    statistics = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
    session = int(statistics.read_text().split()[0]) if statistics.exists() else 0
    return process_time() + session / 1e9


def _replace(catalogue: Sequence[Tool]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {Card._meta.db_table}, {CardVector._meta.db_table} CASCADE")
    synthetic.store(catalogue)


def _somebody() -> tuple[User, Workspace]:
    user = User.objects.create_user(email="bench@example.com", password=None, full_name="Bench")
    return user, Workspace.objects.create(name="Bench", slug="bench")


@contextmanager
def _one_core() -> Iterator[None]:
    """This process, and what it starts, on one core."""
    usual = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(usual)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, usual)


@contextmanager
def scratch_database() -> Iterator[None]:
    """Start a server of its own in a folder of its own, migrate it, stop it, remove it."""
    VAR_DIR.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="scale-", dir=VAR_DIR))
    usual = {name: connection.settings_dict[name] for name in ("NAME", "USER", "HOST", "PORT")}
    try:
        with embedded.hold(embedded.find_places(folder, None), durable=False) as places:
            connection.close()
            connection.settings_dict.update(embedded.database_settings(places))
            call_command("migrate", interactive=False, verbosity=0)
            try:
                yield
            finally:
                connection.close()
    finally:
        connection.settings_dict.update(usual)
        shutil.rmtree(folder, ignore_errors=True)
