"""Pages among 100,000 runs, and the desk's of 200 activities: how long the site works on each.

The runs are copies of one that was really done, in a person's many conversations. What is timed is the whole
answer to a request, in this process: middleware, rights, statements, templates.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter

from django.db import connection, models
from django.test import Client
from django.urls import reverse

from accounts.models import User
from activities.actions import agent_import
from activities.models import Agent, Revision
from agentapp.kernel.ids import uuid7
from benchmarks.table import Row, milliseconds, percentile
from examples.billing.demo import load_blueprint
from runs.actions import conversation_create, message_post
from runs.jobs import run_drain
from runs.models import Conversation, Message, Run
from tests.desk.conftest import pages_of

CONVERSATIONS, RUNS_EACH = 5_000, 20
ACTIVITIES = 200
GOAL, DESK_GOAL = 0.300, 1.000
_ASKED = "Find unpaid invoices of John Doe"
_TIMES, _DESK_TIMES = 20, 5


@dataclass(frozen=True)
class _Page:
    name: str
    who: str
    url: str


def measure() -> list[Row]:
    """Return a row for each page, and one for the slowest of the desk's."""
    run = _one_run()
    _multiply(run)
    count = Run.objects.count()
    rows = [_row(f"{page.name}, {count:,} runs", _times(page, _TIMES), GOAL) for page in _pages(run)]
    slowest = max((_times(page, _DESK_TIMES) for page in _desk()), key=lambda times: percentile(times, 0.95))
    return [*rows, _row(f"slowest page of the desk, {ACTIVITIES} activities", slowest, DESK_GOAL)]


def _row(name: str, times: list[float], goal: float) -> Row:
    return Row(name, milliseconds(percentile(times, 0.95)), f"95th percentile (aim {goal * 1000:.0f} ms)")


def _times(page: _Page, times: int) -> list[float]:
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(email=f"{page.who}@example.com"))
    return [_timed(client, page.url) for _request in range(times + 1)][1:]


def _timed(client: Client, url: str) -> float:
    started = perf_counter()
    status = client.get(url).status_code
    if status != 200:
        raise SystemExit(f"{url} was answered with {status}.")
    return perf_counter() - started


def _pages(run: Run) -> Iterator[_Page]:
    long = Conversation.objects.exclude(pk=run.conversation_id)[0]
    yield _Page("first page", "alice", reverse("chat:home"))
    yield _Page("a conversation", "alice", reverse("chat:conversation", args=[long.pk]))
    yield _Page("conversations with a word", "alice", f"{reverse('chat:conversations')}?q=unpaid")
    yield _Page("one's runs", "alice", reverse("chat:runs"))
    yield _Page("everybody's runs", "farid", reverse("chat:runs"))
    yield _Page("everybody's runs with a word", "farid", f"{reverse('chat:runs')}?q=unpaid")
    yield _Page("a run", "farid", reverse("chat:run", args=[run.pk]))


def _desk() -> Iterator[_Page]:
    workspace = Agent.objects.get(key="billing").workspace
    whole = load_blueprint()
    one = next(activity for activity in whole.activities if activity.key == "find_invoices")
    many = [one.model_copy(update={"key": f"part_{number:03}"}) for number in range(ACTIVITIES)]
    blueprint = whole.model_copy(update={"key": "many", "activities": many})
    designer = User.objects.get(email="daniel@example.com")
    revision: Revision = agent_import(blueprint, workspace=workspace, actor=designer)
    for url in pages_of(revision):
        yield _Page("desk", "daniel", url)


def _one_run() -> Run:
    user = User.objects.get(email="alice@example.com")
    conversation = conversation_create(user=user, workspace=Agent.objects.get(key="billing").workspace)
    posted = message_post(user=user, conversation_id=conversation.pk, text=_ASKED, client_id=uuid7())
    run = run_drain(posted.run.pk)
    if run.outcome != "succeeded":
        raise SystemExit(f"The run to be copied ended as {run.outcome}: {run.answer}")
    return run


def _multiply(run: Run) -> None:
    """Copy the run into many conversations of its person. Events are not copied: a page reads one run's."""
    _copy(
        Conversation,
        run.conversation_id,
        {"id": "gen_random_uuid()", "updated_at": "now() - n * interval '1 hour'"},
        f"generate_series(1, {CONVERSATIONS}) AS n",
    )
    _copy(
        Run,
        run.pk,
        {
            "id": "gen_random_uuid()",
            "conversation_id": "c.id",
            "created_at": "c.updated_at - n * interval '1 minute'",
        },
        f"runs_conversation AS c, generate_series(1, {RUNS_EACH}) AS n",
        "c.user_id = source.user_id AND c.id <> source.conversation_id",
    )
    _copy(
        Message,
        run.messages.get().pk,
        {
            "id": "gen_random_uuid()",
            "run_id": "r.id",
            "conversation_id": "r.conversation_id",
            "client_id": "gen_random_uuid()",
        },
        "runs_run AS r",
        "r.user_id = (SELECT user_id FROM runs_run WHERE id = source.run_id) AND r.id <> source.run_id",
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _copy(
    model: type[models.Model], key: object, changed: Mapping[str, str], beside: str, where: str = "true"
) -> None:
    """Insert a copy of one row for each row of `beside`, with `changed` columns."""
    table = model._meta.db_table
    columns = [str(field.column) for field in model._meta.concrete_fields]
    values = [changed.get(column, f"source.{column}") for column in columns]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)}"  # noqa: S608 - our own names
            f" FROM {table} AS source, {beside} WHERE source.id = %s AND {where}",
            [key],
        )
