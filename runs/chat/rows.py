"""Reading what the screens show: whole runs, with a number of queries that does not grow with them."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Prefetch, QuerySet

from accounts.models import AuditStream
from runs.models import (
    Confirmation,
    Conversation,
    Escalation,
    EscalationDecision,
    Fact,
    Message,
    Missed,
    PlanPart,
    Question,
    Run,
    RunStep,
    ToolCall,
)

#: A conversation's page holds its newest runs; the earlier ones are asked for.
PAGE = 20


@dataclass(frozen=True)
class Window:
    """Consecutive runs of one conversation, oldest first, and whether there are earlier ones."""

    runs: list[Run]
    has_earlier: bool


def whole_runs() -> QuerySet[Run]:
    """Runs with all that a person sees of them."""
    calls = ToolCall.objects.select_related("by").prefetch_related(
        "arguments", Prefetch("fact", queryset=Fact.objects.only("id", "call_id", "data"))
    )
    decisions = EscalationDecision.objects.select_related(
        "by", "call", "to_user", "to_group__workspace_group"
    )
    escalations = Escalation.objects.select_related(
        "group__workspace_group", "assignee", "taken_by", "closed_by"
    ).prefetch_related(Prefetch("decisions", queryset=decisions))
    return Run.objects.select_related("user", "revision__agent", "workspace").prefetch_related(
        "activity__inputs",
        Prefetch("plan__parts", queryset=PlanPart.objects.select_related("activity")),
        Prefetch("messages", queryset=Message.objects.order_by("id")),
        "inputs",
        Prefetch("steps", queryset=RunStep.objects.select_related("step")),
        Prefetch("calls", queryset=calls),
        Prefetch("confirmations", queryset=Confirmation.objects.select_related("decided_by")),
        Prefetch("questions", queryset=Question.objects.prefetch_related("fields__candidates")),
        Prefetch("escalations", queryset=escalations),
        Prefetch("missed", queryset=Missed.objects.exclude(named_by=None).order_by("pk")),
    )


def window(conversation: Conversation, *, before: UUID | None = None) -> Window:
    """Return the newest runs of `conversation`, or those before `before`."""
    runs = whole_runs().filter(conversation=conversation).order_by("-id")
    if before is not None:
        runs = runs.filter(pk__lt=before)
    newest = list(runs[: PAGE + 1])
    return Window(newest[:PAGE][::-1], len(newest) > PAGE)


@contextmanager
def one_moment() -> Iterator[None]:
    """Everything read inside is of one moment.

    A part is labelled with the number of the run's last event. Were its content of another moment than its
    label, a page could take what it shows for the newest and refuse what really is.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def versions_of(run_ids: Iterable[UUID]) -> Mapping[UUID, int]:
    """Return a number of each run that grows with its events. Read it and the rows in :func:`one_moment`.

    A run that shows a plan shows what became of the plan's other runs: their events count as well.
    """
    shown = list(run_ids)
    starters = Run.objects.filter(pk__in=shown, parent=None).exclude(plan=None)
    plans: dict[Any, UUID] = {plan: run for run, plan in starters.values_list("pk", "plan_id")}
    parts = Run.objects.filter(plan__in=plans).exclude(pk__in=plans.values()) if plans else Run.objects.none()
    owners = {run: plans[plan] for run, plan in parts.values_list("pk", "plan_id")}
    numbers = AuditStream.objects.filter(stream__in={*shown, *owners}).values_list("stream", "seq")
    found = dict(numbers)
    versions = {run: found[run] for run in shown if run in found}
    for run, owner in owners.items():
        versions[owner] = versions.get(owner, 0) + found.get(run, 0)
    return versions


def newest_ids(conversation: Conversation) -> list[UUID]:
    """Return the ids of the runs a page of `conversation` shows, oldest first."""
    ids = Run.objects.filter(conversation=conversation).order_by("-id").values_list("pk", flat=True)[:PAGE]
    return list(ids)[::-1]
